// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// gen/isa/form_instances.txt: legal and illegal instructions that scripts/isagen.py makes from the
// instruction tables.
#pragma once

#include <string>
#include <vector>

namespace heddle::forms {

struct Instance {
  bool legal = false;
  std::string version, target, instruction, declarations, reason, where;
};

/// The instances of the file; any other line ends the program with a message.
std::vector<Instance> read_instances(const std::string& path);

/// The module with the instruction, in a kernel called `kernel`, and with declarations of the names
/// that it uses. There are no other declarations, so that no other gate applies.
std::string module_of(const Instance& instance);

}  // namespace heddle::forms
