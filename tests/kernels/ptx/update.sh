#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Renews the committed PTX from a build: ptx/update.sh <build>/tests/kernels
# With these files the kernels run where no CUDA compiler is installed, and they stay the same when
# the compiler changes. cluster.ptx and branch_table.ptx are written by hand.
set -eu
build=$(realpath "$1")
cd "$(dirname "$0")"
# renew FOLDER COMPILER NAMES...
renew() {
  from=$build/$1 compiler=$2
  shift 2
  for name in "$@"; do
    {
      echo "// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"
      echo "// Made from $name.cu by $compiler and ptx/update.sh."
      cat "$from/$name.ptx"
    } > "$name.ptx"
  done
}
renew clang_sm75 "clang 19 -O2" atomics bitonic elementwise globals histogram indirect_call int64 \
  mandelbrot matmul recursion reduce scan sha256 spinlock strided transpose vote
renew nvcc "nvcc 13.0" wmma  # which needs the headers of nvcc
