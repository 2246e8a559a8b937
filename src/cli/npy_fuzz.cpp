// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parsing any bytes gives an array or an error, and an array that is written and read again is the
// same.
#include <cstddef>

#include "base/check.h"
#include "cli/npy.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace heddle;
  const auto array = cli::parse_npy({reinterpret_cast<const char*>(data), size});
  if (!array.ok()) {
    HEDDLE_CHECK(!array.error().message.empty());
    return 0;
  }
  const auto again = cli::parse_npy(cli::print_npy(*array));
  HEDDLE_CHECK(again.ok());
  HEDDLE_CHECK(again->type == array->type && again->shape == array->shape &&
               again->bytes == array->bytes);
  return 0;
}
