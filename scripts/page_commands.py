#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the commands that pages show, and writes what they print into the pages.

    page_commands.py HEDDLE PAGE...            writes the pages anew
    page_commands.py HEDDLE --check PAGE...    exit status 1 when a page is out of date

A block of a page that begins with ```console shows commands of bash, each on a line that begins with `$ `, or with `> `
where it goes on, and below it what the command prints. The commands of a page run one after the other in one shell,
which begins at the root of the source tree with `heddle` in its PATH and without the reader's HEDDLE_ variables.
"""

import difflib
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import List, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
BLOCK = re.compile(r"(?<=^```console\n).*?(?=^```$)", re.MULTILINE | re.DOTALL)
END = "\x1e"  # what the shell prints behind each command


class PageError(Exception):
    """A page whose commands cannot be run; the message says why."""


class Command(NamedTuple):
    lines: List[str]   # of the page, with the command
    output: List[str]  # the lines of output below the command

    def text(self):
        return "\n".join(line[2:] for line in self.lines)


def commands_of(block):
    commands = []
    for line in block.splitlines():
        if line.startswith("$ "):
            commands.append(Command([line], []))
        elif line.startswith("> ") and commands and not commands[-1].output:
            commands[-1].lines.append(line)
        elif commands:
            commands[-1].output.append(line)
        else:
            raise PageError(f"no command prints `{line}`")
    return commands


def run(heddle, commands):
    """The lines that each command prints, on both streams."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("HEDDLE_")}
    environment |= {"HEDDLE_CACHE": "0", "LC_ALL": "C", "PATH": f"{Path(heddle).resolve().parent}:{environment['PATH']}"}
    script = "".join(f"{command.text()}\nprintf '{END}'\n" for command in commands)
    done = subprocess.run(["bash", "-c", f"exec 2>&1\n{script}"], cwd=ROOT, env=environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, text=True, check=False)
    outputs = done.stdout.split(END)[:-1]
    if len(outputs) != len(commands):
        raise PageError(f"the shell ended at `{commands[len(outputs)].lines[0]}`:\n{done.stdout}")
    return [[line.rstrip() for line in output.splitlines()] for output in outputs]


def page_now(heddle, text):
    commands = [commands_of(block) for block in BLOCK.findall(text)]
    outputs = iter(run(heddle, [command for block in commands for command in block]))

    def block_now(block):
        lines = []
        for command in block:
            output = next(outputs)
            if command.output and not output:
                raise PageError(f"`{command.text()}` prints nothing any more")
            lines += command.lines + output
        return "".join(f"{line}\n" for line in lines)

    blocks = iter([block_now(block) for block in commands])
    return BLOCK.sub(lambda _: next(blocks), text)


def main():
    heddle, *arguments = sys.argv[1:]
    out_of_date = False
    for page in [Path(argument) for argument in arguments if argument != "--check"]:
        before = page.read_text(encoding="utf-8")
        try:
            now = page_now(heddle, before)
        except PageError as error:
            sys.exit(f"{page}: {error}")
        if now == before:
            continue
        if "--check" not in arguments:
            page.write_text(now, encoding="utf-8")
            continue
        out_of_date = True
        sys.stdout.writelines(difflib.unified_diff(before.splitlines(True), now.splitlines(True), str(page), "now"))
        print(f"\n{page} is out of date: python3 {Path(__file__).relative_to(ROOT)} {heddle} {page}, and read the difference")
    return 1 if out_of_date else 0


if __name__ == "__main__":
    sys.exit(main())
