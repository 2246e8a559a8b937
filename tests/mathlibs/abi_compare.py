#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares Heddle's ABI of libcublas and libcublasLt with the vendor's headers, if a CUDA toolkit is installed.

    abi_compare.py --cxx COMPILER [--toolkit DIR] [--keep FILE]

Compares every enumerator, type and function of src/mathlibs/abi/ and src/mathlibs/functions.list with a toolkit of CUDA 13,
and the functions that the vendor's libraries export with those of the list.
Exit status: 0 equal, 1 different, 77 skipped (no toolkit with these headers, or one of another version).
"""

import argparse
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))
import mathlibsgen  # noqa: E402
from abi_types import (MACROS, ROOT, SKIPPED, compiles, find_toolkit, only_one_side_has,  # noqa: E402
                       preprocess, read_headers, type_assertions)

HEADERS = ["cublas_v2.h", "cublasXt.h", "cublasLt.h"]
LEGACY = ["cublas.h"]  # cannot be included beside cublas_v2.h

# Details of a GPU's kernels that Heddle does not name.
NOT_NAMED = re.compile(r"CUBLASLT_(MATMUL_(TILE|STAGES|INNER_SHAPE)|CLUSTER_SHAPE)_")
# Declared, but not exported by the vendor's library.
NOT_EXPORTED = {"cublasLtDisableCpuInstructionsSetMask"}

PREAMBLE = MACROS + """
// C++ has further functions of some names, so the type chooses among them.
#define SAME_FUNCTION(name) [[maybe_unused]] Vendor<ours::F_##name>* const same_##name = &::name;
namespace ours {
#include "mathlibs/abi.h"
}
"""


def functions_in(text):
    """The functions that the vendor's headers declare, and whose bodies are in the library."""
    parts = re.split(r"[;{}]", text.replace('extern "C"', ""))
    names = (re.match(r"\s*(?:const\s+|unsigned\s+)?\w+[\s*]+(cublas\w+)\s*\(.*\)\s*$", part, re.S) for part in parts)
    return {match.group(1) for match in names if match} - NOT_EXPORTED


def our_types():
    """Complex and 16-bit numbers are compared by the functions that take them."""
    types = read_headers("mathlibs/abi")
    for name in ("float2", "double2", "cuComplex", "cuDoubleComplex", "__half", "__nv_bfloat16"):
        types.names.remove(name)
        types.members.pop(name, None)
    types.tags -= {"float2", "double2"}
    return types


def enumerators_in(text):
    """Those of the libraries; the headers that they include have others. Heddle's parser of declarations reads C only."""
    bodies = re.findall(r"\benum\b[^{};]*\{([^{}]*)\}", text)
    names = [item.split("=")[0].strip() for body in bodies for item in body.split(",")]
    ours = re.compile(r"CUBLAS|CUDA_[RC]_\d|CUDA_EMULATION|(MAJOR|MINOR)_VERSION$|PATCH_LEVEL$")
    return {name for name in names if ours.match(name) and not NOT_NAMED.match(name)}


def assertions(functions, declared):
    out = ["template <> struct Twin<ours::cuComplex> { using type = ::cuComplex; };",
           "template <> struct Twin<ours::cuDoubleComplex> { using type = ::cuDoubleComplex; };",
           "template <> struct Twin<ours::__half> { using type = ::__half; };",
           "template <> struct Twin<ours::__nv_bfloat16> { using type = ::__nv_bfloat16; };"]
    for function in functions:
        if function.symbol not in declared:
            continue
        params = ", ".join(p.type for p in function.params)
        out.append(f"namespace ours {{ using F_{function.symbol} = {function.result}({params}); }}")
        out.append(f"SAME_FUNCTION({function.symbol})")
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cxx", default="c++")
    parser.add_argument("--toolkit", help="folder that contains include/cublas_v2.h")
    parser.add_argument("--keep", help="write the translation unit here")
    args = parser.parse_args()

    include = find_toolkit(args.toolkit, "cublas_v2.h")
    if not include:
        print("skipped: no CUDA toolkit with cuBLAS is installed")
        return SKIPPED
    version = re.search(r"define CUBLAS_VER_MAJOR\s+(\d+)", (include / "cublas_api.h").read_text()).group(1)
    if version != "13":
        print(f"skipped: the toolkit in {include} has cuBLAS {version}")
        return SKIPPED

    functions = mathlibsgen.parse_list((ROOT / "src/mathlibs/functions.list").read_text())
    text = preprocess(args.cxx, HEADERS, include, "-x", "c++")
    legacy_text = preprocess(args.cxx, LEGACY, include, "-x", "c++")
    types = our_types()
    lines = only_one_side_has("enumerator", types.enumerators, enumerators_in(text))
    lines += only_one_side_has("function", [f.symbol for f in functions],
                               functions_in(text) | functions_in(legacy_text))
    print("\n".join(lines), end="\n" if lines else "")
    compiled = True
    for headers, declared in ((HEADERS, functions_in(text)), (LEGACY, functions_in(legacy_text) - functions_in(text))):
        unit = [f"#include <{name}>" for name in headers] + [PREAMBLE]
        unit += type_assertions(types) if headers is HEADERS else [f"TWIN({tag})" for tag in ("cublasStatus_t",)]
        unit += assertions(functions, declared)
        compiled &= compiles(args.cxx, "\n".join(unit), include, args.keep)
    print(f"{len(types.enumerators)} enumerators, {len(types.names)} types, {len(functions)} functions compared with "
          f"{include}")
    return 0 if compiled and not lines else 1


if __name__ == "__main__":
    sys.exit(main())
