# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The parts of scripts/isagen.py: reader -> resolve -> emit_*. docs/adding-an-instruction.md is the notation."""
