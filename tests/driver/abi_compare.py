#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares Heddle's driver ABI with the vendor's headers, if a CUDA toolkit is installed.

    abi_compare.py --cxx COMPILER [--toolkit DIR] [--keep FILE]

Compares every enumerator, constant, type, struct member and function of src/driver/abi/ and
src/driver/functions.list with cuda.h, and every version number with cudaTypedefs.h: it writes one
translation unit that sees both (ours inside a namespace) and is full of static assertions, and
compiles it. Names that only the vendor has are found by reading both headers. Functions of graphics, whose
headers need those of OpenGL and similar APIs, are compared as text; functions newer than the toolkit are not compared.
Exit status: 0 equal, 1 different, 77 skipped (no toolkit, or one of another version).
"""

import argparse
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))
import drivergen  # noqa: E402
from abi_types import (MACROS, ROOT, SKIPPED, Types, compiles, find_toolkit, missing_members,  # noqa: E402
                       only_one_side_has, preprocess, read_headers, type_assertions)

LISTED_VERSION = 13000
GRAPHICS = ("cudaGLTypedefs.h", "cudaVDPAUTypedefs.h", "cudaEGLTypedefs.h")
OTHER_HEADERS = ("cuda_13_1.h", "graphics.h")  # headers of src/driver/abi with declarations that are not in cuda.h


def vendor_declarations(cxx, include):
    """The vendor's types and the names of its functions."""
    text = preprocess(cxx, ["cuda.h", "cudaProfiler.h"], include, "-x", "c++", "-std=c++20",
                      "-D__CUDA_API_VERSION_INTERNAL")
    text = text[text.index("typedef uint32_t cuuint32_t"):]
    return Types(text), set(re.findall(r"\bCUresult\s+(cu[A-Z]\w*)\s*\(", text))


def vendor_versions(include):
    """{(base name, twin): sorted versions}, from the names of the vendor's function typedefs."""
    versions = {}
    for header in ("cudaTypedefs.h", "cudaProfilerTypedefs.h"):
        text = (Path(include) / header).read_text()
        for name, version, twin in re.findall(r"\*PFN_(cu\w+?)_v(\d+)(?:_(pt[ds][sz]))?\)", text):
            versions.setdefault((name, twin), set()).add(int(version))
    return {key: sorted(value) for key, value in versions.items()}


def graphics_prototypes(include):
    """{(base name, version, twin): types of the parameters}"""
    found = {}
    for header in GRAPHICS:
        text = (Path(include) / header).read_text().replace("CUDAAPI", "")
        for base, version, twin, params in re.findall(
                r"PFN_(cu\w+?)_v(\d+)(?:_(pt[ds][sz]))?\s*\)\s*\(([^;]*)\);", text):
            for old, new in [("CUdevice_v1", "CUdevice"), ("CUdeviceptr_v2", "CUdeviceptr"),
                             ("CUeglFrame_v1", "CUeglFrame"), ("\\s*\\*\\s*", "* ")]:
                params = re.sub(old, new, params)
            types = [p.type for p in drivergen.parse_params(" ".join(params.split()), header)]
            found[base, int(version), twin] = types
    found.pop(("cuWGLGetDevice", 2020, ""), None)  # for Windows only
    return found


def compare_graphics(functions, include):
    """The listed functions except those of graphics, and one line for each difference of the latter."""
    theirs = graphics_prototypes(include)
    names = {base for base, _, _ in theirs}
    ours = {}
    for f in functions:
        if f.base in names:
            types = [p.type for p in f.params]
            ours[f.base, f.version, ""] = types
            if f.twin:
                ours[f.base, drivergen.FIRST_TWIN_VERSION, f.twin] = types
    lines = [f"{base} {version} {twin}: {ours.get((base, version, twin))}, vendor has "
             f"{theirs.get((base, version, twin))}"
             for base, version, twin in sorted(ours.keys() | theirs.keys())
             if ours.get((base, version, twin)) != theirs.get((base, version, twin))]
    return [f for f in functions if f.base not in names], lines


