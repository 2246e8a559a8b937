#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds Heddle's driver ABI against the vendor's headers, where a CUDA toolkit is installed.

    abi_compare.py --cxx COMPILER [--toolkit DIR] [--keep FILE]

Compares every enumerator, constant, type, struct member and function of src/driver/abi/ and
src/driver/functions.list with cuda.h, and every version number with cudaTypedefs.h: it writes one
translation unit that sees both (ours inside a namespace) and is full of static assertions, and
compiles it. Names that only the vendor has are found by reading both headers.
Exit status: 0 equal, 1 different, 77 skipped (no toolkit, or one of another version).
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import drivergen  # noqa: E402

SKIPPED = 77
LISTED_VERSION = 13000


class Types:
    """What a header declares. `tags` are the names that make a defined type distinct in C++ (a
    handle's tag is never defined, so inside a namespace it means the vendor's struct already);
    `members` maps a struct's name to the access paths of its members, nested ones included, and
    whether the member's type has a name."""

    def __init__(self, text):
        self.tokens = re.findall(r"\w+|\S", text)
        self.enumerators, self.names, self.members, self.tags = [], [], {}, set()
        i = 0
        while i < len(self.tokens):
            i = self.typedef(i) if self.tokens[i] == "typedef" else i + 1

    def close(self, i):
        """Index of the brace that closes the one at i."""
        depth = 0
        while True:
            depth += {"{": 1, "}": -1}.get(self.tokens[i], 0)
            if depth == 0:
                return i
            i += 1

    def typedef(self, i):
        t = self.tokens
        kind, i = t[i + 1], i + 1
        if kind in ("struct", "union", "enum"):
            open_ = i + 1 if t[i + 1] == "{" else i + 2
            if t[open_] == "{":
                close = self.close(open_)
                name = t[close + 1]
                self.names.append(name)
                self.tags.add(name if open_ == i + 1 else t[i + 1])
                if kind == "enum":
                    self.enum(open_ + 1, close)
                else:
                    self.members[name] = list(self.paths(open_ + 1, close, ""))
                return close + 2
        end = t.index(";", i)
        text = " ".join(t[i:end])
        self.names.append((re.search(r"\( \* (\w+) \)", text) or
                           re.search(r"(\w+)$", text)).group(1))
        return end + 1

    def enum(self, i, end):
        start = True
        for token in self.tokens[i:end]:
            if start and re.match(r"[A-Za-z_]", token):
                self.enumerators.append(token)
                start = False
            start = start or token == ","

    def paths(self, i, end, prefix):
        t = self.tokens
        while i < end:
            if t[i] in ("alignas", "_Alignas"):
                i = t.index(")", i) + 1
            elif t[i] in ("struct", "union") and "{" in t[i + 1:i + 3]:
                open_ = t.index("{", i)
                close = self.close(open_)
                name = t[close + 1]
                if name != ";":
                    yield prefix + name, False
                inner = prefix + name + "." if name != ";" else prefix
                yield from self.paths(open_ + 1, close, inner)
                i = t.index(";", close) + 1
            else:
                stop = t.index(";", i)
                declarator = t[i:stop]
                if "[" in declarator:
                    declarator = declarator[:declarator.index("[")]
                yield prefix + declarator[-1], True
                i = stop + 1


def without_comments_and_directives(text):
    text = re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.S)
    text = re.sub(r"^#else.*?^#endif", "", text, flags=re.S | re.M)  # the C spelling of alignas
    return re.sub(r"^#(?:[^\n]*\\\n)*[^\n]*", "", text, flags=re.M)


def our_types():
    headers = sorted((ROOT / "src/driver/abi").glob("*.h"))
    return Types("\n".join(without_comments_and_directives(h.read_text()) for h in headers))


def vendor_declarations(cxx, include):
    """The vendor's types and the names of its functions."""
    source = "#include <cuda.h>\n#include <cudaProfiler.h>\n"
    command = [cxx, "-x", "c++", "-std=c++20", "-E", "-P", "-D__CUDA_API_VERSION_INTERNAL",
               f"-I{include}", "-"]
    text = subprocess.run(command, input=source, capture_output=True, text=True, check=True).stdout
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


def missing_names(types, vendor, functions, vendor_functions, versions):
    """One line for each name or version that only one side has."""
    ours = {export for f in functions for export in f.exports}
    lines = []
    for what, left, right in [
            ("enumerator", types.enumerators, vendor.enumerators),
            ("type", types.names, vendor.names),
            ("function", ours, vendor_functions)]:
        left, right = set(left), set(right)
        lines += [f"{what} {name}: only in the vendor's header" for name in sorted(right - left)]
        lines += [f"{what} {name}: only in Heddle's header" for name in sorted(left - right)]
    for name, paths in vendor.members.items():
        lines += [f"member {name}::{path}: only in the vendor's header"
                  for path, _ in paths if path not in dict(types.members.get(name, []))]
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


