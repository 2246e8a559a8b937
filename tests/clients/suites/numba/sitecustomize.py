# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Hides nvJitLink, which produces machine code, also in the processes that tests start: the driver links, as on a
machine where that library is not installed. (cuda.core needs the module while it is imported.)"""

import sys

try:
    import cuda.bindings
    import cuda.core  # noqa: F401
except ImportError:
    pass
else:
    sys.modules["cuda.bindings.nvjitlink"] = None
    if hasattr(cuda.bindings, "nvjitlink"):
        del cuda.bindings.nvjitlink
