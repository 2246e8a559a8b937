// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fuzz target: the inventory of any bytes, and fat binaries that are written again.
#include "base/check.h"
#include "image/inventory.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace heddle::image;
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  auto inventory = take_inventory(bytes, "fuzz");
  std::vector<FatEntry> entries;
  for (Piece& piece : inventory.pieces) {
    if (piece.kind == Piece::Kind::damaged) continue;
    piece.entry.content = piece.bytes;
    entries.push_back(piece.entry);
  }
  const std::string written = write_fat_binary(entries);
  const auto again = read_fat_entries(written.data(), written.size());
  HEDDLE_CHECK(again.ok() && again->size() == entries.size());
  return 0;
}
