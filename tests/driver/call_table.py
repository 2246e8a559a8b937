#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests the calls of calls.txt: the result of every function of libcuda.so.1 for a right call and for wrong ones.

    call_table.py LIBCUDA [NAME...]      all rows, or the rows of the named functions

A row of calls.txt is a call that succeeds. Each condition is one change of that call, which
this script derives from the type of a parameter (conditions_of, below), with the code that most functions of the driver API
return for it; the row of a function lists its exceptions. In separate
processes, each function is called before cuInit and without a context.

For structures, each word in turn is set to zero: then the call must return, with any code. Functions
with a twin for the default stream of a thread (_ptds, _ptsz) are called by both names.

The test fails when a code differs, when a function of src/driver/functions.list has no row,
when a row names a parameter that does not exist, or when an exception is the normal code.
"""

import ctypes as C
import os
import pickle
import re
import select
import struct
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
sys.path.insert(0, str(Path(__file__).resolve().parent))
import call_fixtures  # noqa: E402
import drivergen  # noqa: E402
from every_function import HANDLES, INTEGERS, STRUCTS  # noqa: E402

CODES = {"ok": 0, "value": 1, "memory": 2, "uninitialized": 3, "device": 101, "image": 200,
         "context": 201, "unmapped": 211, "limit": 215, "ptx": 218, "file": 301, "handle": 400,
         "state": 401, "missing": 500, "not ready": 600, "peer": 704, "no peer": 705,
         "registered": 712, "not registered": 713, "cluster": 912, "permitted": 800, "supported": 801,
         "implicit": 906, "affinity": 224, "destroyed": 709, "resource": 914, "captured": 900, "-": None}
NAMES = {code: name for name, code in CODES.items()}

# The code for a stale handle, by its type. For other types it is INVALID_VALUE.
STALE = {"CUcontext": "context", "CUmodule": "handle", "CUfunction": "handle", "CUlibrary": "handle",
         "CUkernel": "handle", "CUevent": "handle", "CUstream": "handle", "CUlinkState": "handle",
         "CUmipmappedArray": "handle", "CUgreenCtx": "context"}
# Handles for which null has a meaning: the current context, the default stream.
NULL_MEANS_SOMETHING = {"CUstream", "CUcontext"}
# Exceptions that do not change an argument: the unchanged call, the call before cuInit, the call without a context.
STATES = {"call", "init", "context"}
# If one of these is zero, nothing is copied or set.
NOTHING_TO_DO = {"ByteCount", "N", "Width", "Height"}
NO_SUCH_HANDLE = 0x7ABCDEF0
NO_SUCH_NUMBER = 0x7FFFFFFF
ROW = re.compile(r"(\w+)\s+(\w+)\s*\((.*?)\)\s*(waits|at once)?\s*(?::\s*(.*))?$")
CHANGE = re.compile(r"(\w+)=(\S+) ([a-z -]+)$")


class TableError(Exception):
    pass


class Row:
    """One line: `function needs (arguments) [waits|at once] [: parameter=value code; ...]`."""

    def __init__(self, text, where, functions):
        match = ROW.match(text)
        if not match:
            raise TableError(f"{where}: not `function needs (arguments) waits : exceptions`: {text}")
        name, self.needs, arguments, self.blocking, exceptions = match.groups()
        if name not in functions:
            raise TableError(f"{where}: no function {name}")
        if self.needs not in ("nothing", "init", "context", "unwritten"):
            raise TableError(f"{where}: needs nothing, init or context, not {self.needs}")
        self.where, self.function = where, functions[name]
        self.arguments = split(arguments)
        self.exceptions = {}
        for each in filter(None, (exceptions or "").split("; ")):
            change = CHANGE.match(each.strip())
            if not change or change.group(3) not in CODES:
                raise TableError(f"{where}: not `parameter=value code`: {each}")
            self.exceptions[change.group(1), change.group(2)] = change.group(3)
        self.is_first = True  # further rows of a function are for other kinds of memory
        names = [param.name for param in self.function.params]
        if self.needs != "unwritten" and len(names) != len(self.arguments):
            raise TableError(f"{where}: {len(names)} parameters, {len(self.arguments)} arguments")
        for param, _ in self.exceptions:
            if param not in names and param not in STATES:
                raise TableError(f"{where}: {name} has no parameter {param}")

    def conditions(self):
        """(parameter, value, code) for each wrong call, and the change that makes it."""
        found = {}
        for param, argument in zip(self.function.params, self.arguments) if self.is_first else ():
            for value, code in conditions_of(param, argument):
                found[param.name, value] = code
        unused = set(self.exceptions)
        for key, code in self.exceptions.items():
            if key[0] in STATES:
                unused.discard(key)
                continue
            if key not in found or found[key] != code:
                unused.discard(key)
            found[key] = code
        for key in unused:
            raise TableError(f"{self.where}: {key[0]}={key[1]} is no exception")
        return [(param, value, code) for (param, value), code in found.items() if code != "-"]


def split(text):
    """Splits at the commas outside of brackets."""
    parts = re.findall(r"(?:\[[^\]]*\]|\"[^\"]*\"|[^,])+", text)
    return [part.strip() for part in parts]


def conditions_of(param, argument):
    """The wrong values for an argument of this type, with their codes."""
    kind = param.type
    if kind.endswith("*") or kind in ("CUhostFn", "CUstreamCallback", "CUasyncCallback",
                                      "CUlogsCallback", "CUoccupancyB2DSize"):
        if argument != "null":
            yield "null", "value"
    elif kind == "CUdevice":
        yield "-1", "device"
        yield "99", "device"
    elif kind in HANDLES:
        code = STALE.get(kind, "value")
        yield "stale", code
        if kind not in NULL_MEANS_SOMETHING and argument != "null":
            yield "null", code
    elif kind in ("CUdeviceptr", "CUdeviceptr_v1"):
        if argument != "0":
            yield "0", "value"
    elif kind == "CUmemGenericAllocationHandle":
        yield "0", "value"
    elif kind in INTEGERS:
        if param.name.lower() == "flags":
            yield "0x20000000", "value"
        elif is_amount(param) and argument != "0":
            yield "0", "ok" if param.name in NOTHING_TO_DO else "value"
    elif kind not in STRUCTS and kind not in ("float", "double"):  # an enumeration
        yield "0x7fffffff", "value"


def is_amount(param):
    """Whether a call with zero does nothing."""
    name = param.name.lower()
    return param.type in ("size_t", "unsigned int") and (
        "size" in name or "bytes" in name or "count" in name or "dim" in name or
        name in ("n", "width", "height", "length", "len"))


def read_table(functions):
    rows, path = [], Path(__file__).with_name("calls.txt")
    for number, line in enumerate(path.read_text().splitlines(), 1):
        line = line.split("#")[0].strip()
        if line and not line.startswith("["):
            row = Row(line, f"calls.txt:{number}", functions)
            row.is_first = all(row.function is not other.function for other in rows)
            rows.append(row)
    return rows


def in_child(work, seconds=60):
    """The result of `work()` in a separate process; None when it crashes or hangs."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        try:
            os.write(write, pickle.dumps(work()))
        except Exception as error:  # pylint: disable=broad-except
            os.write(write, pickle.dumps(f"{type(error).__name__}: {error}"))
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        ready, _, _ = select.select([pipe], [], [], seconds)
        if not ready:
            os.kill(child, 9)
        answer = pipe.read()
    _, status = os.waitpid(child, 0)
    return pickle.loads(answer) if os.WIFEXITED(status) and answer else None


