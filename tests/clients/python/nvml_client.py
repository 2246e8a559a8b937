# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""pynvml beside cuda.bindings: both see the same devices, and the memory that this process allocates."""

import os
import subprocess
import sys

import pynvml
from checks import check, finish
from cuda.bindings import driver as cuda


def ask(function, *args):
    error, *values = function(*args)
    if error != cuda.CUresult.CUDA_SUCCESS:
        raise RuntimeError(f"{function.__name__}: {error}")
    return values[0] if values else None


def refuses(function, *args):
    try:
        function(*args)
    except pynvml.NVMLError_NotSupported:
        return True
    return False


def same(name, got, want):
    """Texts are equal."""
    if got != want:
        print(f"{got!r}, not {want!r}")
    check(name, got == want, True)


def text(value):
    return value.split(b"\0")[0].decode()


MIB = 1 << 20
pynvml.nvmlInit()
print(pynvml.nvmlSystemGetDriverVersion(), pynvml.nvmlSystemGetNVMLVersion())
first = pynvml.nvmlDeviceGetHandleByIndex(0)
check("no context yet", [p.pid for p in pynvml.nvmlDeviceGetComputeRunningProcesses(first) if p.pid == os.getpid()], [])

# A process that has only asked the management library may fork.
child = os.fork()
if child == 0:
    os._exit(0 if cuda.cuInit(0)[0] == cuda.CUresult.CUDA_SUCCESS else 1)
check("cuInit after a fork", os.waitpid(child, 0)[1], 0)

ask(cuda.cuInit, 0)
check("CUDA version", pynvml.nvmlSystemGetCudaDriverVersion_v2(), ask(cuda.cuDriverGetVersion))
check("count", [pynvml.nvmlDeviceGetCount(), ask(cuda.cuDeviceGetCount)], [2, 2])
for i in range(2):
    device, handle = ask(cuda.cuDeviceGet, i), pynvml.nvmlDeviceGetHandleByIndex(i)
    same("name", pynvml.nvmlDeviceGetName(handle), text(ask(cuda.cuDeviceGetName, 64, device)))
    uuid = bytes(ask(cuda.cuDeviceGetUuid, device).bytes).hex()
    same("UUID", pynvml.nvmlDeviceGetUUID(handle).replace("-", ""), "GPU" + uuid)
    bus = text(ask(cuda.cuDeviceGetPCIBusId, 32, device))
    same("PCI address", pynvml.nvmlDeviceGetPciInfo(handle).busIdLegacy, bus.upper())
    check("handle by PCI address", pynvml.nvmlDeviceGetIndex(pynvml.nvmlDeviceGetHandleByPciBusId(bus)), i)
    check("memory", pynvml.nvmlDeviceGetMemoryInfo(handle).total, ask(cuda.cuDeviceTotalMem, device))
    check("memory v2", pynvml.nvmlDeviceGetMemoryInfo(handle, version=pynvml.nvmlMemory_v2).total, ask(cuda.cuDeviceTotalMem, device))
    check("capability", pynvml.nvmlDeviceGetCudaComputeCapability(handle), (9, 0))
    check("no temperature", refuses(pynvml.nvmlDeviceGetTemperature, handle, pynvml.NVML_TEMPERATURE_GPU), True)
    check("no power", refuses(pynvml.nvmlDeviceGetPowerUsage, handle), True)

context = ask(cuda.cuCtxCreate, None, 0, ask(cuda.cuDeviceGet, 0))
memory = ask(cuda.cuMemAlloc, 10 * MIB)
used = {p.pid: p.usedGpuMemory for p in pynvml.nvmlDeviceGetComputeRunningProcesses(first)}
check("memory of this process", used.get(os.getpid()), 10 * MIB)
for name, *command in [("gpustat", "gpustat", "--no-color"), ("nvitop", "nvitop", "-1")]:
    done = subprocess.run([sys.executable, "-m", *command], capture_output=True, text=True, check=False,
                          env={**os.environ, "TERM": "xterm", "COLUMNS": "120", "LINES": "40"})
    print(done.stdout + done.stderr)
    check(name, [done.returncode, "H200" in done.stdout], [0, True])
ask(cuda.cuMemFree, memory)
pynvml.nvmlShutdown()
finish()
