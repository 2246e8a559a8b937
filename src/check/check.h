// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The checker, which makes a module of a syntax tree: it checks every rule that a user can break,
// resolves every name and evaluates every constant. A module whose report has no errors can be run.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "diag/report.h"
#include "diag/source.h"
#include "ir/module.h"
#include "syntax/tree.h"

namespace heddle::check {

/// A caller that needs only the report gets a module without bodies and source places, which takes
/// half of the memory.
enum class Want : u8 { module, report };

/// Whether a `.version` newer than the newest known one is an error (known) or a warning (newer).
/// With a warning, unknown features are reported where the module uses them.
enum class Versions : u8 { known, newer };

/// Checks one module. The result is complete only when `report` has no errors.
std::shared_ptr<ir::Module> check(const syntax::Tree& tree, const diag::Source& source,
                                  diag::Report& report, Want want = Want::module,
                                  Versions versions = Versions::known);

/// One input of the linker, or the only one.
struct Input {
  std::string name;  ///< path or "<memory>"
  std::string text;
  bool overrides = false;  ///< its definitions replace those of the same name in other inputs
  bool contract = true;    ///< false: CompileOptions::contract does not hold for this input
};

/// An input that was read and checked by itself.
struct Unit {
  diag::Source source;  ///< behind the preprocessor
  diag::Report report;  ///< in the order of places
  std::shared_ptr<ir::Module> module;
  bool overrides = false;
  bool contract = true;
};
/// Runs the front end on one input: preprocesses it when it has preprocessor directives, parses it
/// and checks it. The error is the preprocessor's, and names the input.
Result<Unit> check_input(Input input, Want want = Want::module,
                         Versions versions = Versions::known);

/// Whether the machine that will run the program has a function of this name (vprintf, malloc).
/// `always`: the machine's function replaces a definition in a module.
enum class Provided : u8 { no, unless_defined, always };
using Provides = Provided (*)(std::string_view function);

/// Which functions of a linked program must be complete: all, or those that its kernels can reach.
/// A linker of relocatable device code takes libraries as a whole, whose unused functions may call
/// undefined functions.
enum class Complete : u8 { everything, what_runs };

/// Whether the inputs are a whole program, or relocatable parts of one. In a whole program of one
/// module an `.extern` variable is its own definition.
enum class Program : u8 { whole, relocatable };

struct CompileOptions {
  /// Contract mul and add that name no rounding (ir/contract.h). HEDDLE_CONTRACT=0 turns it off.
  bool contract = contracts_by_default();
  /// For a device of compute capability 1.x, which has no fma of f32: nothing is contracted, and
  /// mad.f32 of a module for it truncates the product (9.7.3.7).
  bool for_sm_1x = false;
  Complete complete = Complete::everything;
  Program program = Program::whole;
  Versions versions = Versions::known;

  static bool contracts_by_default();
};

/// Links units whose reports have no errors to a module that can be loaded. With `provides` the
/// result is a whole program: every function and variable that it uses is defined in it or
/// provided. Null: `report` has errors, whose places refer to its source, the joined text.
struct Linked {
  std::shared_ptr<const ir::Module> module;
  diag::Checked checked;
};
Linked link(std::vector<Unit> units, Provides provides, const CompileOptions& options);

/// The result for several inputs.
struct Compiled {
  std::shared_ptr<const ir::Module> module;  ///< null when there are errors
  /// The reports of the inputs, in their order, and of the linker; empty ones are left out.
  std::vector<diag::Checked> reports;
  std::vector<Error> failures;  ///< inputs that the preprocessor could not read

  bool has(diag::Kind kind) const;
  /// The reports and failures as text; empty if there are none.
  std::string messages(bool colour = false) const;
};

/// Calls check_input() for each input, and link().
Compiled compile(const std::vector<Input>& inputs, Provides provides = nullptr,
                 const CompileOptions& options = {});

}  // namespace heddle::check
