#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares Heddle's runtime ABI with the vendor's headers, if a CUDA toolkit is installed.

    abi_compare.py --cxx COMPILER [--toolkit DIR] [--keep FILE]

With a toolkit of CUDA 13.0, compares every enumerator, constant, type, struct member and function of
src/runtime/abi/ and src/runtime/functions.list; with one of CUDA 12.9, the functions of
libcudart.so.12 and the types of abi/cuda12.h.
Exit status: 0 equal, 1 different, 77 skipped (no toolkit, or one of another version).
"""

import argparse
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))
import drivergen  # noqa: E402
import runtimegen  # noqa: E402
from abi_types import (MACROS, ROOT, SKIPPED, Types, compiles, find_toolkit, missing_members,  # noqa: E402
                       only_one_side_has, preprocess, read_headers, type_assertions)

HEADERS = ["cuda_runtime_api.h", "cuda_profiler_api.h"]
PER_THREAD = "-DCUDA_API_PER_THREAD_DEFAULT_STREAM"


def functions_in(text):
    """The functions that the vendor's headers declare."""
    return set(re.findall(r"\bextern\b[^;(]*?(?:\(\([^)]*\)+[^;(]*?)?\b(cuda[A-Z]\w*)\s*\(", text))


def our_types():
    types = read_headers("runtime/abi")
    types.tags.add("CUuuid_st")  # declared in the driver's headers, and compared with those
    return types


def vendor_declarations(cxx, include):
    """The vendor's types, as C sees them, and the names of its functions with their twins."""
    text = preprocess(cxx, HEADERS, include, "-x", "c", "-std=c11")
    twins = preprocess(cxx, HEADERS, include, "-x", "c", "-std=c11", PER_THREAD)
    types = text[text.index("enum cudaError"):]
    twin_names = {name for name in functions_in(twins) if re.search(r"_pt[ds][sz]$", name)}
    return Types(types), functions_in(text) | twin_names


PREAMBLE = MACROS + """
#include <cuda_runtime_api.h>
#include <cuda_profiler_api.h>

// A macro with a value different from the vendor's is a redefinition, which is an error with -Werror.
namespace ours {
#include "runtime/abi.h"
}

#define SAME_FUNCTION(name) \\
  static_assert(std::is_same_v<Vendor<ours::F_##name>, decltype(::name)>, #name);
"""

# Structures that differ between CUDA 12 and CUDA 13: Heddle's name of that of CUDA 12 has a 12.
RENAMED = ["cudaDeviceProp", "cudaResourceDesc", "cudaResourceViewDesc"]


def function_assertions(functions, vendor_functions):
    out = []
    for f in functions:
        if f.symbol not in vendor_functions:
            continue  # named elsewhere, or missing and reported as such
        params = ", ".join(p.type for p in f.params)
        out.append(f"namespace ours {{ using F_{f.symbol} = {f.result}({params}); }}")
        out.append(f"SAME_FUNCTION({f.symbol})")
    return out


def compare_13(cxx, include, functions):
    types = our_types()
    for name in [f"{name}12" for name in RENAMED] + ["cudaLaunchParams"]:
        types.names.remove(name)
        types.tags.remove(name)
        del types.members[name]
    vendor, vendor_functions = vendor_declarations(cxx, include)
    lines = only_one_side_has("enumerator", types.enumerators, vendor.enumerators)
    ours = {name for name in types.names if name not in ("uint3", "dim3")}
    lines += only_one_side_has("type", ours, [n for n in vendor.names if is_interesting(n)])
    del vendor.members["CUuuid_st"]
    lines += missing_members(types, vendor)
    lines += missing_functions(functions, vendor_functions)
    text = "\n".join([PREAMBLE] + type_assertions(types) +
                     function_assertions(functions, vendor_functions))
    return lines, text, f"{len(types.enumerators)} enumerators, {len(types.names)} types, " + \
        f"{sum(len(paths) for paths in types.members.values())} members, "


def compare_12(cxx, include, functions):
    types = our_types()
    vendor, vendor_functions = vendor_declarations(cxx, include)
    lines = missing_functions(functions, vendor_functions)
    twins = [f"TWIN({tag})" for tag in sorted(types.tags) if tag in vendor.tags | {"dim3", "uint3"}]
    out = [PREAMBLE] + twins
    for name in RENAMED:
        out.append(f"template <> struct Twin<ours::{name}12> {{ using type = ::{name}; }};")
        for path, _ in vendor.members[name]:
            out.append(f"static_assert(offsetof(ours::{name}12, {path}) == "
                       f'offsetof(::{name}, {path}), "{path}");')
        out.append(f"static_assert(sizeof(ours::{name}12) == sizeof(::{name}));")
    out.append("static_assert(sizeof(ours::cudaLaunchParams) == sizeof(::cudaLaunchParams));")
    return lines, "\n".join(out + function_assertions(functions, vendor_functions)), ""


def is_interesting(name):
    return name.startswith(("cuda", "CUDA"))


def missing_functions(functions, vendor_functions):
    ours = {export for f in functions for export in f.exports if not export.startswith("__")}
    return only_one_side_has("function", ours, vendor_functions)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cxx", default="c++")
    parser.add_argument("--toolkit", help="folder that contains include/cuda_runtime_api.h")
    parser.add_argument("--keep", help="write the translation unit here")
    args = parser.parse_args()

    include = find_toolkit(args.toolkit, "cuda_runtime_api.h")
    if not include:
        print("skipped: no CUDA toolkit is installed")
        return SKIPPED
    header = (include / "cuda_runtime_api.h").read_text()
    version = int(re.search(r"define CUDART_VERSION\s+(\d+)", header).group(1))
    compare = {13000: compare_13, 12090: compare_12}.get(version)
    if not compare:
        print(f"skipped: the toolkit in {include} has version {version}")
        return SKIPPED

    driver = drivergen.parse_list((ROOT / "src/driver/functions.list").read_text())
    functions = runtimegen.in_library(
        runtimegen.parse_list((ROOT / "src/runtime/functions.list").read_text(), driver),
        str(version // 1000))
    lines, text, counts = compare(args.cxx, include, functions)
    print("\n".join(lines), end="\n" if lines else "")
    compiled = compiles(args.cxx, text, include, args.keep)
    print(f"{counts}{sum(len(f.exports) for f in functions)} functions compared with {include}")
    return 0 if compiled and not lines else 1


if __name__ == "__main__":
    sys.exit(main())
