// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From cases to kernels in modules, each with a `.version` and `.target`.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "case_kernel.h"

namespace heddle::isa_cases {

/// A `.version` and `.target` under which a kernel is legal.
struct Place {
  isa::PtxVersion version;
  isa::Target target;

  /// Versions below 2.3 have no .address_size, and addresses of 32 bits.
  u32 address_bits() const { return version < isa::PtxVersion{2, 3} ? 32 : 64; }
  std::string header() const;
};

/// One kernel.
struct Job {
  const Group* group;
  bool immediate = false;  ///< inputs are immediates: every row of the output is a case
  std::vector<const Case*> cases;
  std::string name, text;
};

/// Kernels for one module.
struct Batch {
  Place place;
  std::vector<Job> jobs;
};

struct Plan {
  std::vector<Group> groups;
  std::vector<Batch> batches;
  std::vector<const Case*> nowhere;  ///< no version and target has their instruction
};

/// Chooses the newest version, with a plain target if possible, for each instruction.
Plan plan(const std::vector<Case>& cases);

}  // namespace heddle::isa_cases
