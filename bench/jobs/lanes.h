// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vector types of clang, for native loops that clang does not vectorize.
#pragma once

#include <cstring>

namespace heddle::bench {

inline constexpr int kLanes = 16;
using Floats = float __attribute__((ext_vector_type(kLanes)));
using Words = unsigned __attribute__((ext_vector_type(kLanes)));
using Ints = int __attribute__((ext_vector_type(kLanes)));

template <class V, class T>
inline V load(const T* from) {
  V v;
  std::memcpy(&v, from, sizeof v);
  return v;
}

template <class V, class T>
inline void store(T* to, V v) {
  std::memcpy(to, &v, sizeof v);
}

/// Transposes 16 x 16 words: four rounds that interleave row i with row i + 8.
inline void transpose(Words (&rows)[kLanes]) {
  for (int round = 0; round < 4; ++round) {
    Words next[kLanes];
    for (int i = 0; i < kLanes / 2; ++i) {
      const Words a = rows[i], b = rows[i + kLanes / 2];
      next[2 * i] =
          __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
      next[2 * i + 1] = __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29,
                                                14, 30, 15, 31);
    }
    std::memcpy(rows, next, sizeof rows);
  }
}

}  // namespace heddle::bench
