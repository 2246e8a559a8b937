# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""All generated files, as {name below isa/: text}."""

from __future__ import annotations

from typing import Dict

from .emit_cases import cases_txt
from .emit_functions import function_files
from .emit_headers import groups_h, handlers_inc, sem_ids_h, special_registers_h, types_h
from .emit_instances import form_instances_txt
from .emit_tables import tables_cpp
from .model import Isa


def outputs(isa: Isa) -> Dict[str, str]:
    files = function_files(isa)  # decides the dispatch bases that the tables hold
    files["types.h"] = types_h(isa)
    files["groups.h"] = groups_h(isa)
    files["sem_ids.h"] = sem_ids_h(isa)
    files["handlers.inc"] = handlers_inc(isa)
    files["special_registers.h"] = special_registers_h(isa)
    files["tables.cpp"] = tables_cpp(isa)
    files["form_instances.txt"] = form_instances_txt(isa)
    files["cases.txt"] = cases_txt(isa)
    return files
