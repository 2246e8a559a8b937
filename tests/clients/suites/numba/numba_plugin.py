# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A plugin of pytest that numba-cuda's test classes need."""

import importlib

import pytest


class TestModule(pytest.Module):
    """Imports a module by the name that the tests, and the processes that they start, use for it."""

    def _getobj(self):
        parts = self.path.with_suffix("").parts
        return importlib.import_module(".".join(parts[parts.index("numba_cuda") + 1:]))


def pytest_pycollect_makemodule(module_path, parent):
    if "numba_cuda" in module_path.parts:
        return TestModule.from_parent(parent, path=module_path)
    return None


def pytest_collection_modifyitems(items):
    """Skips a test whose kernel replaces a field of a tensor map, 128 bytes, in a shared variable of 4 bytes. That traps, and
    afterwards no test of the process could use the device."""
    for item in items:
        if item.name == "test_device_arch_specific":
            item.add_marker(pytest.mark.skip(reason="accesses shared memory beyond its variable"))


@pytest.fixture(scope="class")
def initialize_from_pytest_config(request):
    request.cls._dump_failed_filechecks = False
