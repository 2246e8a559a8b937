// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Advice for users whose library asks for the tables that the vendor's libraries share with the
// vendor's driver. Heddle has documented interfaces only.
#pragma once

#include <string>
#include <string_view>

namespace heddle::driver {

/// A sentence that says what the user can do. `who`: the path of the library or program that asked.
/// `folder`: that of Heddle's libraries, with a slash at its end.
std::string what_helps(std::string_view who, std::string_view folder);

}  // namespace heddle::driver
