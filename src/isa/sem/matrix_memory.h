// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How rows of A and columns of B in shared memory become words of successive k: the same for both,
// so they are called vectors here. matrix_descriptor.h says where chunks of memory lie.
#pragma once

#include <cstring>

#include "isa/sem/matrix_descriptor.h"
#include "isa/sem/matrix_product.h"

namespace heddle::sem {

inline constexpr u32 kMostVectors = 16;

/// Vectors [first, first + count) of an operand: `words` words of each, a multiple of kGroup. An
/// element has `bytes` bytes in memory.
struct MatrixVectors {
  Major major;
  u32 first, count, words, bytes;
};

/// Calls put(vector, group, four words) for all groups of all vectors; `vector` counts from 0.
/// load_chunk(row, chunk, bytes) reads a chunk of memory.
template <class Element, class LoadChunk, class Put>
inline void load_transposed(const MatrixVectors& v, LoadChunk load_chunk, Put put) {
  constexpr u32 kPerWord = 4 / sizeof(Element), kPerChunk = kMatrixChunk / sizeof(Element);
  for (u32 group = 0; group < v.words / kGroup; ++group) {
    u32 words[kMostVectors][kGroup] = {};
    for (u32 i = 0; i < kGroup * kPerWord; ++i) {
      Element chunk[kPerChunk];
      u32 loaded = ~0u;
      for (u32 vector = 0; vector < v.count; ++vector) {
        const u32 at = v.first + vector;
        if (at / kPerChunk != loaded) {
          loaded = at / kPerChunk;
          u8 bytes[kMatrixChunk];
          load_chunk(group * kGroup * kPerWord + i, loaded, bytes);
          std::memcpy(chunk, bytes, sizeof chunk);
        }
        words[vector][i / kPerWord] |= static_cast<u32>(chunk[at % kPerChunk])
                                       << (i % kPerWord * 8 * sizeof(Element));
      }
    }
    for (u32 vector = 0; vector < v.count; ++vector) put(vector, group, words[vector]);
  }
}
template <class LoadChunk, class Put>
inline void load_vectors(const MatrixVectors& v, LoadChunk load_chunk, Put put) {
  if (v.major == Major::mn) {
    switch (v.bytes) {
      case 1:
        return load_transposed<u8>(v, load_chunk, put);
      case 2:
        return load_transposed<u16>(v, load_chunk, put);
      default:
        return load_transposed<u32>(v, load_chunk, put);
    }
  }
  for (u32 vector = 0; vector < v.count; ++vector) {
    for (u32 group = 0; group < v.words / kGroup; ++group) {
      u8 bytes[kMatrixChunk];
      load_chunk(v.first + vector, group, bytes);
      u32 words[kGroup];
      std::memcpy(words, bytes, sizeof words);
      put(vector, group, words);
    }
  }
}

}  // namespace heddle::sem
