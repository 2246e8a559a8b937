#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of page_commands.py: the output that it writes into a page, and the blocks that it refuses."""

import unittest

import page_commands


def now(*lines):
    """A block of these lines, after page_commands.py has written the output."""
    text = "text\n\n```console\n" + "".join(f"{line}\n" for line in lines) + "```\n\n```text\n$ echo no command\n```\n"
    made = page_commands.page_now("/nowhere/heddle", text)
    start, block, rest = made.partition("```console\n")
    assert start == "text\n\n" and rest.endswith("```text\n$ echo no command\n```\n")
    return block and rest.split("```")[0].splitlines()


class Blocks(unittest.TestCase):
    def test_outputs_follow_commands(self):
        for before, after in [
                (["$ echo new"], ["$ echo new", "new"]),
                (["$ echo new", "old", "older"], ["$ echo new", "new"]),
                (["$ f() { echo $1; }", "$ f a", "$ f b"], ["$ f() { echo $1; }", "$ f a", "a", "$ f b", "b"]),
                (["$ echo a |", ">     tr a b"], ["$ echo a |", ">     tr a b", "b"]),
                (["$ echo a; echo b >&2"], ["$ echo a; echo b >&2", "a", "b"]),
                (["$ printf 'a  \\n'"], ["$ printf 'a  \\n'", "a"]),
                (["$ false"], ["$ false"]),
                (["$ echo \"[$HEDDLE_ENGINE$HEDDLE_CACHE]\""], ["$ echo \"[$HEDDLE_ENGINE$HEDDLE_CACHE]\"", "[0]"])]:
            with self.subTest(before=before):
                self.assertEqual(now(*before), after)

    def test_refusals(self):
        for block, why in [
                (["$ true", "old"], "`true` prints nothing any more"),
                (["$ echo 'a"], "the shell ended at `\\$ echo 'a`"),
                (["$ exit 3", "$ echo a"], "the shell ended at `\\$ exit 3`"),
                (["no command"], "no command prints `no command`")]:
            with self.subTest(block=block), self.assertRaisesRegex(page_commands.PageError, why):
                now(*block)


if __name__ == "__main__":
    unittest.main()
