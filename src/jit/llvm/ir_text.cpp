// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/llvm/ir_text.h"

#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Metadata.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <bit>
#include <concepts>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "isa/types.h"
#include "jit/llvm/dump.h"
#include "jit/llvm/machine_ops.h"

namespace heddle::jit {
namespace {

constexpr const char *kKernel = "heddle.kernel", *kSites = "heddle.sites",
                     *kLocals = "heddle.locals", *kSymbols = "heddle.symbols",
                     *kLines = "heddle.first_lines", *kRecursive = "heddle.recursive";
constexpr const char* kAll[] = {kKernel, kSites, kLocals, kSymbols, kLines};

constexpr u32 kMostElements = 16;  // of an access

constexpr std::string_view kSpaces[] = {"generic", "reg",   "const", "global",
                                        "local",   "param", "shared"};

/// Names of the fields of a Site, for writing and reading.
template <class Visit>
void visit_site(Site& site, const Visit& visit) {
  visit("sem", site.sem), visit("space", site.space), visit("type", site.type);
  visit("function", site.function), visit("inst", site.inst);
  visit("bytes", site.bytes), visit("count", site.count);
  visit("strong", site.strong), visit("ordered", site.ordered), visit("op", site.op),
      visit("has_third", site.has_third);
  visit("runtime0", site.runtime[0]), visit("runtime1", site.runtime[1]);
  visit("runtime2", site.runtime[2]), visit("runtime3", site.runtime[3]);
  visit("runtime4", site.runtime[4]), visit("runtime5", site.runtime[5]);
  static constexpr const char* kRegisters[] = {
      "registers0", "registers1", "registers2", "registers3", "registers4",  "registers5",
      "registers6", "registers7", "registers8", "registers9", "registers10", "registers11"};
  for (u32 i = 0; i < std::size(site.registers); ++i) visit(kRegisters[i], site.registers[i]);
  visit("first_result", site.first_result);
  visit("dispatch", site.dispatch);
  visit("next", site.next), visit("distance", site.distance), visit("in_line", site.in_line);
  visit("shared", site.shared), visit("step", site.step), visit("widens", site.widens);
  visit("index_step", site.index_step), visit("factor", site.factor);
  visit("narrow", site.narrow), visit("alone", site.alone), visit("has_count", site.has_count);
  visit("has_members", site.has_members), visit("gathered", site.gathered);
}

/// Names of the other numbers of a kernel.
template <class Visit>
void visit_kernel(PassState& state, const Visit& visit) {
  ScalarKernel& kernel = state.kernel;
  visit("shared_bytes", kernel.shared_bytes), visit("local_bytes", kernel.local_bytes);
  visit("local_in_lanes", kernel.local_in_lanes), visit("frame_of_call", kernel.frame_of_call);
  visit("zeroes_subnormals", kernel.zeroes_subnormals);
  visit("waits", state.vectorized.waits), visit("switches_ctas", state.vectorized.switches_ctas);
  visit("loops", state.image.loops), visit("team", state.image.team);
  visit("frame_bytes", state.image.frame_bytes);
}

// --- writing ---

class MetadataWriter {
 public:
  explicit MetadataWriter(llvm::Module& module) : module_(module), context_(module.getContext()) {}
  llvm::Metadata* text(std::string_view name) {
    return llvm::MDString::get(context_, llvm::StringRef(name.data(), name.size()));
  }
  llvm::Metadata* number(u64 value) {
    return llvm::ConstantAsMetadata::get(
        llvm::ConstantInt::get(llvm::Type::getInt64Ty(context_), value));
  }
  void add(const char* list, const std::vector<llvm::Metadata*>& node) {
    module_.getOrInsertNamedMetadata(list)->addOperand(llvm::MDNode::get(context_, node));
  }
  llvm::Metadata* value(isa::SemId sem) { return text(isa::kSemNames[static_cast<u32>(sem)]); }
  llvm::Metadata* value(ir::Space space) { return text(kSpaces[static_cast<u32>(space)]); }
  llvm::Metadata* value(isa::Type type) { return text(isa::type_info(type).name); }
  template <std::integral T>
  llvm::Metadata* value(T one) {
    return number(static_cast<u64>(static_cast<s64>(one)));
  }

