// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compiler, from the top.
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/OptBisect.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/check.h"
#include "base/config.h"
#include "jit/compiler.h"
#include "jit/llvm/dump.h"
#include "jit/llvm/host/codegen.h"
#include "jit/llvm/host/compiler_context.h"
#include "jit/llvm/ir_text.h"
#include "jit/llvm/pass.h"
#include "jit/llvm/verify.h"

namespace heddle::jit {

bool verifies() {
#ifdef NDEBUG
  return config().verify_jit;
#else
  return true;
#endif
}

namespace {

/// LLVM skips optional passes of code generation when the code is no longer wanted.
class Gate final : public llvm::OptPassGate {
 public:
  Gate(llvm::LLVMContext& context, const std::atomic<bool>* abandoned)
      : context_(context), abandoned_(abandoned) {
    context.setOptPassGate(*this);
  }
  ~Gate() override { context_.setOptPassGate(llvm::getGlobalPassGate()); }
  bool isEnabled() const override { return abandoned_ && *abandoned_; }
  bool shouldRunPass(llvm::StringRef, llvm::StringRef) override { return false; }

 private:
  llvm::LLVMContext& context_;
  const std::atomic<bool>* const abandoned_;
};

/// The pass after which a dump shows the code.
const char* last_pass(Dump dump) {
  switch (dump) {
    case Dump::none:
      return nullptr;
    case Dump::scalar:
      return "separate-broadcasts";
    case Dump::uniform:
      return "resolve-waits";
    case Dump::vector:
    case Dump::code:
      return "cold-calls";
  }
  HEDDLE_UNREACHABLE();
}

std::string show(Dump what, PassState& state) {
  const ir::Module& module = *state.request->module;
  if (what == Dump::code) return assembly(state.kernel, state.analyses.target, module);
  return dump(state.code(), state.kernel, module, state.shapes ? &*state.shapes : nullptr);
}

const Pass* find_pass(std::string_view name) {
  for (const auto passes : {all_passes(), printing_passes()}) {
    for (const Pass& pass : passes) {
      if (pass.name == name) return &pass;
    }
  }
  return nullptr;
}

std::string no_such_pass(std::string_view name) {
  return fmt::format("there is no pass '{}': `heddle jit --print-passes` lists them", name);
}

constexpr std::string_view kEvery = "all";

/// Empty: each name is a pass's, or kEvery.
std::string check_names(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (name != kEvery && !find_pass(name)) return no_such_pass(name);
  }
  return {};
}

void print_behind(const Pass& pass, PassState& state, const std::vector<std::string>& wanted,
                  std::string& out) {
  const bool is_wanted = std::ranges::any_of(
      wanted, [&](const std::string& name) { return name == pass.name || name == kEvery; });
  if (!is_wanted || !state.image.code.empty()) return;
  out += fmt::format("; --- {}\n{}\n", pass.name, print_state(state));
}

std::string join_names(Properties properties) {
  std::string all;
  for (unsigned i = 0; i < kProperties; ++i) {
    const auto one = static_cast<Property>(i);
    if (properties.has(one)) all += fmt::format("{}{}", all.empty() ? "" : ", ", name_of(one));
  }
  return all;
}

}  // namespace

Result<std::string> run_passes_here(const TextRequest& request) {
  const CompilerContext::Loan compiler(request.cpu);
  if (!compiler->target) return Error{"LLVM does not know this processor"};
  if (std::string why = check_names(request.print_after); !why.empty()) return Error{why};
  std::vector<const Pass*> passes;
  for (const std::string& name : request.passes) {
    const Pass* pass = find_pass(name);
    if (!pass) return Error{no_such_pass(name)};
    if (pass == all_passes().data())
      return Error{fmt::format("{} is for PTX, and this is LLVM IR", name)};
    passes.push_back(pass);
  }
  PassState state(compiler->context, *compiler->target);
  state.verifies_accesses = true;  // if that pass is in the list
  if (std::string why = read_state(request.text, request.name, state); !why.empty())
    return Error{why};
  std::string printed;
  const Driver driver{nullptr, nullptr,
                      [&](const Pass& pass, PassState& now) {
                        print_behind(pass, now, request.print_after, printed);
                        return true;
                      },
                      true};
  if (std::string why = run_passes(passes, state, find_properties(state), driver); !why.empty())
    return Error{why};
  printed += state.printed;
  return printed.empty() && state.image.code.empty() ? print_state(state) : printed;
}

std::vector<PassInfo> list_passes_here() {
  std::vector<PassInfo> list;
  for (const auto passes : {all_passes(), printing_passes()}) {
    for (const Pass& pass : passes)
      list.push_back({pass.name, pass.what, join_names(pass.needs), join_names(pass.gives),
                      join_names(pass.breaks)});
  }
  return list;
}

Result<Compiled> compile_here(const Request& request) {
  Compiled compiled;
  StageTimer clock(compiled.stages);
  const CompilerContext::Loan compiler(request.cpu);
  if (!compiler->target) return Error{"LLVM does not know this processor"};
  PassState state(compiler->context, *compiler->target);
  state.request = &request;
  state.lanes = &*compiler->lanes;
  state.block = request.block;
  state.verifies_accesses = verifies() && request.dump == Dump::none;
  clock.end("target");

  const char* const last = last_pass(request.dump);
  if (std::string why = check_names(request.print_after); !why.empty()) return Error{why};
  const Gate gate(compiler->context, request.abandoned);
  Driver driver{&compiled.stages, request.abandoned, [&](const Pass& pass, PassState& now) {
                  print_behind(pass, now, request.print_after, compiled.dump);
                  if (!last || std::string_view(last) != pass.name) return true;
                  compiled.dump = show(request.dump, now);
                  return request.dump == Dump::scalar || request.dump == Dump::uniform;
                }};
  std::vector<const Pass*> passes;
  for (const Pass& pass : all_passes()) passes.push_back(&pass);
  if (std::string why = run_passes(passes, state, {}, driver); !why.empty()) return Error{why};
  compiled.image = std::move(state.image);
  return compiled;
}

}  // namespace heddle::jit
