#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares Heddle's ABI of the management library with the vendor's header, if that is installed.

    abi_compare.py --cxx COMPILER [--toolkit DIR] [--keep FILE]

Compares every enumerator, constant, type and struct member of src/nvml/abi/ with nvml.h, and every function of
src/nvml/functions.list, as text: types that only unsupported functions use have no members here. DIR/include/nvml.h is
in a CUDA toolkit, and in Python's package nvidia-nvml-dev.
Exit status: 0 equal, 1 different, 77 skipped (no such header, or one of another version).
"""

import argparse
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))
import nvmlgen  # noqa: E402
from abi_types import (MACROS, ROOT, SKIPPED, Types, compiles, find_toolkit, missing_members,  # noqa: E402
                       only_one_side_has, preprocess, read_headers, type_assertions)

OPAQUE = ("opaque.h",)  # declares types without members
FIRST_LATER_VERSION = "nvmlDeviceGetUnrepairableMemoryFlag_v1"  # not in CUDA 13.0

PREAMBLE = MACROS + """
#define NVML_NO_UNVERSIONED_FUNC_DEFS  // otherwise macros rename functions
#include <nvml.h>
#undef NVML_STRUCT_VERSION  // has other white space here

// A macro with a value different from the vendor's is a redefinition, which is an error with -Werror.
namespace ours {
#include "nvml/abi/error.h"
#include "nvml/abi/device.h"
#include "nvml/abi/event.h"
#include "nvml/abi/other.h"
}
"""


def vendor_functions(text):
    """{name: [result, type of each parameter, ...]}"""
    found = {}
    for result, name, params in re.findall(r"(nvmlReturn_t|const\s+char\s*\*)\s*(nvml[A-Z]\w*)\s*\(([^;)]*)\)\s*;", text):
        params = " ".join(params.split())
        types = [] if params in ("void", "") else [re.sub(r"\s*\w+$", "", p.strip()) for p in params.split(",")]
        found[name] = [plain(t) for t in [result] + types]
    return found


def plain(type_):
    return re.sub(r"\s*\*", "*", " ".join(type_.split()))


def function_differences(functions, theirs):
    ours = {f.symbol: [plain(t) for t in [f.result] + [p.type for p in f.params]] for f in functions}
    return only_one_side_has("function", ours, theirs) + [
        f"{name}: {ours[name]}, vendor has {theirs[name]}"
        for name in sorted(ours.keys() & theirs.keys()) if ours[name] != theirs[name]]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cxx", default="c++")
    parser.add_argument("--toolkit", help="folder that contains include/nvml.h")
    parser.add_argument("--keep", help="write the translation unit here")
    args = parser.parse_args()

    include = find_toolkit(args.toolkit, "nvml.h")
    if not include:
        print("skipped: no toolkit with nvml.h is installed")
        return SKIPPED
    text = preprocess(args.cxx, ["nvml.h"], include, "-x", "c", "-std=c11", "-DNVML_NO_UNVERSIONED_FUNC_DEFS")
    theirs = vendor_functions(text)
    if "nvmlDeviceGetPdi" not in theirs or FIRST_LATER_VERSION in theirs:
        print(f"skipped: the header in {include} is not of CUDA 13.0")
        return SKIPPED

    types = read_headers("nvml/abi", but=OPAQUE)
    vendor = Types(text[text.index("typedef struct nvmlDevice_st"):])
    vendor.members = {name: paths for name, paths in vendor.members.items() if name in types.members}
    functions = nvmlgen.parse_list((ROOT / "src/nvml/functions.list").read_text())
    missing = function_differences(functions, theirs) + missing_members(types, vendor)
    missing += [f"enumerator {name}: only in Heddle's header"
                for name in sorted(set(types.enumerators) - set(vendor.enumerators))]
    print("\n".join(missing), end="\n" if missing else "")

    unit = "\n".join([PREAMBLE] + type_assertions(types)) + "\n"
    compiled = compiles(args.cxx, unit, include, args.keep)
    members = sum(len(paths) for paths in types.members.values())
    print(f"{len(types.enumerators)} enumerators, {len(types.names)} types, {members} members, "
          f"{len(functions)} functions compared with {include}")
    return 0 if compiled and not missing else 1


if __name__ == "__main__":
    sys.exit(main())
