// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Heddle's tools in the place of the vendor's.
#pragma once

namespace heddle::audit {

/// If this process runs the vendor's ptxas, nvlink or fatbinary, it becomes Heddle's tool of that
/// name, with the same arguments. Programs start these tools by absolute paths. The tool stays the
/// vendor's if Heddle's is not installed.
void become_tool();

}  // namespace heddle::audit
