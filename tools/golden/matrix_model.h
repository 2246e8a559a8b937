// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What mma instructions are believed to compute on sm_90, until a GPU has been asked: the products
// are exact, the summands are cut to a common exponent and added exactly, and the sum is rounded
// once. A recording says whether that is so, profile by profile.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "matrix.h"
#include "recording.h"

namespace heddle::golden {

/// Elements as bits, row after row: A is m x k, B is k x n, C and D are m x n.
struct Matrices {
  std::vector<u64> a, b, c;
};

/// Whether there is a model: dense mma of warps, but for the one of four quarters (m8n8k4 of f16).
bool has_model(const MatrixInstruction& instruction);

/// A times B plus C.
std::vector<u64> multiply(const MatrixInstruction& instruction, const Matrices& matrices);

/// The matrices of a case of the recordings, and the words of D as it is recorded.
Matrices matrices_of(const MatrixInstruction& instruction, u32 number);
std::vector<u32> words_of(const MatrixInstruction& instruction, const std::vector<u64>& d);

/// Cases of each profile, and those among them whose recorded sum is not the model's.
struct Agreement {
  std::array<u32, kProfiles> cases{}, different{};
  std::string first;  ///< of the recorded results as they are, the first that differs, for people
};
Agreement compare_with_model(const MatrixInstruction& instruction, const Record& record);

}  // namespace heddle::golden