 private:
  llvm::Module& module_;
  llvm::LLVMContext& context_;
};

/// Copies of functions have debug compile units of their own, and LLVM refuses units that are not
/// listed.
void list_units(llvm::Module& module) {
  llvm::DebugInfoFinder finder;
  finder.processModule(module);
  llvm::NamedMDNode* listed = module.getOrInsertNamedMetadata("llvm.dbg.cu");
  for (llvm::DICompileUnit* unit : finder.compile_units()) {
    if (!llvm::is_contained(listed->operands(), unit)) listed->addOperand(unit);
  }
  if (listed->getNumOperands() == 0) listed->eraseFromParent();
}

void attach(PassState& state) {
  ScalarKernel& kernel = state.kernel;
  list_units(*kernel.module);
  MetadataWriter write(*kernel.module);
  const machine::Dim3& block = state.block;
  write.add(kKernel, {write.text("block"), write.number(block.x), write.number(block.y),
                      write.number(block.z)});
  visit_kernel(state, [&](const char* name, auto& value) {
    if (value) write.add(kKernel, {write.text(name), write.value(value)});
  });
  if (kernel.stack_pointer)
    write.add(kKernel, {write.text("stack_pointer"), write.number(*kernel.stack_pointer)});
  for (Site& site : kernel.sites) {
    Site fresh;
    std::vector<llvm::Metadata*> usual, node;
    visit_site(fresh, [&](const char*, auto& value) { usual.push_back(write.value(value)); });
    std::size_t i = 0;
    visit_site(site, [&](const char* name, auto& value) {
      llvm::Metadata* now = write.value(value);
      if (now != usual[i++]) node.insert(node.end(), {write.text(name), now});
    });
    write.add(kSites, node);
  }
  for (const Local& local : kernel.locals)
    write.add(kLocals, {write.number(local.bytes), write.number(local.align)});
  for (const u32 symbol : kernel.symbols) write.add(kSymbols, {write.number(symbol)});
  for (const u32 line : kernel.first_line) write.add(kLines, {write.number(line)});
  for (const auto& [function, recursive] : kernel.recursive) {
    std::vector<llvm::Metadata*> node = {
        write.number(recursive.scc), write.number(recursive.returns),
        write.number(recursive.local_bytes), write.number(recursive.align)};
    for (const u64 size : recursive.sizes) node.push_back(write.number(size));
    function->setMetadata(kRecursive, llvm::MDNode::get(function->getContext(), node));
  }
}

void detach(PassState& state) {
  for (const char* name : kAll) {
    if (llvm::NamedMDNode* list = state.kernel.module->getNamedMetadata(name))
      list->eraseFromParent();
  }
  for (llvm::Function& function : *state.kernel.module) function.setMetadata(kRecursive, nullptr);
}

// --- reading ---

class MetadataReader {
 public:
  explicit MetadataReader(PassState& state) : state_(state), module_(*state.kernel.module) {}

  std::string run() {
    read(kKernel, [&](const llvm::MDNode& node) { read_kernel(node); });
    read(kSites, [&](const llvm::MDNode& node) { read_site(node); });
    read(kLocals, [&](const llvm::MDNode& node) {
      const u64 align = number(node, 1);
      if (!std::has_single_bit(align)) return fail("an alignment is a power of two");
      state_.kernel.locals.push_back({number(node, 0), align});
    });
    read(kSymbols, [&](const llvm::MDNode& node) {
      state_.kernel.symbols.push_back(static_cast<u32>(number(node, 0)));
    });
    read(kLines, [&](const llvm::MDNode& node) {
      state_.kernel.first_line.push_back(static_cast<u32>(number(node, 0)));
    });
    if (state_.kernel.first_line.empty()) state_.kernel.first_line.push_back(0);
    if (state_.kernel.stack_pointer && *state_.kernel.stack_pointer >= state_.kernel.locals.size())
      fail("stack_pointer is not the number of a local variable");
    for (llvm::Function& function : module_) {
      const llvm::MDNode* node = function.getMetadata(kRecursive);
      if (!node) continue;
      list_ = kRecursive;
      Recursive& recursive = state_.kernel.recursive[&function];
      recursive.scc = static_cast<u32>(number(*node, 0));
      recursive.returns = number(*node, 1);
      recursive.local_bytes = number(*node, 2);
      recursive.align = number(*node, 3);
      for (unsigned i = 4; i < node->getNumOperands(); ++i)
        recursive.sizes.push_back(number(*node, i));
    }
    return why_;
  }

