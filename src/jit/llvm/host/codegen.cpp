// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/llvm/host/codegen.h"

#include <llvm/BinaryFormat/ELF.h>
#include <llvm/CodeGen/AsmPrinter.h>
#include <llvm/CodeGen/DebugHandlerBase.h>
#include <llvm/CodeGen/MachineInstr.h>
#include <llvm/CodeGen/MachineModuleInfo.h>
#include <llvm/CodeGen/Passes.h>
#include <llvm/CodeGen/TargetPassConfig.h>
#include <llvm/ExecutionEngine/RuntimeDyld.h>
#include <llvm/ExecutionEngine/SectionMemoryManager.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCSectionELF.h>
#include <llvm/MC/MCStreamer.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Object/ObjectFile.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/SmallVectorMemoryBuffer.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/TargetParser/Host.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <tuple>

#include <fmt/format.h>

#include "ir/print.h"

namespace heddle::jit {
namespace {

/// Allocates all sections in one piece, so that distances between them are fixed.
class OnePiece final : public llvm::RuntimeDyld::MemoryManager {
 public:
  explicit OnePiece(std::size_t most) : size_((most + 4095) / 4096 * 4096) {
    base_ = static_cast<u8*>(std::aligned_alloc(4096, size_));
    std::memset(base_, 0, size_);  // gaps between sections, too: images are reproducible
  }
  ~OnePiece() override { std::free(base_); }
  u8* allocateCodeSection(uintptr_t bytes, unsigned align, unsigned, llvm::StringRef) override {
    return take(bytes, align);
  }
  u8* allocateDataSection(uintptr_t bytes, unsigned align, unsigned, llvm::StringRef,
                          bool) override {
    return take(bytes, align);
  }
  void registerEHFrames(u8*, u64, std::size_t) override {}
  void deregisterEHFrames() override {}
  bool finalizeMemory(std::string*) override { return false; }

  u8* base() const { return base_; }
  std::size_t used() const { return used_; }

 private:
  u8* take(std::size_t bytes, std::size_t align) {
    used_ = (used_ + align - 1) / align * align;
    u8* at = base_ + used_;
    used_ += bytes;
    if (used_ > size_) llvm::report_fatal_error("a section that is larger than its object file");
    return at;
  }
  u8* base_ = nullptr;
  const std::size_t size_;
  std::size_t used_ = 0;
};

/// The code has no external references.
class Nothing final : public llvm::LegacyJITSymbolResolver {
 public:
  llvm::JITSymbol findSymbol(const std::string& name) override {
    missing = name;
    return nullptr;
  }
  llvm::JITSymbol findSymbolInLogicalDylib(const std::string&) override { return nullptr; }
  std::string missing;
};

constexpr const char* kLines = ".heddle.lines";

/// Records where the code of a PTX instruction begins: as pairs of line and offset from the
/// function in a section, or as comments. LLVM's own debug information costs a tenth of the code.
class Lines final : public llvm::DebugHandlerBase {
 public:
  using Comment = std::function<std::string(u32 line)>;
  Lines(llvm::AsmPrinter* printer, Comment comment)
      : DebugHandlerBase(printer), printer_(*printer), comment_(std::move(comment)) {}

  void beginInstruction(const llvm::MachineInstr* inst) override {
    const llvm::DebugLoc& at = inst->getDebugLoc();
    if (!at || at.getLine() == 0 || at.getLine() == line_) return;
    line_ = at.getLine();
    llvm::MCStreamer& out = *printer_.OutStreamer;
    if (comment_) return out.emitRawComment(comment_(line_), false);
    llvm::MCSymbol* label = printer_.OutContext.createTempSymbol();
    out.emitLabel(label);
    labels_.emplace_back(label, line_);
    function_ = current_;
  }
  void endInstruction() override {}
  void endModule() override {
    if (labels_.empty()) return;
    llvm::MCStreamer& out = *printer_.OutStreamer;
    out.switchSection(printer_.OutContext.getELFSection(kLines, llvm::ELF::SHT_PROGBITS, 0));
    for (const auto& [label, line] : labels_) {
      out.emitAbsoluteSymbolDiff(label, function_, 4);
      out.emitInt32(line);
    }
  }

 private:
  void beginFunctionImpl(const llvm::MachineFunction*) override {}
  void endFunctionImpl(const llvm::MachineFunction*) override {}
  void skippedNonDebugFunction() override {
    current_ = printer_.CurrentFnSym;
    line_ = 0;
  }

