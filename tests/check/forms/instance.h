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

/// The lines of the file; a line that is none of them ends the program with a message.
std::vector<Instance> read_instances(const std::string& path);

/// The module that holds the instruction, in a kernel called `kernel`, with what its names stand
/// for; nothing that it does not name, so that no other gate is in the way.
std::string module_of(const Instance& instance);

}  // namespace heddle::forms
