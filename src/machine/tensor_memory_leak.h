// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A CTA must free its tensor memory before it exits (PTX ISA 9.7.16.1.2).
#pragma once

#include <optional>

#include "machine/engine.h"
#include "machine/tensor_memory.h"

namespace heddle::machine {

/// The trap of a CTA that exits and has not freed its tensor memory, at an instruction that
/// allocated some. None: nothing is allocated; `memory` is null if it was never used.
std::optional<Trap> find_leak(const Launch& launch, Dim3 cta, const TensorMemory* memory);

}  // namespace heddle::machine