  llvm::AsmPrinter& printer_;
  const Comment comment_;
  llvm::MCSymbol *current_ = nullptr, *function_ = nullptr;  ///< the one that has labels
  u32 line_ = 0;
  std::vector<std::pair<llvm::MCSymbol*, u32>> labels_;
};

/// As addPassesToEmitFile(), without passes that are useless for kernels. Returns why it cannot.
std::string emit(llvm::Module& module, llvm::TargetMachine& target, llvm::raw_pwrite_stream& out,
                 llvm::CodeGenFileType type, Lines::Comment comment = {}) {
  auto& machine = static_cast<llvm::LLVMTargetMachine&>(target);
  // LLVM would emit debug information for these.
  if (llvm::NamedMDNode* units = module.getNamedMetadata("llvm.dbg.cu")) units->eraseFromParent();
  for (llvm::Function& function : module) function.setSubprogram(nullptr);
  for (llvm::GlobalVariable& variable : llvm::make_early_inc_range(module.globals())) {
    variable.removeDeadConstantUsers();
    if (variable.use_empty()) variable.eraseFromParent();
  }

  llvm::legacy::PassManager passes;
  llvm::TargetPassConfig* config = machine.createPassConfig(passes);
  config->setDisableVerify(true);
  // Also disables the pass that moves constants out of loops before registers are allocated: where
  // they are used they are memory operands, and cost nothing; outside they take registers, and time
  // to allocate. And the second scheduler, for some vendors' processors, which reorder by
  // themselves.
  for (llvm::AnalysisID pass :
       {&llvm::LiveDebugValuesID, &llvm::RemoveRedundantDebugValuesID, &llvm::StackMapLivenessID,
        &llvm::EarlyMachineLICMID, &llvm::FEntryInserterID, &llvm::XRayInstrumentationID,
        &llvm::PatchableFunctionID, &llvm::FuncletLayoutID, &llvm::PostRASchedulerID})
    config->disablePass(pass);
  passes.add(config);
  auto* info = new llvm::MachineModuleInfoWrapperPass(&machine);
  passes.add(info);
  if (config->addISelPasses()) return "LLVM cannot make code for this processor";
  config->addMachinePasses();
  config->setInitialized();
  auto streamer = machine.createMCStreamer(out, nullptr, type, info->getMMI().getContext());
  if (!streamer) return llvm::toString(streamer.takeError());
  llvm::AsmPrinter* printer = machine.getTarget().createAsmPrinter(machine, std::move(*streamer));
  printer->addDebugHandler(std::make_unique<Lines>(printer, std::move(comment)));
  passes.add(printer);
  passes.add(llvm::createFreeMachineFunctionPass());
  passes.run(module);
  return {};
}

/// Sets an option that LLVM has on its command line only; one that it does not have is left.
template <class T>
void set_option(llvm::StringRef name, T value) {
  const auto& options = llvm::cl::getRegisteredOptions();
  const auto found = options.find(name);
  if (found != options.end()) static_cast<llvm::cl::opt<T>*>(found->second)->setValue(value);
}

void set_options() {
  // LLVM 19's pass that moves values from general registers to mask registers takes the extension
  // of 16 bits to 32 for a copy, so the upper half of the mask register is not zero.
  set_option("disable-x86-domain-reassignment", true);
  // The scheduler compares each access to memory with those before it in the block, by default up
  // to 1,000: that takes minutes for the blocks of matrix instructions that move registers through
  // memory.
  constexpr unsigned kMostAccesses = 200;
  set_option("dag-maps-huge-region", kMostAccesses);
  set_option("dag-maps-reduction-size", kMostAccesses / 2);
}

}  // namespace

namespace {

/// The target of this host; null: LLVM has none.
const llvm::Target* find_target() {
  static const bool once = [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    llvm::InitializeNativeTargetAsmParser();
    set_options();
    return true;
  }();
  (void)once;
  std::string why;
  return llvm::TargetRegistry::lookupTarget(llvm::sys::getProcessTriple(), why);
}

}  // namespace

bool is_known_cpu(const std::string& cpu) {
  const llvm::Target* target = find_target();
  if (!target) return false;
  const std::unique_ptr<llvm::MCSubtargetInfo> info(
      target->createMCSubtargetInfo(llvm::sys::getProcessTriple(), "", ""));
  return info && info->isCPUStringValid(cpu);
}

std::unique_ptr<llvm::TargetMachine> make_target(const std::string& cpu) {
  const llvm::Target* target = find_target();
  if (!target || (!cpu.empty() && !is_known_cpu(cpu))) return nullptr;
  std::string features;
  if (cpu.empty()) {
    for (const auto& [name, has] : llvm::sys::getHostCPUFeatures()) {
      if (!features.empty()) features += ',';
      features += (has ? "+" : "-") + name.str();
    }
  }
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  options.NoTrappingFPMath = true;
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      llvm::sys::getProcessTriple(),
      cpu.empty() ? llvm::sys::getHostCPUName() : llvm::StringRef(cpu), features, options,
      llvm::Reloc::PIC_, llvm::CodeModel::Small, llvm::CodeGenOptLevel::Default));
}

