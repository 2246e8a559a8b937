# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kernel of an instruction."""

from kernel import Kernel, WmmaKernel
from tcgen05 import Tcgen05Kernel
from wgmma import WgmmaKernel


def kernel_of(op):
    return {"mma": Kernel, "wmma": WmmaKernel, "wgmma": WgmmaKernel, "tcgen05": Tcgen05Kernel}[op.unit](op)
