// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The linker accepts any bytes as an input or refuses them with a reason: archives, object files,
// fat binaries, linked images, texts.
#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "image/link_input.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace heddle;
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  for (const char* device : {"", "t4"}) {
    const auto input = image::read_link_input(bytes, *machine::find_profile(device), "fuzz");
    HEDDLE_CHECK(input.status == image::Status::ok || !input.why.empty());
    HEDDLE_CHECK(input.status == image::Status::ok || input.units.empty());
  }
  return 0;
}