class Caller:
    """Makes calls from a row's words."""

    def __init__(self, library, row, needs):
        self.library, self.row, self.kept = library, row, []
        self.fixtures = call_fixtures.Fixtures(library, needs)

    def value(self, kind, word):
        if kind.endswith("*") or kind in ("CUhostFn", "CUstreamCallback", "CUasyncCallback",
                                          "CUlogsCallback", "CUoccupancyB2DSize"):
            return C.c_void_p(self.pointer(word))
        if kind in STRUCTS:
            return self.fixtures.struct(STRUCTS[kind], word)
        number = self.number(word)
        if kind in HANDLES:
            return C.c_void_p(number)
        if kind in ("float", "double"):
            return getattr(C, "c_" + kind)(number)
        return INTEGERS.get(kind, C.c_int)(number)

    def number(self, word):
        if word == "null":
            return 0
        if word == "stale":
            return NO_SUCH_HANDLE
        if re.fullmatch(r"-?(0x[0-9a-f]+|\d+)", word):
            return int(word, 0)
        match = re.fullmatch(r"(\w+)\+(\d+)", word)
        if match:
            return self.fixtures.get(match.group(1)) + int(match.group(2))
        return self.fixtures.get(word)

    def pointer(self, word):
        if word == "null":
            return None
        if word.startswith('"'):
            memory = C.create_string_buffer(word.strip('"').encode())
        elif word.startswith("["):
            items = [self.number(each) for each in word.strip("[]").split()]
            memory = C.create_string_buffer(struct.pack(f"{len(items)}Q", *[i % 2**64 for i in items]))
        elif word == "out":
            memory = C.create_string_buffer(b"\xa5" * 4096, 4096)
        elif word == "in":
            memory = C.create_string_buffer(4096)
        else:
            return self.number(word)
        self.kept.append(memory)
        return C.addressof(memory)

    def arguments(self, changed=None, to=None):
        row = self.row
        return [self.value(param.type, to if param.name == changed else argument)
                for param, argument in zip(row.function.params, row.arguments)]

    def call(self, *change):
        """The result of the call; for a function with a twin, both results if they differ."""
        arguments = self.arguments(*change)
        codes = [getattr(self.library, export)(*arguments) for export in self.exports(change)]
        return codes[0] if codes.count(codes[0]) == len(codes) else tuple(codes)

    def exports(self, change):
        """One name only, for calls that change their arguments' objects, or end a capture."""
        once = not change or change[1] == "captured"
        return self.row.function.exports[:1] if once else self.row.function.exports


