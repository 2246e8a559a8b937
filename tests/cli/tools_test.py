#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tools_test.py HEDDLE [LIBCUDA]: the tools that build systems call, by the names under which they call them, and
`heddle info`. With LIBCUDA, the driver runs what they write. What nvcc makes is tested where nvcc is installed."""

import ctypes
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HEDDLE = LIBCUDA = ""  # set in main
HEADER = ".version 7.0\n.target sm_80\n.address_size 64\n"
STORE = HEADER + """.global .u32 g[7];
.const .u32 c[5];
.visible .entry store(.param .u64 out, .param .u32 x)
{
    .shared .f32 s[64];
    .local .b32 l[16];
    .reg .u64 %a;
    .reg .u32 %x;
    ld.param.u64 %a, [out];
    ld.param.u32 %x, [x];
    bar.sync 0;
    bar.sync 3;
    st.global.u32 [%a], %x;
    ret;
}
"""
CALL = HEADER + """.extern .func (.param .b32 r) twice(.param .b32 a);
.visible .entry store(.param .u64 out, .param .u32 x)
{
    .reg .u64 %a;
    .reg .b32 %x;
    ld.param.u64 %a, [out];
    ld.param.u32 %x, [x];
    { .param .b32 a; .param .b32 r; st.param.b32 [a], %x; call.uni (r), twice, (a); ld.param.b32 %x, [r]; }
    st.global.u32 [%a], %x;
    ret;
}
"""
TWICE = HEADER + """.visible .func (.param .b32 r) twice(.param .b32 a)
{
    .reg .b32 %x;
    ld.param.b32 %x, [a];
    add.u32 %x, %x, %x;
    st.param.b32 [r], %x;
    ret;
}
"""
MAD = HEADER + """.visible .entry store(.param .u64 out, .param .u32 x)
{
    .reg .u64 %a;
    .reg .f32 %x, %y;
    ld.param.u64 %a, [out];
    mov.f32 %x, 0f3f800001;
    mul.f32 %y, %x, %x;
    add.f32 %y, %y, 0fbf800002;
    st.global.f32 [%a], %y;
    ret;
}
"""
INFOS = """ptxas info    : 28 bytes gmem, 20 bytes cmem[3]
ptxas info    : Compiling entry function 'store' for 'sm_80'
ptxas info    : Function properties for store
    64 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 2 registers, used 4 barriers, 64 bytes cumulative stack size, 256 bytes smem, 364 bytes cmem[0]
