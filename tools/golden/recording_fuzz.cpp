// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reading any bytes gives a recording or an error, and reading any text gives a table or an error;
// a recording that is written and read is the same, and can be compared with itself.
#include <cstddef>

#include "base/check.h"
#include "compare.h"
#include "instance.h"
#include "matrix.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace heddle::golden;
  const auto recording = read({data, size});
  if (recording.ok()) {
    HEDDLE_CHECK(write(*recording) == std::vector<heddle::u8>(data, data + size));
    (void)compare(*recording, *recording, {});
  } else {
    HEDDLE_CHECK(!recording.error().message.empty());
  }
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  // The number of lines grows exponentially with the alternatives.
  if (size > 200) return 0;
  if (const auto instances = read_instances(text); instances.ok()) {
    for (const Instance& instance : *instances)
      HEDDLE_CHECK(!make_subject(instance, "k").kernel.empty());
  }
  if (const auto matrices = read_matrices(text); matrices.ok()) {
    for (const MatrixInstruction& matrix : *matrices)
      HEDDLE_CHECK(!make_subject(matrix, "k").kernel.empty());
  }
  return 0;
}