def blocks(caller, expected, of_thread=False):
    """Whether the row's call waits for earlier work in the stream. `of_thread`: the twin of a function
    without a stream, in the default stream of the thread."""
    function, arguments = caller.row.function, caller.arguments()
    function = getattr(caller.library, function.exports[-1] if of_thread else function.symbol)
    gate = caller.fixtures.hold_up(0.05 if expected == "waits" else 20, of_thread)
    result = function(*arguments)
    waited = gate.is_open.is_set()
    gate.open()
    return result, "waits" if waited else "at once"


def walk(library, row):
    """The results of the calls of a row: {(parameter, value): code}, with ("", "") for the unchanged call."""
    def conditions():
        caller, codes = Caller(library, row, row.needs), {}
        for param, value, _ in row.conditions():
            codes[param, value] = caller.call(param, value)
        if row.blocking:
            codes["", ""], codes["blocking"] = blocks(caller, row.blocking)
        else:
            codes["", ""] = caller.call()
        return codes

    found = in_child(conditions)
    if not isinstance(found, dict):
        return found
    if row.blocking and row.function.twin == "ptds":
        twin = in_child(lambda: blocks(Caller(library, row, row.needs), row.blocking, True))
        found["twin"] = twin[1] if isinstance(twin, tuple) and twin[0] == 0 else twin
    found["holes", ""] = in_child(lambda: holes(library, row))
    for state in ("init", "context"):
        found[state, "no"] = in_child(lambda s=state: bare_call(library, row, s))
    return found