"""
# The words of a command line, its exit status, its standard error; {x} is a file of the test's folder.
PTXAS = [
    ("-arch=sm_80 store.ptx", 0, ""),
    ("-arch sm_80 store.ptx", 0, ""),
    ("--gpu-name sm_80 store.ptx", 0, ""),
    ("--gpu-name=sm_80 -O3 -m64 --opt-level 2 store.ptx", 0,
     "ptxas warning : incompatible redefinition for option 'opt-level', the last value of this option was used\n"),
    ("-arch=sm_80 -O store.ptx", 0, ""),
    ("-arch=sm_90 -v store.ptx", 0, INFOS.replace("sm_80", "sm_90")),
    ("-arch=compute_80 -v store.ptx", 0, ""),
    ("-arch=sm_80 -c call.ptx", 0, ""),
    ("-arch=sm_80 call.ptx twice.ptx", 0, ""),
    ("-arch=sm_80 -e store store.ptx", 0, ""),
    ("-arch=sm_80 --regAllocOptLevel=2 -lineinfo -g -sp-bounds-check --suppress-debug-info store.ptx", 0, ""),
    ("-optf words", 0, INFOS),
    ("-arch=sm_80 -foo store.ptx", 255, "ptxas fatal   : Unknown option 'foo'\n"),
    ("-arch=sm_80 --foo=3 store.ptx", 255, "ptxas fatal   : Unknown option '-foo'\n"),
    ("-gpu-name sm_80 store.ptx", 255, "ptxas fatal   : Unknown option 'gpu-name'\n"),
    ("-archsm_80 store.ptx", 255, "ptxas fatal   : Unknown option 'archsm_80'\n"),
    ("store.ptx -arch", 255, "ptxas fatal   : argument expected after '-arch'\n"),
    ("-v=true store.ptx", 255, "ptxas fatal   : no argument expected after '-v'\n"),
    ("-arch=sm_80 -fmad store.ptx", 255, "ptxas fatal   : 'store.ptx': expected true or false\n"),
    ("-arch=sm_80 -m store.ptx", 255, "ptxas fatal   : 'store.ptx': expected a number\n"),
    ("-arch=sm_80 -m32 store.ptx", 255, "ptxas fatal   : Value '32' is not defined for option 'machine'\n"),
    ("-arch=sm_81 store.ptx", 255, "ptxas fatal   : Value 'sm_81' is not defined for option 'gpu-name'\n"),
    ("-maxrregcount=abc -arch=sm_80 store.ptx", 255, "ptxas fatal   : Invalid value 'abc' for option 'maxrregcount'\n"),
    ("-optf=absent", 255, "ptxas fatal   : Could not open options file 'absent'\n"),
    ("-optf=circle", 255, "ptxas fatal   : Options file 'circle' is nested too deep\n"),
    ("-arch=sm_80 absent.ptx", 255, "ptxas fatal   : Input file 'absent.ptx' could not be opened\n"
     "ptxas fatal   : Ptx assembly aborted due to errors\n"),
    ("store.ptx", 255, "ptxas fatal   : SM version specified by .target is higher than default SM version assumed\n"),
    ("-arch=sm_90 own.ptx", 255, "ptxas fatal   : PTX with .target 'sm_90a' cannot be compiled for architecture 'sm_90'\n"),
    ("-arch=sm_100a own.ptx", 255,
     "ptxas fatal   : Program with .target 'sm_90a' cannot be compiled to future architecture\n"),
    ("-arch=sm_120 family.ptx", 255,
     "ptxas fatal   : Program with .target 'sm_100f' cannot be compiled to different SM-family architecture\n"),
    ("-arch=sm_103 family.ptx", 0, ""),
    ("-arch=sm_80 -e absent store.ptx", 255, "ptxas fatal   : Unknown function absent\n"),
    ("-arch=sm_80 store.ptx -o absent/x", 255, "ptxas fatal   : Output file 'absent/x' could not be opened\n"),
]
OTHERS = [
    ("nvlink -foo", 1, "nvlink fatal   : Unknown option 'foo'\n"),
    ("nvlink store.ptx -o x", 1, "nvlink fatal   : Value '(null)' is not defined for option 'arch'\n"),
    ("nvlink -arch=sm_80 store.ptx", 1, "nvlink fatal   : Must specify output file with -o option\n"),
    ("nvlink -arch=sm_80 -ox store.ptx", 1, "nvlink fatal   : Unknown option 'ox'\n"),
    ("nvlink -arch=sm_80 absent.o -o x", 1, "nvlink fatal   : Could not open input file 'absent.o'\n"),
    ("nvlink -arch=sm_75 store.ptx -o x", 1, "nvlink fatal   : store.ptx is for sm_80, which sm_75 does not run\n"),
    ("nvlink -arch=sm_80 -L/absent -labsent -v store.ptx -o x", 0, "nvlink info    : 28 bytes gmem\n"
     "nvlink info    : Function properties for 'store':\nnvlink info    : used 2 registers, used 4 barriers, 64 stack, "
     "256 bytes smem, 364 bytes cmem[0], 64 bytes lmem\n"),
    ("fatbinary --foo", 1, "fatbinary fatal   : Unknown option '-foo'\n"),
    ("fatbinary -o x", 1, "fatbinary fatal   : Unknown option 'o'\n"),
    ("fatbinary --create=x --image3=kind=foo,sm=80,file=store.ptx", 1,
     "fatbinary fatal   : Missing or unknown kind in image3\n"),
    ("fatbinary --create=x --image3=kind=ptx,sm=80", 1, "fatbinary fatal   : Missing file in image\n"),
    ("fatbinary --create=x --image3=kind=ptx,sm=80,file=absent", 1,
     "fatbinary fatal   : Could not open input file 'absent'\n"),
    ("fatbinary --create=x --image3=kind=ptx,sm=80,file=words", 1,
     "fatbinary fatal   : 'words': could not find ptx version\n"),
    ("fatbinary --create=x --image3=kind=elf,sm=80,file=store.ptx", 1,
     "fatbinary fatal   : 'store.ptx' is no ELF file: a cubin or a container\n"),
    ("fatbinary --create=x --image3=,,= ", 1, "fatbinary fatal   : Missing or unknown kind in image3\n"),
    ("cuobjdump -foo x", 1, "cuobjdump fatal   : Unknown option 'foo'\n"),
    ("cuobjdump absent", 1, "cuobjdump fatal   : Could not open input file 'absent'\n"),
    ("cuobjdump -ptx words", 255, "cuobjdump info    : File 'words' does not contain device code\n"),
]


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="heddle-tools-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.tools = Path(HEDDLE).resolve().parents[1] / "libexec" / "heddle"
        texts = {"store.ptx": STORE, "call.ptx": CALL, "twice.ptx": TWICE, "mad.ptx": MAD,
                 "own.ptx": STORE.replace("7.0", "8.0").replace("sm_80", "sm_90a"),
                 "family.ptx": STORE.replace("7.0", "8.8").replace("sm_80", "sm_100f"),
                 "words": "-arch=sm_80\n  -v 'store.ptx'\n", "circle": "-v --options-file circle"}
        for name, text in texts.items():
            (self.folder / name).write_text(text)

    def run_words(self, words, status=0, env=None):
        done = subprocess.run(words, cwd=self.folder, capture_output=True, text=True, timeout=120, check=False,
                              env={**os.environ, **(env or {})})
        self.assertEqual(done.returncode, status, f"{words}\n{done.stdout}\n{done.stderr}")
        return done.stdout, done.stderr

    def tool(self, line, status=0, env=None):
        """Runs a tool by its own name; the line's words have no blanks inside."""
        name, *words = line.split()
        return self.run_words([str(self.tools / name), *words], status, env)


