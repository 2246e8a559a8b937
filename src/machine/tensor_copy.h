// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Moves boxes of tensors between global and shared memory (PTX ISA 9.7.9.27.1).
// isa/sem/tensor_box.h says where the rows of a box lie; here they are copied, filled, converted,
// swizzled and reduced.
//
// Each row is checked against the memory that kernels may access before it is touched; an access to
// a page of it without memory is a fault of the host, as it is for all accesses. Addresses of
// shared memory are host addresses, and the caller has checked them.
#pragma once

#include <optional>
#include <span>

#include "isa/groups.h"
#include "isa/sem/tensor_box.h"
#include "machine/read_modify_write.h"

namespace heddle::machine {

class Memory;

/// The range of shared memory that a box at `address` may touch: with swizzling, whole lines.
struct SharedExtent {
  u64 begin, bytes;
};
SharedExtent shared_extent(const sem::TensorBox& box, u64 address);

/// Loads the box, whose rows it uses up, to each of `targets`. Returns the first address of the
/// tensor that a kernel may not access; none: done. So do the others.
std::optional<u64> load_box(const Memory& memory, sem::TensorBox& box,
                            std::span<const u64> targets);
std::optional<u64> store_box(const Memory& memory, sem::TensorBox& box, u64 source);
std::optional<u64> reduce_box(const Memory& memory, sem::TensorBox& box, u64 source,
                              const AtomicFunction& function);

/// The function by which cp.reduce.async.bulk.tensor combines elements of a type; null: the
/// instruction does not have this combination.
const AtomicFunction* tensor_reduction(isa::Atomop op, sem::TensorType type);

}  // namespace heddle::machine
