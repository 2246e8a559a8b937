// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Grids of fragments of a warp (isa/sem/matrix_fragments.h). A cell is a register, or the part of
// an f16 accumulator that would be one of an f32 accumulator.
#pragma once

#include "isa/sem/matrix_fragments.h"
#include "picture.h"

namespace heddle::layouts {

/// `name`: of the elements, `a`. `title`: of the grid.
Grid fragment_grid(const sem::Fragment& fragment, std::string_view name, std::string title);

/// A, B, and C and D as they stand beside each other in a product. `bits`: of an element of A and
/// B; `stored_k`: columns of A.
std::vector<PlacedGrid> product_grids(u32 m, u32 n, u32 k, u32 bits, u32 stored_k);

/// The notes of all products. `bits`: of an element of A; `two_halves`: C and D may be f16.
std::vector<std::string> product_notes(u32 bits, bool two_halves);

}  // namespace heddle::layouts