 private:
  template <class Read>
  void read(const char* list, const Read& one) {
    list_ = list;
    const llvm::NamedMDNode* all = module_.getNamedMetadata(list);
    for (unsigned i = 0; all && i < all->getNumOperands() && why_.empty(); ++i)
      one(*all->getOperand(i));
  }
  void fail(std::string_view why) {
    if (why_.empty()) why_ = fmt::format("!{}: {}", list_, why);
  }
  u64 number(const llvm::MDNode& node, unsigned i) {
    const auto* value =
        i < node.getNumOperands()
            ? llvm::mdconst::dyn_extract_or_null<llvm::ConstantInt>(node.getOperand(i))
            : nullptr;
    if (value && value->getBitWidth() <= 64) return value->getZExtValue();
    fail(fmt::format("operand {} has to be an integer", i));
    return 0;
  }
  std::string_view text(const llvm::MDNode& node, unsigned i) {
    const auto* value = i < node.getNumOperands()
                            ? llvm::dyn_cast_or_null<llvm::MDString>(node.getOperand(i).get())
                            : nullptr;
    if (value) return {value->getString().data(), value->getString().size()};
    fail(fmt::format("operand {} has to be a string", i));
    return {};
  }
  template <class Range, class Project>
  std::size_t index_of(std::string_view name, const Range& names, const Project& project) {
    const auto found = std::ranges::find(names, name, project);
    if (found == std::ranges::end(names)) fail(fmt::format("there is no '{}'", name));
    return found == std::ranges::end(names)
               ? 0
               : static_cast<std::size_t>(found - std::ranges::begin(names));
  }
  void set(isa::SemId& sem, const llvm::MDNode& node, unsigned i) {
    sem = static_cast<isa::SemId>(index_of(text(node, i), isa::kSemNames, std::identity()));
  }
  void set(ir::Space& space, const llvm::MDNode& node, unsigned i) {
    space = static_cast<ir::Space>(index_of(text(node, i), kSpaces, std::identity()));
  }
  void set(isa::Type& type, const llvm::MDNode& node, unsigned i) {
    type = static_cast<isa::Type>(index_of(text(node, i), isa::kTypeInfos, &isa::TypeInfo::name));
  }
  template <std::integral T>
  void set(T& value, const llvm::MDNode& node, unsigned i) {
    value = static_cast<T>(number(node, i));
  }

  void read_kernel(const llvm::MDNode& node) {
    const std::string_view key = text(node, 0);
    if (key == "block") {
      u32* const sizes[] = {&state_.block.x, &state_.block.y, &state_.block.z};
      u64 volume = 1;
      for (unsigned i = 0; i < 3; ++i) {
        const u64 size = std::min<u64>(number(node, i + 1), 1025);
        *sizes[i] = static_cast<u32>(size);
        volume *= size;
      }
      if (volume == 0 || volume > 1024) fail("a block has 1 to 1024 threads");
      return;
    }
    if (key == "stack_pointer") {
      state_.kernel.stack_pointer = static_cast<u32>(number(node, 1));
      return;
    }
    bool known = false;
    visit_kernel(state_, [&](const char* name, auto& value) {
      if (key != name) return;
      set(value, node, 1);
      known = true;
    });
    if (!known) fail(fmt::format("there is no '{}'", key));
    if (const u32 team = state_.image.team; team != kLanes && team != 2 * kLanes)
      fail("a team is 32 or 64 lanes");
  }
  void read_site(const llvm::MDNode& node) {
    Site site;
    for (unsigned i = 0; i < node.getNumOperands() && why_.empty(); i += 2) {
      const std::string_view key = text(node, i);
      bool known = false;
      visit_site(site, [&](const char* name, auto& value) {
        if (key != name) return;
        set(value, node, i + 1);
        known = true;
      });
      if (!known) fail(fmt::format("there is no '{}'", key));
    }
    if (!std::has_single_bit(u32{site.bytes}) || site.bytes > 16)
      fail("an element has 1, 2, 4, 8 or 16 bytes");
    if (site.count > kMostElements) fail("an access has 1 to 16 elements");
    state_.kernel.sites.push_back(site);
  }

