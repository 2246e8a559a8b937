// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Any bytes are read as an entry of the cache or refused, packed and unpacked. Mutants of a packed
// entry seldom pass its checksum, so the parser behind it also gets them directly. An entry that
// was read is written and read again as the same.
#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "jit/entry.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace heddle;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  ir::Module module;
  module.functions.resize(1);
  for (const auto& entry : {jit::read_entry(bytes), jit::parse_entry(bytes)}) {
    if (!entry) continue;
    if (const auto* image = std::get_if<jit::Image>(&entry->content)) jit::is_sound(*image, module);
    const std::string written = jit::write_entry(*entry);
    const auto again = jit::read_entry(written);
    HEDDLE_CHECK(again && again->key == entry->key && jit::write_entry(*again) == written);
  }
  return 0;
}
