// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machine/tensor_map_text.h"

#include <fmt/ranges.h>

#include <span>

namespace heddle::machine {

using sem::TensorMap;
using sem::TensorMapFault;
using sem::TensorMode;

namespace {

template <class T, std::size_t kCount>
std::string joined(const T (&list)[kCount], u32 count) {
  return fmt::format("{}",
                     fmt::join(std::span(list).first(std::min<std::size_t>(count, kCount)), " x "));
}

}  // namespace

std::string describe(TensorMapFault fault, const TensorMap& map, sem::TensorLimits limits) {
  const bool padded = is_padded(map.type);
  const u32 unit = tensor_unit(map.type, limits), row = padded_row(map.type, limits);
  const std::string rows = row < 128 ? fmt::format("{} or 128", row) : "128";
  switch (fault) {
    case TensorMapFault::none:
      break;
    case TensorMapFault::not_a_map:
      return "these 128 bytes are no tensor map";
    case TensorMapFault::rank:
      return fmt::format("the rank is {}, must be {} to 5", map.rank,
                         map.mode == TensorMode::tile ? 1 : 3);
    case TensorMapFault::address:
      return fmt::format("the tensor is at {:#x}, no multiple of {}", map.address, unit);
    case TensorMapFault::dimension:
      return fmt::format("the dimensions {} must be 1 to 2^32{}", joined(map.dims, map.rank),
                         padded ? fmt::format(", the first one a multiple of {}", row)
                         : map.type == sem::TensorType::b4x16 ? ", the first one even"
                                                              : "");
    case TensorMapFault::stride:
      return fmt::format("the strides {} must be multiples of {}, and less than 2^40",
                         joined(map.strides, map.rank - 1u), unit);
    case TensorMapFault::box:
      return fmt::format("the box {} must have 1 to 256 elements in each dimension, {}",
                         joined(map.box, map.rank),
                         padded ? fmt::format("and {} in dimension 0", rows)
                                : "and in dimension 0 a multiple of 16 bytes");
    case TensorMapFault::element_stride:
      return fmt::format("the strides of elements {} must be 1 to 8",
                         joined(map.element_strides, map.rank));
    case TensorMapFault::interleave:
      return "Heddle does not know interleaved layouts";
    case TensorMapFault::swizzle:
      return "the swizzling mode does not go with its atomicity, with the type or with "
             "im2col::w::128";
    case TensorMapFault::swizzle_span:
      return fmt::format(
          "a row of the box has {} bytes; with this swizzling mode it must have a "
          "multiple of 16, and at most {}",
          bytes_in_shared(map.type, map.row_elements()), swizzle_span(map.swizzle_mode));
    case TensorMapFault::fill:
      return "elements outside of the tensor can be NaN only if the type is a float";
    case TensorMapFault::corner:
      return "the bounding box is empty, or a corner is out of its range";
    case TensorMapFault::channels:
      return fmt::format("{} channels of a pixel, must be {}", map.channels,
                         padded ? rows : "1 to 256, of whole bytes");
    case TensorMapFault::pixels:
      return fmt::format("{} pixels of a column, must be 1 to 1024", map.pixels);
  }
  return {};
}

}  // namespace heddle::machine