PREAMBLE = """
#define __CUDA_API_VERSION_INTERNAL
#include <cuda.h>
#include <cudaProfiler.h>
#include <cudaTypedefs.h>
#include <cudaProfilerTypedefs.h>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

// A macro with another value than the vendor's is a redefinition, which -Werror makes an error.
namespace ours {
#include "driver/abi.h"
}

// Vendor<T>: T with each of our types replaced by the vendor's type of the same name.
template <class T> struct Twin { using type = T; };
template <class T> using Vendor = typename Twin<T>::type;
template <class T> struct Twin<T*> { using type = Vendor<T>*; };
template <class T> struct Twin<const T> { using type = const Vendor<T>; };
template <class T, std::size_t N> struct Twin<T[N]> { using type = Vendor<T>[N]; };
template <class R, class... A> struct Twin<R(A...)> { using type = Vendor<R>(Vendor<A>...); };
#define TWIN(name) template <> struct Twin<ours::name> { using type = ::name; };

#define SAME_ENUMERATOR(name) \\
  static_assert(static_cast<long long>(ours::name) == static_cast<long long>(::name), #name)
#define SAME_TYPE(name) static_assert(std::is_same_v<Vendor<ours::name>, ::name>, #name)
#define SAME_ENUM_OR_STRUCT(name) \\
  static_assert(sizeof(ours::name) == sizeof(::name), #name);               \\
  static_assert(alignof(ours::name) == alignof(::name), #name)
#define MEMBER(ns, name, path) decltype(std::declval<ns::name&>().path)
#define SAME_PLACE(name, path)                                              \\
  static_assert(offsetof(ours::name, path) == offsetof(::name, path) &&     \\
                sizeof(std::declval<ours::name&>().path) ==                 \\
                    sizeof(std::declval<::name&>().path), #name "::" #path)
#define SAME_MEMBER(name, path)                                             \\
  SAME_PLACE(name, path);                                                   \\
  static_assert(std::is_same_v<Vendor<MEMBER(ours, name, path)>, MEMBER(, name, path)>, \\
                #name "::" #path)
#define SAME_FUNCTION(name, versioned)                                      \\
  static_assert(std::is_same_v<Vendor<ours::F_##name>, decltype(::name)>, #name); \\
  static_assert(std::is_same_v<Vendor<ours::F_##name>*, PFN_##versioned>,   \\
                #name " is not " #versioned)
"""


def translation_unit(types, functions, versions):
    out = [PREAMBLE]
    out += [f"TWIN({tag})" for tag in sorted(types.tags)]
    out += [f"SAME_ENUMERATOR({name});" for name in types.enumerators]
    out += [f"SAME_TYPE({name});" for name in types.names]
    for name, paths in types.members.items():
        out.append(f"SAME_ENUM_OR_STRUCT({name});")
        out += [f"SAME_{'MEMBER' if named else 'PLACE'}({name}, {path});" for path, named in paths]
    for f in functions:
        params = ", ".join(p.type for p in f.params)
        for export in f.exports:
            out.append(f"namespace ours {{ using F_{export} = CUresult({params}); }}")
            twin = export[len(f.symbol):]
            version = max(f.version, drivergen.FIRST_TWIN_VERSION) if twin else f.version
            # cuGetExportTable and its like have no typedef.
            if (f.base, twin.strip("_")) in versions:
                out.append(f"SAME_FUNCTION({export}, {f.base}_v{version}{twin});")
            else:
                out.append(f"static_assert(std::is_same_v<Vendor<ours::F_{export}>, "
                           f"decltype(::{export})>);")
    return "\n".join(out) + "\n"


def find_toolkit(given):
    usual = [os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"), "/usr/local/cuda",
             "/opt/cuda", "/usr/lib/cuda"]
    for folder in [given] if given else usual:
        if folder and (Path(folder) / "include/cuda.h").exists():
            return Path(folder) / "include"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cxx", default="c++")
    parser.add_argument("--toolkit", help="folder that contains include/cuda.h")
    parser.add_argument("--keep", help="write the translation unit here")
    args = parser.parse_args()

    include = find_toolkit(args.toolkit)
    if not include:
        print("skipped: no CUDA toolkit is installed")
        return SKIPPED
    header = (include / "cuda.h").read_text()
    version = int(re.search(r"define CUDA_VERSION (\d+)", header).group(1))
    if version != LISTED_VERSION:
        print(f"skipped: the toolkit in {include} has version {version}, not {LISTED_VERSION}")
        return SKIPPED

    functions = drivergen.parse_list((ROOT / "src/driver/functions.list").read_text())
    types = our_types()
    vendor, vendor_functions = vendor_declarations(args.cxx, include)
    versions = vendor_versions(include)
    missing = missing_names(types, vendor, functions, vendor_functions, versions)
    print("\n".join(missing), end="\n" if missing else "")

    text = translation_unit(types, functions, versions)
    if args.keep:
        Path(args.keep).write_text(text)
    with tempfile.TemporaryDirectory() as folder:
        unit = Path(folder) / "abi_compare.cpp"
        unit.write_text(text)
        command = [args.cxx, "-std=c++20", "-fsyntax-only", "-Wall", "-Werror",
                   "-Wno-invalid-offsetof", "-Wno-deprecated-declarations", f"-I{ROOT / 'src'}",
                   "-isystem", str(include), str(unit)]
        compiled = subprocess.run(command).returncode == 0
    members = sum(len(paths) for paths in types.members.values())
    print(f"{len(types.enumerators)} enumerators, {len(types.names)} types, {members} members, "
          f"{sum(len(f.exports) for f in functions)} functions compared with {include}")
    return 0 if compiled and not missing else 1


if __name__ == "__main__":
    sys.exit(main())
