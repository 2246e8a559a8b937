// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A model of mma instructions on sm_90, not yet compared with a GPU: the products are exact, the
// summands are truncated at a common exponent and added exactly, and the sum is rounded once. A
// recording of a GPU shows, for each profile, whether the model is right.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "matrix.h"
#include "recording.h"

namespace heddle::golden {

/// Elements as bits, row by row: A is m x k, B is k x n, C and D are m x n.
struct Matrices {
  std::vector<u64> a, b, c;
};

/// Whether there is a model: for dense mma of warps, except the one of four quarters (m8n8k4 of
/// f16).
bool has_model(const MatrixInstruction& instruction);

/// A times B plus C.
std::vector<u64> multiply(const MatrixInstruction& instruction, const Matrices& matrices);

/// The matrices of a case, and the words of D in the layout of recordings.
Matrices matrices_of(const MatrixInstruction& instruction, u32 number);
std::vector<u32> words_of(const MatrixInstruction& instruction, const std::vector<u64>& d);

/// The number of cases of each profile, and of cases whose recorded sum differs from the model's.
struct Agreement {
  std::array<u32, kProfiles> cases{}, different{};
  std::string first;  ///< the first raw result that differs, for people
};
Agreement compare_with_model(const MatrixInstruction& instruction, const Record& record);

}  // namespace heddle::golden
