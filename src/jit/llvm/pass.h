// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compiler is a table of passes (pipeline.cpp). Passes work on a PassState; one driver,
// run_passes(), runs them, measures their time, verifies the properties that they establish and has
// results printed.
#pragma once

#include <atomic>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "jit/image.h"
#include "jit/llvm/analyses.h"
#include "jit/llvm/analysis/shape.h"
#include "jit/llvm/scalar.h"
#include "jit/llvm/vector/vectorize.h"
#include "jit/stage_timer.h"

namespace heddle::jit {

class LaneFunctions;

/// Properties of the code. check_property() checks them.
enum class Property : u8 {
  thread,         ///< the code is that of one thread: PassState::kernel has a function
  one_function,   ///< no other function has a body, except those of is_inlined_late()
  inlined,        ///< no other function has a body
  promoted,       ///< registers and local variables are values or lie in local memory: no alloca
  sites,          ///< each access has a Site of its own
  natural_loops,  ///< loops have one entry, one latch and exits of their own; no switch; one return
  lcssa,          ///< values that leave a loop go through a phi node at its exit
  scalar_phis,    ///< no phi node has a struct type
  shapes,         ///< PassState::shapes are those of the code
  vectors,        ///< the code is that of the CTAs: PassState::vectorized has a function
  regions,        ///< barriers have cut the code: no call of kRegionEnd is left
  image,          ///< PassState::image has machine code
};
inline constexpr unsigned kProperties = 12;

class Properties {
 public:
  constexpr Properties() = default;
  constexpr Properties(std::initializer_list<Property> all) {
    for (const Property one : all) bits_ |= bit(one);
  }
  constexpr bool has(Property one) const { return bits_ & bit(one); }
  constexpr void add(Properties more) { bits_ |= more.bits_; }
  constexpr void remove(Properties some) { bits_ &= ~some.bits_; }

 private:
  static constexpr u32 bit(Property one) { return u32{1} << static_cast<unsigned>(one); }
  u32 bits_ = 0;
};

const char* name_of(Property property);

struct PassState {
  PassState(llvm::LLVMContext& context, llvm::TargetMachine& target);

  /// The function that passes work on: that of one thread, then that of the CTAs.
  llvm::Function& code() { return vectorized.function ? *vectorized.function : *kernel.function; }

  const Request* request = nullptr;  ///< null: the code was read as text
  LaneFunctions* lanes = nullptr;    ///< for lowering
  Analyses analyses;
  ScalarKernel kernel;
  machine::Dim3 block;
  std::optional<Shapes> shapes;
  Vectorized vectorized;
  Image image;
  bool verifies_accesses = false;  ///< the code verifies each of its accesses at run time
  std::string printed;             ///< by print<...>
};

struct Pass {
  const char* name;
  const char* what;
  /// Returns why this kernel cannot be compiled; empty: it can. Known shapes are invalid after a
  /// pass that does not establish them.
  std::string (*run)(PassState&);
  Properties needs = {}, gives = {}, breaks = {};
  /// LLVM's own passes keep analysis results valid; after other passes all are discarded.
  bool is_llvm = false;
  bool is_analysis = false;  ///< it changes nothing
};

/// All passes from PTX to machine code, in order.
std::span<const Pass> all_passes();
/// Passes that print the result of an analysis, and change nothing.
std::span<const Pass> printing_passes();

struct Driver {
  std::vector<Stage>* stages = nullptr;                ///< CPU time of each pass, by name
  const std::atomic<bool>* abandoned = nullptr;        ///< set when the result is no longer wanted
  std::function<bool(const Pass&, PassState&)> after;  ///< false: stop here
  /// Checks after each pass which properties hold: for passes in an order that a user chose.
  bool finds_properties = false;
};

/// Runs passes one after the other, on code with the properties `have`. Fails with a pass's reason.
std::string run_passes(std::span<const Pass* const> passes, PassState& state, Properties have,
                       const Driver& driver);

/// The properties that the code has.
Properties find_properties(PassState& state);

/// Why the code does not have the property; empty: it has. Runs LLVM's verifier in any case.
std::string check_property(Property property, PassState& state);

}  // namespace heddle::jit