  PassState& state_;
  llvm::Module& module_;
  const char* list_ = "";
  std::string why_;
};

std::string check_calls(const ScalarKernel& kernel) {
  for (const llvm::Function& function : *kernel.module) {
    for (const llvm::Instruction& inst : llvm::instructions(function)) {
      const MachineOp op = machine_op(inst);
      if (!is_machine_call(inst)) continue;
      const auto& call = llvm::cast<llvm::CallInst>(inst);
      if (op == MachineOp::none) {
        if (call.getCalledFunction()->getName() == kRegionEnd) continue;
        return fmt::format("there is no operation '{}'", call.getCalledFunction()->getName().str());
      }
      set_attributes(*call.getCalledFunction(), op);
      const MachineOpInfo& known = info_of(op);
      if (call.arg_size() < known.operands)
        return fmt::format("heddle.{} has at least {} operands", known.name.str(), known.operands);
      if (!known.has_site) continue;
      const auto* number = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(0));
      if (!number || number->getZExtValue() >= kernel.sites.size())
        return fmt::format("the first operand of heddle.{} is the number of one of {} sites",
                           known.name.str(), kernel.sites.size());
      if (is_access_op(op) && site_of(call, kernel.sites).count == 0)
        return fmt::format("heddle.{} is the access of 1 to {} elements, and its site has none",
                           known.name.str(), kMostElements);
    }
  }
  return {};
}

/// The blocks of the CTAs' function that split-regions starts from; null where a pass has removed
/// one.
void find_blocks(Vectorized& cta) {
  std::map<llvm::StringRef, llvm::BasicBlock*> blocks;
  for (llvm::BasicBlock& block : *cta.function) blocks[block.getName()] = &block;
  const auto find = [&](const char* name) {
    const auto found = blocks.find(name);
    return found == blocks.end() ? nullptr : found->second;
  };
  cta.entry = find("entry"), cta.cta = find("cta"), cta.head = find("warp");
  cta.next = find("next"), cta.done = find("done"), cta.finished = find("finished");
  cta.team = llvm::ConstantInt::get(llvm::Type::getInt32Ty(cta.function->getContext()), 0);
  if (!cta.head) return;
  for (llvm::Instruction& inst : *cta.head) {
    if (inst.getName() == "team_counter") cta.team_counter = llvm::dyn_cast<llvm::PHINode>(&inst);
    if (inst.getName() == "team") cta.team = &inst;
  }
}

std::string find_code(PassState& state) {
  ScalarKernel& kernel = state.kernel;
  for (llvm::Function& function : *kernel.module) {
    if (function.isDeclaration()) continue;
    if (function.getName() == "cta") {
      state.vectorized.function = &function;
      find_blocks(state.vectorized);
    } else if (function.getReturnType()->isVoidTy() && function.arg_empty() &&
               !kernel.recursive.count(&function)) {
      if (kernel.function) return "there are two functions void()";
      kernel.function = &function;
    }
  }
  if (state.vectorized.function && kernel.function)
    return "there is the code of one thread and of CTAs";
  if (!state.vectorized.function && !kernel.function)
    return "there is no code: void() of one thread, or 'cta'";
  if (const Vectorized& cta = state.vectorized;
      cta.function &&
      (cta.function->arg_size() != 2 || !cta.function->getReturnType()->isIntegerTy(32)))
    return "'cta' has to be i32(ptr, ptr)";
  return {};
}

}  // namespace

std::string print_state(PassState& state) {
  attach(state);
  std::string text = dump_all(state.kernel, state.request ? state.request->module : nullptr,
                              state.shapes ? &*state.shapes : nullptr);
  detach(state);
  return text;
}

std::string read_state(const std::string& text, const std::string& name, PassState& state) {
  llvm::SMDiagnostic wrong;
  const llvm::MemoryBufferRef buffer(text, name);
  auto module = llvm::parseAssembly(buffer, wrong, state.kernel.module->getContext());
  if (!module)
    return fmt::format("{}:{}:{}: {}", name, wrong.getLineNo(), wrong.getColumnNo() + 1,
                       wrong.getMessage().str());
  std::string why;
  llvm::raw_string_ostream out(why);
  if (llvm::verifyModule(*module, &out)) return fmt::format("{}: {}", name, why);
  module->setTargetTriple(state.kernel.module->getTargetTriple());
  module->setDataLayout(state.kernel.module->getDataLayout());
  state.block = {64, 1, 1};
  state.kernel.module = std::move(module);
  why = MetadataReader(state).run();
  if (why.empty()) why = check_calls(state.kernel);
  if (why.empty()) why = find_code(state);
  if (!why.empty()) return fmt::format("{}: {}", name, why);
  detach(state);
  return {};
}

}  // namespace heddle::jit
