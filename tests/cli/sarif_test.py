#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""sarif_test.py HEDDLE: independent validators accept the output of `heddle check --format sarif` as SARIF 2.1.0.

Runs every installed validator, and is skipped (exit status 77) when there is none:
  jsonschema      with the standard's schema in the file that HEDDLE_SARIF_SCHEMA names
  sarif_om        classes made from that schema: each property is known, no required property is missing
  sarif_pydantic  types of the values
All are on PyPI.
"""

import importlib
import json
import os
import subprocess
import sys
from pathlib import Path

INPUTS = sorted((Path(__file__).resolve().parents[1] / "check" / "diagnostics").glob("*.ptx"))

# The class of sarif_om for the value of a property.
CLASSES = {
    "runs": "Run", "tool": "Tool", "driver": "ToolComponent", "rules": "ReportingDescriptor",
    "shortDescription": "MultiformatMessageString", "fullDescription": "MultiformatMessageString",
    "help": "MultiformatMessageString", "defaultConfiguration": "ReportingConfiguration", "invocations": "Invocation",
    "results": "Result", "message": "Message", "locations": "Location", "relatedLocations": "Location",
    "physicalLocation": "PhysicalLocation", "artifactLocation": "ArtifactLocation", "region": "Region",
}


def module(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def by_schema(log):
    jsonschema, schema = module("jsonschema"), os.environ.get("HEDDLE_SARIF_SCHEMA")
    if not jsonschema or not schema:
        return None
    schema = json.loads(Path(schema).read_text())
    validator = jsonschema.validators.validator_for(schema)(schema)
    return [f"{error.json_path}: {error.message}" for error in validator.iter_errors(log)]


def by_object_model(log):
    model = module("sarif_om")
    if not model:
        return None
    problems = []

    def visit(value, name, where):
        attributes = vars(getattr(model, name))["__attrs_attrs__"]
        known = {attribute.metadata["schema_property_name"]: attribute for attribute in attributes}
        for key, attribute in known.items():
            if attribute.default is importlib.import_module("attr").NOTHING and key not in value:
                problems.append(f"{where}: {name} without {key}")
        for key, inner in value.items():
            if key not in known:
                problems.append(f"{where}: {name} has no {key}")
            for i, element in enumerate(inner if isinstance(inner, list) else [inner]):
                if isinstance(element, dict):
                    visit(element, CLASSES[key], f"{where}.{key}[{i}]")

    visit(log, "SarifLog", "$")
    return problems


def by_types(log):
    model = module("sarif_pydantic")
    if not model:
        return None
    try:
        model.Sarif.model_validate(log)
    except module("pydantic").ValidationError as error:
        return str(error).splitlines()
    return []


def main():
    verdicts = {}
    for files in (INPUTS, INPUTS[:1], [INPUTS[0].parents[1] / "accepted" / "calls.ptx"], ["/nonexistent.ptx"]):
        done = subprocess.run([sys.argv[1], "check", "--format", "sarif", *files], capture_output=True, check=False)
        log = json.loads(done.stdout)
        for judge in (by_schema, by_object_model, by_types):
            verdict = judge(log)
            if verdict is not None:
                verdicts.setdefault(judge.__name__, []).extend(verdict)
    for name, problems in verdicts.items():
        print(f"{name}: {len(problems)} problems", *problems, sep="\n  ")
    if not verdicts:
        print("skipped: no validator (pip install sarif-om, sarif-pydantic)")
        return 77
    return 1 if any(verdicts.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