class CommandLines(Case):
    def test_ptxas(self):
        for words, status, messages in PTXAS:
            with self.subTest(words):
                self.assertEqual(self.tool("ptxas " + words, status)[1], messages)

    def test_others(self):
        for line, status, messages in OTHERS:
            with self.subTest(line):
                self.assertEqual(self.tool(line, status)[1], messages)

    def test_mistakes_in_ptx_have_their_place(self):
        (self.folder / "bad.ptx").write_text(STORE.replace("bar.sync 3", "foo"))
        _, messages = self.tool("ptxas -arch=sm_80 bad.ptx", 255)
        self.assertRegex(messages, r"^bad.ptx:\d+:\d+: error\[P2001\]: unknown instruction 'foo'\n")
        self.assertTrue(messages.endswith("ptxas fatal   : Ptx assembly aborted due to errors\n"), messages)
        self.assertFalse((self.folder / "elf.o").exists())
        self.assertIn("'twice' is declared, but no module defines it", self.tool("ptxas -arch=sm_80 call.ptx", 255)[1])

    def test_output(self):
        self.tool("ptxas -arch=sm_80 store.ptx")
        self.assertTrue((self.folder / "elf.o").read_bytes().startswith(b"\x7fELF"))
        self.run_words([str(self.tools / "ptxas"), "-arch=sm_80", "-ias", STORE, "-o", "s.cubin"])
        self.assertIn("s.cubin: a container", self.run_words([HEDDLE, "info", "s.cubin"])[0])

    def test_version(self):
        for tool in ("ptxas", "nvlink", "fatbinary", "cuobjdump"):
            out, _ = self.tool(f"{tool} --version")
            self.assertTrue(out.startswith(f"{tool}: Heddle "), out)
            self.assertIn("\nCuda compilation tools, release 13.1, V13.1.0\n", out)
            self.assertEqual(self.run_words([HEDDLE, tool, "-V"])[0], out)
            self.assertIn("Usage  : " + tool, self.run_words([HEDDLE, "help", tool])[0])
        out, _ = self.tool("ptxas --version", env={"HEDDLE_PTXAS_RELEASE": "12.6"})
        self.assertIn("release 12.6, V12.6.0", out)
        self.assertTrue(self.tool("ptxas --list-version")[0].endswith("9.0\n9.1\n"))


    def test_exec_names_the_tools(self):
        variables = ("TRITON_PTXAS_PATH", "TRITON_PTXAS_BLACKWELL_PATH", "TRITON_LIBCUDA_PATH", "XLA_FLAGS", "PATH")
        program = [HEDDLE, "exec", "--", sys.executable, "-c",
                   f"import os; print(*[os.environ[name] for name in {variables}], sep='\\n')"]
        library = self.tools.parents[1] / "lib"
        if not (library / "libcuda.so.1").exists():
            self.skipTest("no libcuda")
        nothing = dict.fromkeys(variables, "")
        data_dir = f"--xla_gpu_cuda_data_dir={self.tools}/cuda"
        self.assertEqual(self.run_words(program, env=nothing)[0].splitlines(),
                         [f"{self.tools}/ptxas", f"{self.tools}/ptxas", str(library), data_dir, str(self.tools)])
        (self.folder / "ptxas").touch()
        own = {"TRITON_PTXAS_PATH": "/a", "TRITON_PTXAS_BLACKWELL_PATH": "/b", "TRITON_LIBCUDA_PATH": "/c",
               "XLA_FLAGS": "--xla_gpu_cuda_data_dir=/d", "PATH": f"/e:{self.folder}"}
        self.assertEqual(self.run_words(program, env=own)[0].splitlines(), list(own.values()))
        out, _ = self.run_words(program, env={**nothing, "XLA_FLAGS": "--x", "PATH": "/e"})
        self.assertEqual(out.splitlines()[-2:], [f"--x {data_dir}", f"{self.tools}:/e"])


