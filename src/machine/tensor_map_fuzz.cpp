// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Any 128 bytes are a map with a fault that can be explained, or one whose fields survive packing
// and whose boxes have rows of a size that copies can hold.
#include <cstring>

#include "base/check.h"
#include "isa/sem/tensor_box.h"
#include "machine/tensor_map_text.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace heddle;
  constexpr u32 kCoordinates = 5, kInfo = 3, kMostRuns = 1 << 16, kMostRowBytes = 2048;
  struct {
    sem::TensorMapWords words;
    s32 coordinates[kCoordinates];
    u16 info[kInfo];
    u8 mode;
  } input{};
  std::memcpy(&input, data, size < sizeof input ? size : sizeof input);
  const sem::TensorMap map = sem::unpack_tensor_map(input.words);
  const sem::TensorMapFault fault = tensor_map_fault(input.words, map);
  HEDDLE_CHECK(machine::describe(fault, map).empty() == (fault == sem::TensorMapFault::none));
  if (fault != sem::TensorMapFault::none) return 0;
  sem::TensorMapWords again;
  pack_tensor_map(map, again);
  HEDDLE_CHECK(tensor_map_fault(again, sem::unpack_tensor_map(again)) == fault);

  const auto mode = static_cast<sem::LoadMode>(input.mode % 8);
  const sem::TensorOperands operands{mode, map.rank, input.coordinates, input.info};
  if (tensor_box_fault(map, operands) != sem::TensorBoxFault::none) return 0;
  sem::TensorBox box = tensor_box(map, operands);
  HEDDLE_CHECK(box.begin <= box.end && box.end <= box.elements);
  HEDDLE_CHECK(box.row_bytes() <= kMostRowBytes &&
               box.shared_bytes() / box.row_bytes() == box.rows.count());
  u64 rows = 0;
  for (u64 i = 0; rows < box.rows.count() && i < kMostRuns; ++i) {
    const sem::TensorRun run = box.rows.next();
    HEDDLE_CHECK(run.count > 0 && (run.address == sem::kNoRow || run.address % 16 == 0));
    rows += run.count;
    HEDDLE_CHECK(rows <= box.rows.count());
  }
  return 0;
}
