// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The body of a generated source file (see CMakeLists.txt), compiled to bitcode: the lane functions
// of one instruction family, and a table through which the compiler finds them. Operands go through
// memory, so nothing depends on how the host passes structs; once a call is inlined they are values
// again.
#include <cstddef>
#include <type_traits>

#include "isa/sem/float.h"

namespace heddle::jit {

/// Semantics reads the fields by their order.
struct LaneEntry {
  const void* function;
  unsigned result_bytes, second_offset, second_bytes, late_canonical, operands, operand_bytes[12];
};

template <class R>
struct Results {
  using Out = R;
  static constexpr unsigned kBytes = sizeof(R), kSecond = 0, kSecondBytes = 0, kLate = 0;
  static constexpr R out(R value) { return value; }
};
template <>
struct Results<sem::LateCanonical> {
  using Out = sem::f32;
  static constexpr unsigned kBytes = sizeof(Out), kSecond = 0, kSecondBytes = 0, kLate = 1;
  static constexpr Out out(sem::LateCanonical value) { return value.raw; }
};
template <class A, class B>
struct Results<sem::Two<A, B>> {
  using Out = sem::Two<A, B>;
  static constexpr unsigned kBytes = sizeof(A), kSecond = __builtin_offsetof(Out, second),
                            kSecondBytes = sizeof(B), kLate = 0;
  static constexpr Out out(Out value) { return value; }
};

template <auto F>
struct Lane;
template <class R, class... Params, R (*F)(Params...)>
struct Lane<F> {
  using To = Results<R>;
  static void run(typename To::Out* out, const Params*... in) { *out = To::out(F(*in...)); }
  static const LaneEntry entry;
};
template <class R, class... Params, R (*F)(Params...)>
inline const LaneEntry Lane<F>::entry = {reinterpret_cast<const void*>(&run),
                                         To::kBytes,
                                         To::kSecond,
                                         To::kSecondBytes,
                                         To::kLate,
                                         sizeof...(Params),
                                         {sizeof(Params)...}};

}  // namespace heddle::jit

extern "C" {
extern const heddle::jit::LaneEntry* const lanes[];
[[gnu::used]] const heddle::jit::LaneEntry* const lanes[] = {
#define HEDDLE_LANE(index, ...) &heddle::jit::Lane<&__VA_ARGS__>::entry,
#define HEDDLE_NO_LANE(index) nullptr,
#include HEDDLE_FAMILY_INC
};
}