class Files(Case):
    def test_info(self):
        self.tool("ptxas -arch=sm_80 -maxrregcount=32 -fmad=false store.ptx -o s.cubin")
        self.tool("fatbinary --create=s.fatbin --image3=kind=elf,sm=80,file=s.cubin --image3=kind=ptx,sm=80,file=twice.ptx")
        out, _ = self.run_words([HEDDLE, "info", "--format", "json", "s.cubin", "s.fatbin"])
        container, fat = json.loads(out)
        text = container["code"][0]["texts"][0]
        self.assertEqual((container["is"], text["name"], text["version"], text["target"]),
                         ("a container", "store.ptx", "7.0", "sm_80"))
        self.assertEqual((text["max_registers"], text["contract"], text["constant_bytes"]), (32, False, 20))
        self.assertEqual(text["kernels"], [{"name": "store", "parameters": ["out: .u64", "x: .u32"], "shared_bytes": 256,
                                            "local_bytes": 64, "registers": 2, "barriers": 4}])
        self.assertEqual([(code["kind"], code["target"]) for code in fat["code"]],
                         [("container", "sm_80"), ("PTX", "sm_80")])
        self.assertEqual(self.run_words([HEDDLE, "info", "--ptx", "s.cubin"])[0], STORE + "\n")
        self.assertIn("store.ptx: PTX 7.0 for sm_80", self.run_words([HEDDLE, "info", "s.fatbin"])[0])
        (self.folder / "cut").write_bytes((self.folder / "s.cubin").read_bytes()[:300])
        self.run_words([HEDDLE, "info", "cut", "store.ptx"], status=2)
        self.run_words([HEDDLE, "info", "words"], status=2)

    def test_cuobjdump(self):
        for mode, options in (("none", "-g"), ("speed", ""), ("default", "")):
            self.tool(f"fatbinary --create=s.fatbin --image3=kind=ptx,sm=90a,file=store.ptx -cmdline=-O1 "
                      f"-ident s.cu --compress-mode={mode} {options}")
            self.assertEqual(self.tool("cuobjdump -lptx s.fatbin")[0], "PTX file    1: s.1.sm_90a.ptx\n")
            out, _ = self.tool("cuobjdump --dump-ptx s.fatbin")
            self.assertIn("arch = sm_90a\ncode version = [7,0]\n", out)
            self.assertIn("identifier = s.cu\n" + ("debuggable\n" if options else "") +
                          ("" if mode == "none" else "compressed\n") + "ptxasOptions = -O1\n", out)
            self.assertIn(STORE, out)
        self.tool("cuobjdump -xptx all s.fatbin")
        self.assertEqual((self.folder / "s.1.sm_90a.ptx").read_text(), STORE)


