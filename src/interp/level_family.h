// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The body of a generated source file (see CMakeLists.txt), which defines HEDDLE_FAMILY and
// HEDDLE_FAMILY_INC and includes the family's semantics before this: the lane handlers of one
// instruction family at one CPU level.
#include "interp/lane.h"

#define HEDDLE_PASTE_(a, b) a##b
#define HEDDLE_PASTE(a, b) HEDDLE_PASTE_(a, b)

namespace heddle::interp {
inline namespace HEDDLE_LEVEL {

extern const Handlers HEDDLE_PASTE(lanes_, HEDDLE_FAMILY)[];
const Handlers HEDDLE_PASTE(lanes_, HEDDLE_FAMILY)[] = {
#if defined(HEDDLE_QUICK_LEVEL) && defined(HEDDLE_RARE_FAMILY)
#define HEDDLE_LANE(index, ...) lane_run<&__VA_ARGS__>,
#else
#define HEDDLE_LANE(index, ...) lane<&__VA_ARGS__>,
#endif
#define HEDDLE_NO_LANE(index) nullptr,
#include HEDDLE_FAMILY_INC
};

}  // namespace HEDDLE_LEVEL
}  // namespace heddle::interp
