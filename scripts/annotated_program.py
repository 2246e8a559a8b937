# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A source file whose first comment says how to test it, in lines `// key: value`; a key may stand more than once."""

import re


class AnnotatedProgram:
    def __init__(self, path):
        comment = re.match(r"(?://[^\n]*\n)*", path.read_text()).group(0)
        self.path = path
        self.name = path.stem
        self.fields = {}
        for key, value in re.findall(r"^// (\w+): (.*)$", comment, re.M):
            self.fields.setdefault(key, []).append(value)

    def get(self, key):
        return self.fields.get(key, [])

    def one(self, key, default=""):
        return self.get(key)[0] if self.get(key) else default
