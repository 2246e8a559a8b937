// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who asks for tables that the vendor's own libraries share with the vendor's driver, and what
// helps there. Heddle has documented interfaces only.
#pragma once

#include <string>
#include <string_view>

namespace heddle::driver {

/// What a user can do. `who`: the path of the library or program that asked; `folder`: where
/// Heddle's libraries are, with the slash at its end.
std::string what_helps(std::string_view who, std::string_view folder);

}  // namespace heddle::driver
