#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls every function that libnvidia-ml.so.1 exports, with minimal arguments.

    every_function.py LIBNVIDIA_ML

Numbers are zero and pointers null; handles of devices are null or wrong first, and right then. The test checks that

- no call crashes;
- before nvmlInit a function returns NVML_ERROR_UNINITIALIZED, unless the list says `always`;
- a wrong handle of a device, and null for a pointer, is NVML_ERROR_INVALID_ARGUMENT;
- a function that is not written returns NVML_ERROR_NOT_SUPPORTED.

The list of functions is src/nvml/functions.list; a new function needs no change here.
"""

import ctypes
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import nvmlgen  # noqa: E402

SUCCESS, UNINITIALIZED, INVALID_ARGUMENT, NOT_SUPPORTED, NOT_FOUND = 0, 1, 2, 3, 6
HANDLES = {"nvmlUnit_t", "nvmlGpuInstance_t", "nvmlComputeInstance_t", "nvmlEventSet_t", "nvmlGpmSample_t"}
# No pointer among their parameters but a handle, which is null here.
WITHOUT_POINTERS = {"nvmlEventSetFree": INVALID_ARGUMENT, "nvmlDeviceRegisterEvents": INVALID_ARGUMENT}


def arguments(function, device):
    """Null and zero, and `device` for a device."""
    out = []
    for param in function.params:
        if param.type == "nvmlDevice_t":
            out.append(ctypes.c_void_p(device))
        elif param.type.endswith("*") or param.type in HANDLES:
            out.append(ctypes.c_void_p())
        elif param.type == "unsigned long long":
            out.append(ctypes.c_ulonglong(0))
        else:
            out.append(ctypes.c_int(0))
    return out


def expected(function, is_right):
    """The result in an initialised library; `is_right`: the handles are."""
    if not is_right and any(p.type == "nvmlDevice_t" for p in function.params):
        return INVALID_ARGUMENT
    if function.state == "-":
        return NOT_SUPPORTED
    if any(p.type.endswith("*") and not p.optional for p in function.params):
        return INVALID_ARGUMENT
    return WITHOUT_POINTERS.get(function.symbol, SUCCESS)


def main():
    library = ctypes.CDLL(sys.argv[1])
    functions = [f for f in nvmlgen.parse_list((ROOT / "src/nvml/functions.list").read_text())
                 if f.result == "nvmlReturn_t" and not f.symbol.startswith(("nvmlInit", "nvmlShutdown"))]
    wrong = []

    def check(function, device, want, when):
        got = getattr(library, function.symbol)(*arguments(function, device))
        if got != want:
            wrong.append(f"{function.symbol} {when}: {got}, not {want}")

    for function in functions:
        check(function, None, expected(function, False) if function.state == "always" else UNINITIALIZED, "before nvmlInit")
    assert library.nvmlInit_v2() == SUCCESS
    device = ctypes.c_void_p()
    assert library.nvmlDeviceGetHandleByIndex_v2(0, ctypes.byref(device)) == SUCCESS
    for function in functions:
        for handle in (None, 1, device.value + 1, device.value + 4):
            check(function, handle, expected(function, False), f"with the handle {handle}")
        check(function, device.value, expected(function, True), "with a device")
    print("\n".join(wrong), end="\n" if wrong else "")
    print(f"{len(functions)} functions called")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
