#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Renews the committed PTX that nvcc 13.0 makes, all of it or one kernel file: ptx/update_nvcc.sh [NAME]
# The targets of these kernels are newer than the compilers that a build may find; or the kernels need nvcc's headers.
set -eu
cd "$(dirname "$0")"
for entry in wgmma_gemm:90a tensor_maps:90a tcgen05_gemm:100a mma_fp4:120a textures:75; do
  name=${entry%:*}
  [ "${1:-$name}" = "$name" ] || continue
  {
    echo "// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"
    echo "// Made from $name.cu by nvcc and ptx/update_nvcc.sh."
    nvcc -ptx -arch="compute_${entry#*:}" -fmad=false -std=c++17 -I.. "../$name.cu" -o /dev/stdout | cat
  } > "$name.ptx"
done
