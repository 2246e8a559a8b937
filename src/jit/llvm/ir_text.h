// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compiler's state between two passes as a closed text of LLVM IR: what PassState has beside
// the code is metadata of the module, so a text can be read back and passes be run on it.
//
//     !heddle.kernel = !{!0, !1}                       ; what is not zero
//     !0 = !{!"block", i64 64, i64 1, i64 1}
//     !1 = !{!"shared_bytes", i64 1024}
//     !heddle.sites = !{!2}                            ; by number; what is not as in a new Site
//     !2 = !{!"sem", !"ld", !"space", !"global"}
//     !heddle.locals = !{!3}                           ; bytes, alignment
//     !3 = !{i64 16, i64 4}
#pragma once

#include <string>

#include "jit/llvm/pass.h"

namespace heddle::jit {

/// The module with its metadata, and PTX lines as comments if the request is known.
std::string print_state(PassState& state);

/// Reads such a text into a new state. Returns the error with its place; empty: none.
std::string read_state(const std::string& text, const std::string& name, PassState& state);

}  // namespace heddle::jit