def missing_names(types, vendor, functions, vendor_functions, versions):
    """One line for each name or version that only one of the two has."""
    ours = {export for f in functions for export in f.exports}
    lines = []
    for what, left, right in [
            ("enumerator", types.enumerators, vendor.enumerators),
            ("type", types.names, vendor.names),
            ("function", ours, vendor_functions)]:
        lines += only_one_side_has(what, left, right)
    lines += missing_members(types, vendor)
    for twin in ("", "ptds", "ptsz"):
        listed = {}
        for f in functions:
            if twin in ("", f.twin):
                version = max(f.version, drivergen.FIRST_TWIN_VERSION) if twin else f.version
                listed.setdefault(f.base, []).append(version)
        for base, numbers in sorted(listed.items()):
            theirs = versions.get((base, twin))
            if theirs and sorted(numbers) != theirs:
                lines.append(f"{base} {twin}: versions {sorted(numbers)}, vendor has {theirs}")
    return lines


PREAMBLE = MACROS + """
#define __CUDA_API_VERSION_INTERNAL
#include <cuda.h>
#include <cudaProfiler.h>
#include <cudaTypedefs.h>
#include <cudaProfilerTypedefs.h>

// A macro with a value different from the vendor's is a redefinition, which is an error with -Werror.
namespace ours {
#include "driver/abi.h"
}

#define SAME_FUNCTION(name, versioned)                                      \\
  static_assert(std::is_same_v<Vendor<ours::F_##name>, decltype(::name)>, #name); \\
  static_assert(std::is_same_v<Vendor<ours::F_##name>*, PFN_##versioned>,   \\
                #name " is not " #versioned)
"""


def translation_unit(types, functions, versions):
    out = [PREAMBLE] + type_assertions(types)
    for f in functions:
        params = ", ".join(p.type for p in f.params)
        for export in f.exports:
            out.append(f"namespace ours {{ using F_{export} = CUresult({params}); }}")
            twin = export[len(f.symbol):]
            version = max(f.version, drivergen.FIRST_TWIN_VERSION) if twin else f.version
            # cuGetExportTable and some other functions have no typedef.
            if (f.base, twin.strip("_")) in versions:
                out.append(f"SAME_FUNCTION({export}, {f.base}_v{version}{twin});")
            else:
                out.append(f"static_assert(std::is_same_v<Vendor<ours::F_{export}>, "
                           f"decltype(::{export})>);")
    return "\n".join(out) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cxx", default="c++")
    parser.add_argument("--toolkit", help="folder that contains include/cuda.h")
    parser.add_argument("--keep", help="write the translation unit here")
    args = parser.parse_args()

    include = find_toolkit(args.toolkit, "cuda.h")
    if not include:
        print("skipped: no CUDA toolkit is installed")
        return SKIPPED
    header = (include / "cuda.h").read_text()
    version = int(re.search(r"define CUDA_VERSION (\d+)", header).group(1))
    if version != LISTED_VERSION:
        print(f"skipped: the toolkit in {include} has version {version}, not {LISTED_VERSION}")
        return SKIPPED

    functions = drivergen.parse_list((ROOT / "src/driver/functions.list").read_text())
    functions, missing = compare_graphics(functions, include)
    functions = [f for f in functions if f.version <= LISTED_VERSION]
    types = read_headers("driver/abi", but=OTHER_HEADERS)
    vendor, vendor_functions = vendor_declarations(args.cxx, include)
    versions = vendor_versions(include)
    missing += missing_names(types, vendor, functions, vendor_functions, versions)
    print("\n".join(missing), end="\n" if missing else "")

    text = translation_unit(types, functions, versions)
    compiled = compiles(args.cxx, text, include, args.keep)
    members = sum(len(paths) for paths in types.members.values())
    print(f"{len(types.enumerators)} enumerators, {len(types.names)} types, {members} members, "
          f"{sum(len(f.exports) for f in functions)} functions compared with {include}")
    return 0 if compiled and not missing else 1


if __name__ == "__main__":
    sys.exit(main())
