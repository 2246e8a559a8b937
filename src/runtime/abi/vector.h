// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The two vector types that the interface itself uses: sizes of grids and blocks, and places in
// them. Part of runtime/abi.h; names, values and layouts are the published interface, checked
// against the toolkit by tests/runtime/abi_compare.py.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

struct uint3 {
  unsigned int x, y, z;
};
typedef struct uint3 uint3;

struct dim3 {
  unsigned int x, y, z;
};
typedef struct dim3 dim3;

#ifdef __cplusplus
}  // extern "C"
#endif
