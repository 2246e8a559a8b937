// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/llvm/codegen.h"

#include <llvm/DebugInfo/DWARF/DWARFContext.h>
#include <llvm/ExecutionEngine/RuntimeDyld.h>
#include <llvm/ExecutionEngine/SectionMemoryManager.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Object/ObjectFile.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/SmallVectorMemoryBuffer.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/Transforms/Scalar/ADCE.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <tuple>

#include <fmt/format.h>

#include "ir/print.h"

namespace heddle::jit {
namespace {

/// All sections in one piece, so that what refers to another one keeps its distance.
class OnePiece final : public llvm::RuntimeDyld::MemoryManager {
 public:
  explicit OnePiece(std::size_t most) : size_((most + 4095) / 4096 * 4096) {
    base_ = static_cast<u8*>(std::aligned_alloc(4096, size_));
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

/// The code refers to nothing but itself.
class Nothing final : public llvm::LegacyJITSymbolResolver {
 public:
  llvm::JITSymbol findSymbol(const std::string& name) override {
    missing = name;
    return nullptr;
  }
  llvm::JITSymbol findSymbolInLogicalDylib(const std::string&) override { return nullptr; }
  std::string missing;
};

void emit(ScalarKernel& kernel, llvm::TargetMachine& target, llvm::raw_pwrite_stream& out,
          llvm::CodeGenFileType type) {
  llvm::legacy::PassManager passes;
  target.addPassesToEmitFile(passes, out, nullptr, type, /*DisableVerify=*/true);
  passes.run(*kernel.module);
}

}  // namespace

std::unique_ptr<llvm::TargetMachine> make_target(const std::string& cpu) {
  static const bool once = [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    return true;
  }();
  (void)once;
  const std::string triple = llvm::sys::getProcessTriple();
  std::string why;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, why);
  if (!target) return nullptr;
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
      triple, cpu.empty() ? llvm::sys::getHostCPUName() : llvm::StringRef(cpu), features, options,
      llvm::Reloc::PIC_, llvm::CodeModel::Small, llvm::CodeGenOptLevel::Default));
}

void tidy_vectors(llvm::Function& cta, llvm::TargetMachine& target, bool last) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager graph;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&target);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(graph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, graph, modules);
  llvm::FunctionPassManager passes;
  if (!last) passes.addPass(llvm::SROAPass(llvm::SROAOptions::PreserveCFG));
  passes.addPass(llvm::EarlyCSEPass(true));
  if (last) passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::ADCEPass());
  passes.run(cta, functions);
}

std::string generate(ScalarKernel& kernel, llvm::TargetMachine& target, Image& image) {
  llvm::SmallVector<char, 0> bytes;
  {
    llvm::raw_svector_ostream out(bytes);
    emit(kernel, target, out, llvm::CodeGenFileType::ObjectFile);
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
  // Addresses within the code, as tables of pointers have them.
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

  const auto debug = llvm::DWARFContext::create(
      **object, llvm::DWARFContext::ProcessDebugRelocations::Process, loaded.get());
  for (const auto& unit : debug->compile_units()) {
    const auto* table = debug->getLineTableForUnit(unit.get());
    if (!table) continue;
    for (const auto& row : table->Rows) {
      if (row.EndSequence) continue;
      CodeLine line;
      line.offset = static_cast<u32>(row.Address.Address - reinterpret_cast<u64>(memory.base()));
      std::tie(line.function, line.inst) = kernel.place_of(row.Line);
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
  emit(kernel, target, out, llvm::CodeGenFileType::AssemblyFile);
  // In place of debug information: the PTX that a line stands for.
  std::string result;
  llvm::StringRef rest(text.data(), text.size());
  while (!rest.empty()) {
    llvm::StringRef line;
    std::tie(line, rest) = rest.split('\n');
    if (line.starts_with("\t.section\t.debug")) break;
    llvm::StringRef words = line.ltrim();
    if (words.consume_front(".loc\t")) {
      unsigned file = 0, number = 0;
      words.consumeInteger(10, file);
      words = words.ltrim();
      if (!words.consumeInteger(10, number) && number) {
        const auto [function, inst] = kernel.place_of(number);
        const ir::Inst& from = module.functions[function].insts[inst];
        result += fmt::format("\t# PTX {}: {}\n", from.at.line, ir::mnemonic(from));
      }
    } else if (!words.starts_with(".cfi_") && !words.starts_with(".Ltmp") &&
               !words.starts_with(".file")) {
      result += line;
      result += '\n';
    }
  }
  return result;
}

}  // namespace heddle::jit