@unittest.skipUnless(len(sys.argv) > 2, "no libcuda")
class Runs(Case):
    """The driver runs what the tools write."""

    def store(self, image, x=21):
        """The number that the kernel `store` of the image writes."""
        cuda = ctypes.CDLL(LIBCUDA)
        context, module, function, out = (ctypes.c_void_p() for _ in range(4))
        number = ctypes.c_uint32()

        def check(result):
            self.assertEqual(result, 0)
        check(cuda.cuInit(0))
        check(cuda.cuCtxCreate_v2(ctypes.byref(context), 0, 0))
        check(cuda.cuModuleLoadData(ctypes.byref(module), (self.folder / image).read_bytes()))
        check(cuda.cuModuleGetFunction(ctypes.byref(function), module, b"store"))
        check(cuda.cuMemAlloc_v2(ctypes.byref(out), ctypes.c_size_t(4)))
        value = ctypes.c_uint32(x)
        params = (ctypes.c_void_p * 2)(ctypes.addressof(out), ctypes.addressof(value))
        check(cuda.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, None, params, None))
        check(cuda.cuMemcpyDtoH_v2(ctypes.byref(number), out, ctypes.c_size_t(4)))
        check(cuda.cuCtxDestroy_v2(context))
        return number.value

    def test_ptxas(self):
        self.tool("ptxas -arch=sm_80 store.ptx -o s.cubin")
        self.assertEqual(self.store("s.cubin"), 21)
        self.tool("ptxas -arch=sm_80 call.ptx twice.ptx -o s.cubin")
        self.assertEqual(self.store("s.cubin"), 42)

    def test_fmad(self):
        """1 + 2^-22 + 2^-46 less 1 + 2^-22: the fma alone keeps the last part."""
        for option, bits in (("", 0x28800000), ("--fmad=false", 0)):
            self.tool(f"ptxas -arch=sm_80 {option} mad.ptx -o s.cubin")
            self.assertEqual(self.store("s.cubin"), bits)

    def test_nvlink(self):
        self.tool("ptxas -arch=sm_80 -c call.ptx -o call.o")
        self.tool("ptxas -arch=sm_80 -c twice.ptx -o twice.o")
        for parts in ("call.o twice.o", "call.ptx twice.o"):
            self.tool(f"nvlink -arch=sm_80 {parts} -o s.cubin")
            self.assertEqual(self.store("s.cubin"), 42)
        self.assertIn("'twice' is declared", self.tool("nvlink -arch=sm_80 call.o -o s.cubin", 1)[1])
        self.tool("nvlink -arch=sm_80 -r call.o -o c.o")
        self.tool("nvlink -arch=sm_80 c.o twice.o -o s.cubin")
        self.assertEqual(self.store("s.cubin"), 42)

    def test_fatbinary(self):
        self.tool("ptxas -arch=sm_80 store.ptx -o s.cubin")
        for images in ("--image3=kind=elf,sm=80,file=s.cubin", "--image3=kind=ptx,sm=80,file=store.ptx --compress=false",
                       "--image=profile=compute_80,file=store.ptx", "--image=profile=sm_80,file=s.cubin",
                       "--image3=kind=ptx,sm=80,file=store.ptx --compress-mode=speed"):
            self.tool(f"fatbinary -64 --create=s.fatbin {images}")
            self.assertEqual(self.store("s.fatbin"), 21, images)


