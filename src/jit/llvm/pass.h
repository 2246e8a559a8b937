// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compiler is a table of passes (pipeline.cpp). What a pass works on is a PassState; one
// driver, run_passes(), runs passes, measures their time, verifies what they promise and has their
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
#include "jit/stages.h"

namespace heddle::jit {

class LaneFunctions;

/// What may hold of the code. check_property() says how one finds out.
enum class Property : u8 {
  thread,         ///< the code is that of one thread: PassState::kernel has a function
  one_function,   ///< no other function has a body, but those of is_inlined_late()
  inlined,        ///< no other function has one
  promoted,       ///< registers and local variables are values or lie in local memory: no alloca
  sites,          ///< each access has a Site of its own
  natural_loops,  ///< loops have one entry, one latch and exits of their own; no switch; one return
  lcssa,          ///< what leaves a loop goes through a phi node at its exit
  scalar_phis,    ///< no phi node is of a struct
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

  /// The function that passes work on: the thread's, then the CTAs'.
  llvm::Function& code() { return vectorized.function ? *vectorized.function : *kernel.function; }

  const Request* request = nullptr;  ///< null: the code was read as text
  LaneFunctions* lanes = nullptr;    ///< for lowering
  Analyses analyses;
  ScalarKernel kernel;
  machine::Dim3 block;
  std::optional<Shapes> shapes;
  Vectorized vectorized;
  Image image;
  bool verifies_accesses = false;  ///< the code looks at each of its accesses when it runs
  std::string printed;             ///< by print<...>
};

struct Pass {
  const char* name;
  const char* what;
  /// Returns why this kernel cannot be compiled; empty: it can. A pass that does not give shapes
  /// makes those that were known invalid.
  std::string (*run)(PassState&);
  Properties needs = {}, gives = {}, breaks = {};
  /// LLVM's own, which keep the results of analyses valid. Behind others those are thrown away.
  bool is_llvm = false;
  bool is_analysis = false;  ///< it changes nothing
};

/// From PTX to machine code, in this order.
std::span<const Pass> all_passes();
/// print<shapes> and its like: what an analysis finds. They change nothing.
std::span<const Pass> printing_passes();

struct Driver {
  std::vector<Stage>* stages = nullptr;          ///< CPU time of each pass, by name
  const std::atomic<bool>* abandoned = nullptr;  ///< set when nobody wants the result any more
  std::function<bool(const Pass&, PassState&)> after;  ///< false: stop here
  /// Asks behind each pass which properties hold: passes come in an order of somebody's own.
  bool finds_properties = false;
};

/// Runs passes one after the other, on code of which `have` holds. Fails with a pass's reason.
std::string run_passes(std::span<const Pass* const> passes, PassState& state, Properties have,
                       const Driver& driver);

/// The properties that hold.
Properties find_properties(PassState& state);

/// Why the property does not hold; empty: it does. LLVM's verifier is asked in any case.
std::string check_property(Property property, PassState& state);

}  // namespace heddle::jit
