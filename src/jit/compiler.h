// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compiler as the rest of the engine sees it: a function from a kernel and the shape of its
// blocks to an image. It lives in a library of its own, which is loaded when the first kernel is
// compiled: LLVM is large, and most processes never need it.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "base/result.h"
#include "ir/module.h"
#include "jit/image.h"
#include "jit/stage_timer.h"
#include "machine/loaded.h"
#include "machine/trap.h"

namespace heddle::jit {

/// What `heddle jit --dump` shows.
enum class Dump : u8 { none, scalar, uniform, vector, code };

struct Request {
  const ir::Module* module = nullptr;
  ir::FunctionId entry;
  const machine::SharedLayout* shared = nullptr;
  machine::Dim3 block;     ///< the code is for blocks of this shape only
  bool clustered = false;  ///< ... and for clusters of several CTAs, or for none
  Dump dump = Dump::none;
  /// Names of passes after which Compiled::dump gets the code as text; "all": after each.
  std::vector<std::string> print_after;
  std::string cpu;  ///< an LLVM name; empty: this host
  /// Set when the outcome is no longer wanted. Null: it always is.
  const std::atomic<bool>* abandoned = nullptr;
};

struct Compiled {
  Image image;
  std::string dump;
  std::vector<Stage> stages;
};

/// Why a kernel has no code.
struct Failure {
  std::string message;
  /// The kernel is the reason, so the same compiler fails again. False: there is no compiler.
  bool by_kernel = false;
  bool over_budget = false;  ///< it may succeed with more time
};

/// Fails with the reason when this kernel cannot be compiled: it stays in the interpreter.
Result<Compiled, Failure> compile(const Request& request);

/// A run of passes on LLVM IR text, which Request::print_after prints.
struct TextRequest {
  std::string text, name;           ///< `name` is for messages
  std::vector<std::string> passes;  ///< in that order; none: the text is read and printed
  std::vector<std::string> print_after;
  std::string cpu;  ///< an LLVM name; empty: this host
};

/// The text after the last pass, or what print<...> and `print_after` print. Fails with an error in
/// the text, an unknown pass name, or a pass's reason.
Result<std::string> run_passes_on(const TextRequest& request);

struct PassInfo {
  std::string name, what;
  std::string needs, gives, breaks;  ///< properties of the code, with commas between
};

/// All passes in the order in which a kernel runs through them, then those that print. Empty: there
/// is no compiler.
std::vector<PassInfo> list_passes();

/// Whether LLVM can generate code for a processor of that name; true where there is no compiler.
bool knows_cpu(const std::string& name);

/// Which build of the compiler this is, without loading it: the build id of its library. Empty:
/// there is none.
const std::string& compiler_build();

}  // namespace heddle::jit
