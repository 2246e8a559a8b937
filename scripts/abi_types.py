# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shared code of the comparisons of our ABI headers with the vendor's (tests/*/abi_compare.py): a reader of
declarations, and static assertions that two types of the same name are identical."""

import os
import re
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SKIPPED = 77


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
            if self.tokens[i] == "typedef":
                i = self.typedef(i)
            elif self.tokens[i] in ("struct", "union", "enum") and self.tokens[i + 2] == "{":
                i = self.tagged(i)
            else:
                i += 1

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

    def tagged(self, i):
        """A type that is known by its tag: `struct name { ... };`."""
        t, name, close = self.tokens, self.tokens[i + 1], self.close(i + 2)
        self.tags.add(name)
        self.names.append(name)
        if t[i] == "enum":
            self.enum(i + 3, close)
        else:
            self.members[name] = list(self.paths(i + 3, close, ""))
        return close + 1

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
                for declarator in " ".join(t[i:stop]).split(" , "):
                    yield prefix + declarator.split(" [")[0].split()[-1], True
                i = stop + 1


def without_comments_and_directives(text):
    text = re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.S)
    text = re.sub(r"^#else.*?^#endif", "", text, flags=re.S | re.M)  # the C spelling of alignas
    return re.sub(r"^#(?:[^\n]*\\\n)*[^\n]*", "", text, flags=re.M)


def read_headers(folder, but=()):
    """The types that the headers of a folder below src/ declare, except the named ones."""
    headers = [h for h in sorted((ROOT / "src" / folder).glob("*.h")) if h.name not in but]
    return Types("\n".join(without_comments_and_directives(h.read_text()) for h in headers))


def preprocess(cxx, includes, include, *options):
    """The vendor's headers after preprocessing."""
    source = "".join(f"#include <{name}>\n" for name in includes)
    command = [cxx, "-E", "-P", *options, f"-I{include}", "-"]
    return subprocess.run(command, input=source, capture_output=True, text=True, check=True).stdout


def only_one_side_has(what, left, right):
    left, right = set(left), set(right)
    return ([f"{what} {name}: only in the vendor's header" for name in sorted(right - left)] +
            [f"{what} {name}: only in Heddle's header" for name in sorted(left - right)])


def missing_members(types, vendor):
    return [f"member {name}::{path}: only in the vendor's header"
            for name, paths in vendor.members.items()
            for path, _ in paths if path not in dict(types.members.get(name, []))]


MACROS = """
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

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
"""


def type_assertions(types):
    """Our types are in namespace `ours`, the vendor's outside of it."""
    out = [f"TWIN({tag})" for tag in sorted(types.tags)]
    out += [f"SAME_ENUMERATOR({name});" for name in types.enumerators]
    out += [f"SAME_TYPE({name});" for name in types.names]
    for name, paths in types.members.items():
        out.append(f"SAME_ENUM_OR_STRUCT({name});")
        out += [f"SAME_{'MEMBER' if named else 'PLACE'}({name}, {path});" for path, named in paths]
    return out


def compiles(cxx, text, include, keep=None):
    if keep:
        Path(keep).write_text(text)
    with tempfile.TemporaryDirectory() as folder:
        unit = Path(folder) / "abi_compare.cpp"
        unit.write_text(text)
        command = [cxx, "-std=c++20", "-fsyntax-only", "-Wall", "-Werror",
                   "-Wno-invalid-offsetof", "-Wno-deprecated-declarations", f"-I{ROOT / 'src'}",
                   "-isystem", str(include), str(unit)]
        return subprocess.run(command).returncode == 0


def find_toolkit(given, header):
    usual = [os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"), "/usr/local/cuda",
             "/opt/cuda", "/usr/lib/cuda"]
    for folder in [given] if given else usual:
        if folder and (Path(folder) / "include" / header).exists():
            return Path(folder) / "include"
    return None
