#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Renews the committed PTX from a build: ptx/update.sh <build>/tests/kernels/clang_sm75
# With these files the kernels run where no CUDA compiler is installed, and they stay the same when
# the compiler changes. cluster.ptx and branch_table.ptx are written by hand.
set -eu
from=$1
cd "$(dirname "$0")"
for name in atomics bitonic elementwise globals histogram indirect_call int64 mandelbrot matmul \
            recursion reduce scan sha256 spinlock strided transpose vote; do
  {
    echo "// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"
    echo "// Made from $name.cu by clang 19 -O2 and ptx/update.sh."
    cat "$from/$name.ptx"
  } > "$name.ptx"
done