void compute_as_written(llvm::Function& function) {
  function.addFnAttr("denormal-fp-math", "dynamic,dynamic");
}

std::string generate(ScalarKernel& kernel, llvm::TargetMachine& target, Image& image) {
  llvm::SmallVector<char, 0> bytes;
  {
    llvm::raw_svector_ostream out(bytes);
    const auto type = llvm::CodeGenFileType::ObjectFile;
    if (std::string why = emit(*kernel.module, target, out, type); !why.empty()) return why;
  }
  const llvm::MemoryBufferRef buffer(llvm::StringRef(bytes.data(), bytes.size()), "kernel");
  auto object = llvm::object::ObjectFile::createObjectFile(buffer);
  if (!object) return llvm::toString(object.takeError());
  OnePiece memory(bytes.size() * 2 + 65536);
  Nothing nothing;
  llvm::RuntimeDyld linker(memory, nothing);
  const auto loaded = linker.loadObject(**object);
  linker.resolveRelocations();
  if (!nothing.missing.empty()) return fmt::format("the code calls '{}'", nothing.missing);
  if (linker.hasError()) return linker.getErrorString().str();
  const auto entry = linker.getSymbol("cta");
  image.entry = static_cast<u32>(entry.getAddress() - reinterpret_cast<u64>(memory.base()));
  // Absolute addresses within the code, as in jump tables.
  const u64 base = reinterpret_cast<u64>(memory.base());
  for (const auto& section : (*object)->sections()) {
    auto target_section = section.getRelocatedSection();
    if (!target_section) return llvm::toString(target_section.takeError());
    if (*target_section == (*object)->section_end()) continue;
    const u64 begin = loaded->getSectionLoadAddress(**target_section);
    if (!begin || (*target_section)->isDebugSection()) continue;
    for (const auto& relocation : section.relocations()) {
      llvm::SmallString<32> type;
      relocation.getTypeName(type);
      if (type != "R_X86_64_64" && type != "R_AARCH64_ABS64") continue;
      const u64 at = begin + relocation.getOffset();
      u64 word;
      std::memcpy(&word, reinterpret_cast<const void*>(at), sizeof word);
      word -= base;
      std::memcpy(reinterpret_cast<void*>(at), &word, sizeof word);
      image.absolute.push_back(static_cast<u32>(at - base));
    }
  }
  image.code.assign(memory.base(), memory.base() + memory.used());

  for (const auto& section : (*object)->sections()) {
    auto name = section.getName();
    if (!name) return llvm::toString(name.takeError());
    if (*name != kLines) continue;
    auto contents = section.getContents();
    if (!contents) return llvm::toString(contents.takeError());
    for (std::size_t at = 0; at + 8 <= contents->size(); at += 8) {
      u32 pair[2];
      std::memcpy(pair, contents->data() + at, sizeof pair);
      CodeLine line;
      line.offset = image.entry + pair[0];
      std::tie(line.function, line.inst) = kernel.place_of(pair[1]);
      image.lines.push_back(line);
    }
  }
  std::sort(image.lines.begin(), image.lines.end(),
            [](const CodeLine& a, const CodeLine& b) { return a.offset < b.offset; });
  return {};
}

std::string assembly(ScalarKernel& kernel, llvm::TargetMachine& target, const ir::Module& module) {
  llvm::SmallVector<char, 0> text;
  llvm::raw_svector_ostream out(text);
  std::string why =
      emit(*kernel.module, target, out, llvm::CodeGenFileType::AssemblyFile, [&](u32 line) {
        const auto [function, inst] = kernel.place_of(line);
        const ir::Inst& from = module.functions[function].insts[inst];
        return fmt::format(" PTX {}: {}", from.at.line, ir::mnemonic(from));
      });
  if (!why.empty()) return why;
  std::string result;
  llvm::StringRef rest(text.data(), text.size());
  while (!rest.empty()) {
    llvm::StringRef line;
    std::tie(line, rest) = rest.split('\n');
    if (line.ltrim().starts_with(".cfi_")) continue;
    result += line;
    result += '\n';
  }
  return result;
}

}  // namespace heddle::jit