PROGRAM = r"""
#include <cstdio>
#ifdef PARTS
__device__ int twice(int x);
#else
__device__ int twice(int x) { return 2 * x; }
#endif
__global__ void k(int* p) { *p = twice(*p); }
int main() {
  int x = 21, *d;
  cudaMalloc(&d, 4);
  cudaMemcpy(d, &x, 4, cudaMemcpyHostToDevice);
  k<<<1, 1>>>(d);
  cudaMemcpy(&x, d, 4, cudaMemcpyDeviceToHost);
  std::printf("%d %s\n", x, cudaGetErrorString(cudaGetLastError()));
}
"""


@unittest.skipUnless(len(sys.argv) > 2 and shutil.which("nvcc"), "no nvcc")
class Nvcc(Case):
    """The steps of nvcc, with these tools in the place of its own."""

    def compile(self, words):
        plan = subprocess.run(["nvcc", "--dryrun", "-cudart", "shared", "-arch=sm_80", *words, "-o", "program"],
                              cwd=self.folder, capture_output=True, text=True, check=True).stderr
        script = ["set -e"]
        for line in plan.splitlines():
            step = line.removeprefix("#$ ")
            if re.match(r"\w+=", step):
                if re.match("(PATH|CICC_PATH)=", step):
                    script.append(re.sub("=(.*)", r"='\1'", step))
                continue
            step = re.sub(r"^(ptxas|nvlink|fatbinary)\b", lambda name: f"'{self.tools / name[1]}'", step)
            script.append(step.replace("rm ", "rm -f ", 1) if step.startswith("rm ") else step)
        (self.folder / "steps.sh").write_text("\n".join(script))
        self.run_words(["bash", "steps.sh"])
        return self.run_words([HEDDLE, "exec", "--", "./program"])[0]

    def test_program(self):
        (self.folder / "a.cu").write_text(PROGRAM)
        self.assertEqual(self.compile(["a.cu"]), "42 no error\n")

    def test_parts(self):
        (self.folder / "a.cu").write_text("#define PARTS\n" + PROGRAM)
        (self.folder / "b.cu").write_text("__device__ int twice(int x) { return 2 * x; }\n")
        self.assertEqual(self.compile(["-rdc=true", "a.cu", "b.cu"]), "42 no error\n")

    def test_real_objects(self):
        """What nvcc's own tools made."""
        (self.folder / "a.cu").write_text(PROGRAM)
        subprocess.run(["nvcc", "-arch=sm_80", "-c", "a.cu"], cwd=self.folder, check=True)
        out, _ = self.tool("cuobjdump -lptx -lelf a.o")
        self.assertEqual(out, "ELF file    1: a.1.sm_80.cubin\nPTX file    1: a.1.sm_80.ptx\n")
        self.assertIn(".visible .entry _Z1kPi(", self.tool("cuobjdump -ptx a.o")[0])
        self.assertIn("_Z1kPi", self.run_words([HEDDLE, "info", "a.o"])[0])


if __name__ == "__main__":
    HEDDLE = os.path.abspath(sys.argv[1])
    LIBCUDA = sys.argv[2] if len(sys.argv) > 2 else ""
    unittest.main(argv=[sys.argv[0]])