def holes(library, row):
    """Calls with one word of one structure set to zero: each must return, with any code."""
    caller = Caller(library, row, row.needs)
    function, arguments = getattr(library, row.function.symbol), caller.arguments()
    made = 0
    for address in caller.fixtures.structures(row.arguments):
        content = C.string_at(address, 512)
        for at in range(0, len(content), 8):
            for part in parts_of(content[at:at + 8]):
                C.memset(address + at + part.start, 0, len(part))
                function(*arguments)
                C.memmove(address, content, len(content))
                made += 1
    return made


def parts_of(word):
    """The parts of eight bytes that are set to zero: the whole word (an address), and each half (two numbers)."""
    if any(word[4:6]) and not any(word[6:]):
        return [range(8)]
    return [half for half in (range(4), range(4, 8)) if any(word[half.start:half.stop])]


def bare_call(library, row, state):
    """The call before cuInit, or without a context: pointers lead to separate memory."""
    if state == "context":
        assert library.cuInit(0) == 0
    caller = Caller(library, row, "nothing")
    arguments = []
    for param in row.function.params:
        if param.type.endswith("*"):
            arguments.append(C.c_void_p(caller.pointer("in")))
        else:
            arguments.append(caller.value(param.type, "0") if param.type not in STRUCTS
                             else STRUCTS[param.type]())
    return getattr(library, row.function.symbol)(*arguments)


def expected_of(row):
    codes = {(param, value): code for param, value, code in row.conditions()}
    codes["", ""] = row.exceptions.get(("call", "made"), "ok")
    codes["init", "no"] = row.exceptions.get(
        ("init", "no"), "-" if row.needs == "nothing" else "uninitialized")
    codes["context", "no"] = row.exceptions.get(
        ("context", "no"), "context" if row.needs == "context" else "-")
    return codes


def complaints_about(library, row):
    if row.needs == "unwritten":
        return []  # every_function.py calls these
    try:
        expected, found = expected_of(row), walk(library, row)
    except TableError as error:
        return [str(error)]
    if not isinstance(found, dict):
        return [f"{row.where}: {row.function.symbol}: crashes or hangs: {found}"]
    wrong = []
    for key, code in expected.items():
        got = found.get(key)
        if code != "-" and got != CODES[code]:
            what = f"{key[0]}={key[1]}" if key[0] else "the call"
            wrong.append(f"{row.where}: {row.function.symbol}: {what} is "
                         f"{NAMES.get(got, got)}, not {code}")
    if not isinstance(found["holes", ""], int):
        wrong.append(f"{row.where}: {row.function.symbol}: with a zero in a structure: "
                     f"crashes or hangs: {found['holes', '']}")
    if row.blocking and found["blocking"] != row.blocking:
        wrong.append(f"{row.where}: {row.function.symbol}: {found['blocking']}, not {row.blocking}")
    if found.get("twin", row.blocking) != row.blocking:
        wrong.append(f"{row.where}: {row.function.exports[-1]}: {found['twin']}, not {row.blocking}")
    return wrong


def main():
    os.environ["HEDDLE_DEVICES"] = "2"  # peers
    library = C.CDLL(sys.argv[1])
    functions = {f.symbol: f for f in
                 drivergen.parse_list((ROOT / "src/driver/functions.list").read_text())}
    try:
        rows = read_table(functions)
    except TableError as error:
        print(error)
        return 1
    complaints = [f"{name} has no row in calls.txt"
                  for name in functions.keys() - {row.function.symbol for row in rows}]
    complaints += [f"{row.where}: {row.function.symbol} is written" for row in rows
                   if row.needs == "unwritten" and row.function.written]
    names = sys.argv[2:]
    conditions = 0
    for row in rows:
        if names and row.function.symbol not in names:
            continue
        complaints += complaints_about(library, row)
        conditions += len(row.conditions()) + 3 if row.needs != "unwritten" else 0
    print("\n".join(complaints))
    print(f"{len(functions)} functions, {len(rows)} rows, {conditions} calls, "
          f"{len(complaints)} complaints")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
