// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Modules: loading, lookup, messages about bad ones; the linker. Driver API 6.10.
#include <array>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "client.h"
#include "image/test_images.h"
#include "kernels.h"

namespace {

using testing::AllOf;
using testing::HasSubstr;
using namespace heddle::image;

class Modules : public InContext {
 protected:
  static CUmodule load(const char* ptx = kKernels) {
    CUmodule module = nullptr;
    EXPECT_OK(cuModuleLoadData(&module, ptx));
    return module;
  }
};

/// Log buffers for cuModuleLoadDataEx and cuLinkCreate.
struct Logs {
  Logs() = default;
  Logs(const Logs&) = delete;  // `values` points into the object
  std::array<char, 4096> errors{}, infos{};
  std::array<CUjit_option, 4> options{CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
                                      CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES};
  std::array<void*, 4> values{errors.data(), reinterpret_cast<void*>(errors.size()), infos.data(),
                              reinterpret_cast<void*>(infos.size())};
  size_t errors_filled() const { return reinterpret_cast<size_t>(values[1]); }
};

TEST_F(Modules, FunctionsByName) {
  const CUmodule module = load();
  CUfunction a = nullptr, b = nullptr;
  EXPECT_OK(cuModuleGetFunction(&a, module, "add_to"));
  EXPECT_OK(cuModuleGetFunction(&b, module, "add_to"));
  EXPECT_EQ(a, b);
  const char* name = nullptr;
  CUmodule owner = nullptr;
  EXPECT_OK(cuFuncGetName(&name, a));
  EXPECT_STREQ(name, "add_to");
  EXPECT_OK(cuFuncGetModule(&owner, a));
  EXPECT_EQ(owner, module);
  EXPECT_EQ(cuModuleGetFunction(&a, module, "no_such_kernel"), CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(cuModuleGetFunction(&a, module, "counter"), CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(cuModuleGetFunction(&a, module, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuModuleGetFunction(&a, nullptr, "add_to"), CUDA_ERROR_INVALID_HANDLE);
}

TEST_F(Modules, Enumerate) {
  const CUmodule module = load();
  unsigned count = 0;
  EXPECT_OK(cuModuleGetFunctionCount(&count, module));
  EXPECT_EQ(count, 9u);
  std::vector<CUfunction> functions(count + 1, nullptr);
  EXPECT_OK(cuModuleEnumerateFunctions(functions.data(), count + 1, module));
  CUfunction first = nullptr;
  EXPECT_OK(cuModuleGetFunction(&first, module, "add_to"));
  EXPECT_EQ(functions[0], first);
  EXPECT_NE(functions[count - 1], nullptr);
  EXPECT_EQ(functions[count], nullptr);
}

TEST_F(Modules, Globals) {
  const CUmodule module = load();
  CUdeviceptr pointer = 0, base = 0;
  size_t bytes = 0;
  EXPECT_OK(cuModuleGetGlobal_v2(&pointer, &bytes, module, "counter"));
  EXPECT_EQ(bytes, 4u);
  int value = 0;
  EXPECT_OK(cuMemcpyDtoH_v2(&value, pointer, 4));
  EXPECT_EQ(value, 5) << "initialised";
  EXPECT_OK(cuMemGetAddressRange_v2(&base, &bytes, pointer)) << "as libgomp asks";
  EXPECT_EQ(base, pointer);
  EXPECT_OK(cuModuleGetGlobal_v2(nullptr, &bytes, module, "table"));
  EXPECT_EQ(bytes, 24u);
  EXPECT_OK(cuModuleGetGlobal_v2(&pointer, nullptr, module, "table"));
  EXPECT_EQ(cuModuleGetGlobal_v2(nullptr, nullptr, module, "table"), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuModuleGetGlobal_v2(&pointer, &bytes, module, "add_to"), CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(cuModuleGetGlobal_v2(&pointer, &bytes, module, "nothing"), CUDA_ERROR_NOT_FOUND);
}

TEST_F(Modules, EachLoadHasItsOwnVariables) {
  const CUmodule a = load(), b = load();
  CUdeviceptr in_a = 0, in_b = 0;
  EXPECT_OK(cuModuleGetGlobal_v2(&in_a, nullptr, a, "counter"));
  EXPECT_OK(cuModuleGetGlobal_v2(&in_b, nullptr, b, "counter"));
  EXPECT_NE(in_a, in_b);
}

constexpr char kExtern[] =
    ".version 8.0\n.target sm_75\n.address_size 64\n"
    ".extern .global .u32 used;\n.extern .global .u32 unused[4];\n"
    ".visible .entry reads(.param .u64 out) { .reg .u64 p; .reg .u32 r;\n"
    "ld.param.u64 p, [out]; ld.global.u32 r, [used]; st.global.u32 [p], r; ret; }\n";

TEST_F(Modules, ExternVariablesThatNobodyDefinesAreZeros) {
  Logs logs;
  CUmodule module = nullptr;
  ASSERT_OK(cuModuleLoadDataEx(&module, kExtern, 4, logs.options.data(), logs.values.data()));
  EXPECT_THAT(logs.infos.data(),
              AllOf(HasSubstr("P4005"), HasSubstr("'used'"), HasSubstr("'unused'")));
  CUfunction function = nullptr;
  CUdeviceptr out = 0, unused = 0;
  size_t bytes = 0;
  ASSERT_OK(cuModuleGetFunction(&function, module, "reads"));
  ASSERT_OK(cuMemAlloc_v2(&out, 4));
  ASSERT_OK(cuMemsetD8_v2(out, 0xff, 4));
  void* params[] = {&out};
  EXPECT_OK(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, params, nullptr));
  unsigned result = 1;
  EXPECT_OK(cuMemcpyDtoH_v2(&result, out, 4));
  EXPECT_EQ(result, 0u);
  EXPECT_OK(cuModuleGetGlobal_v2(&unused, &bytes, module, "unused"));
  EXPECT_EQ(bytes, 16u);
}

TEST_F(Modules, UnloadEndsHandles) {
  const CUmodule module = load();
  CUfunction function = nullptr;
  CUdeviceptr pointer = 0;
  int value = 0;
  EXPECT_OK(cuModuleGetFunction(&function, module, "count"));
  EXPECT_OK(cuModuleGetGlobal_v2(&pointer, nullptr, module, "counter"));
  EXPECT_OK(cuModuleUnload(module));
  EXPECT_EQ(cuModuleUnload(module), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, function),
            CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr),
            CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuMemcpyDtoH_v2(&value, pointer, 4), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Modules, FromFile) {
  const std::string path = testing::TempDir() + "heddle_module_test.ptx";
  std::FILE* file = std::fopen(path.c_str(), "w");
  ASSERT_NE(file, nullptr);
  std::fputs(kKernels, file);
  std::fclose(file);
  CUmodule module = nullptr;
  EXPECT_OK(cuModuleLoad(&module, path.c_str()));
  EXPECT_EQ(cuModuleLoad(&module, "/no/such/file.ptx"), CUDA_ERROR_FILE_NOT_FOUND);
  std::remove(path.c_str());
}

TEST_F(Modules, MistakesGoToTheErrorLog) {
  Logs logs;
  CUmodule module = nullptr;
  const char* bad =
      ".version 7.8\n.target sm_75\n.address_size 64\n"
      ".visible .entry k() {\n  .reg .b32 %r;\n  add.u32 %r, %r, %missing;\n  ret;\n}\n";
  EXPECT_EQ(cuModuleLoadDataEx(&module, bad, 4, logs.options.data(), logs.values.data()),
            CUDA_ERROR_INVALID_PTX);
  EXPECT_THAT(logs.errors.data(), HasSubstr("%missing"));
  EXPECT_THAT(logs.errors.data(), HasSubstr("6"));
  EXPECT_EQ(logs.errors_filled(), std::strlen(logs.errors.data()));
  EXPECT_EQ(module, nullptr);
}

TEST_F(Modules, WithoutALogMistakesGoToStderr) {
  CUmodule module = nullptr;
  testing::internal::CaptureStderr();
  EXPECT_EQ(cuModuleLoadData(&module, ".version 7.8\n.target sm_75\nnonsense\n"),
            CUDA_ERROR_INVALID_PTX);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("nonsense"));
}

TEST_F(Modules, NotEvenPtx) {
  std::string said;
  CUmodule module = nullptr;
  const auto load = [&](const void* image) {
    Logs logs;
    const CUresult result =
        cuModuleLoadDataEx(&module, image, 4, logs.options.data(), logs.values.data());
    said = logs.errors.data();
    return result;
  };
  EXPECT_EQ(load("hello"), CUDA_ERROR_INVALID_IMAGE);
  EXPECT_EQ(load("\x7f"
                 "ELF\2\1\1"),
            CUDA_ERROR_NO_BINARY_FOR_GPU);
  EXPECT_THAT(said, HasSubstr("cubin"));
  EXPECT_EQ(load(".version 0.9\n.target sm_75\n"), CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
  EXPECT_EQ(load(nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuModuleLoadData(nullptr, kKernels), CUDA_ERROR_INVALID_VALUE);
}

constexpr char kOfAVersionToCome[] =
    ".version 9.5\n.target sm_75\n.address_size 64\n.visible .entry k() { ret; }\n";

TEST_F(Modules, OfAVersionToComeAreLoadedWithAWarning) {
  Logs logs;
  CUmodule module = nullptr;
  CUfunction kernel = nullptr;
  EXPECT_OK(
      cuModuleLoadDataEx(&module, kOfAVersionToCome, 4, logs.options.data(), logs.values.data()));
  EXPECT_THAT(logs.infos.data(), HasSubstr("warning[P3008]"));
  EXPECT_OK(cuModuleGetFunction(&kernel, module, "k"));
  EXPECT_OK(cuModuleUnload(module));

  CUlinkState link = nullptr;
  void* cubin = nullptr;
  size_t size = 0;
  EXPECT_OK(cuLinkCreate(0, nullptr, nullptr, &link));
  EXPECT_OK(cuLinkAddData(link, CU_JIT_INPUT_PTX, const_cast<char*>(kOfAVersionToCome),
                          sizeof kOfAVersionToCome, "new.ptx", 0, nullptr, nullptr));
  EXPECT_OK(cuLinkComplete(link, &cubin, &size));
  EXPECT_OK(cuModuleLoadData(&module, cubin));
  EXPECT_OK(cuModuleUnload(module));
  EXPECT_OK(cuLinkDestroy(link));

  const std::string unknown =
      ".version 9.5\n.target sm_75\n.address_size 64\n.visible .entry k() { new.u32; }\n";
  EXPECT_EQ(cuModuleLoadData(&module, unknown.c_str()), CUDA_ERROR_INVALID_PTX);
}

TEST_F(Modules, FunctionAttributes) {
  const CUmodule module = load();
  const struct {
    const char* kernel;
    CUfunction_attribute attribute;
    int at_least, at_most;
  } kCases[] = {
      {"add_to", CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1024, 1024},
      {"small_blocks", CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 64, 64},
      {"one_shape", CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 64, 64},
      {"add_to", CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, 0, 0},
      {"reverse", CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, 16, 16},
      {"add_to", CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES, 24, 24},
      {"add_to", CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, 0, 0},
      {"add_to", CU_FUNC_ATTRIBUTE_NUM_REGS, 1, 64},
      {"add_to", CU_FUNC_ATTRIBUTE_PTX_VERSION, 75, 75},
      {"add_to", CU_FUNC_ATTRIBUTE_BINARY_VERSION, 120, 120},
      {"reverse", CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 48 * 1024 - 16, 48 * 1024 - 16},
      {"add_to", CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH, 0, 0},
  };
  for (const auto& c : kCases) {
    CUfunction function = nullptr;
    int value = -1;
    ASSERT_OK(cuModuleGetFunction(&function, module, c.kernel));
    EXPECT_OK(cuFuncGetAttribute(&value, c.attribute, function));
    EXPECT_THAT(value, testing::AllOf(testing::Ge(c.at_least), testing::Le(c.at_most)))
        << c.kernel << " attribute " << c.attribute;
  }
}

// CU_JIT_MAX_REGISTERS, wherever it is given, limits the reported number of registers of a kernel.
// Directives of the text take precedence.
TEST_F(Modules, MaximumOfRegisters) {
  // A hundred values that are live at the same time.
  std::string body =
      "(.param .u64 a) DIRECTIVE { .reg .b64 p; .reg .b32 r<100>; ld.param.u64 p, [a];\n";
  for (const char* const line : {"ld.global.b32 rN, [p+M];\n", "st.global.b32 [p+M], rN;\n"}) {
    for (int i = 0; i < 100; ++i) {
      std::string one = line;
      one.replace(one.find('N'), 1, std::to_string(i));
      body += one.replace(one.find('M'), 1, std::to_string(4 * i));
    }
  }
  body += "ret; }\n";
  std::string text = ".version 7.8\n.target sm_75\n.address_size 64\n";
  const struct {
    const char *name, *directive;
    unsigned limit;
    int registers;
  } kCases[] = {{"plain", "", 0, 64},
                {"plain", "", 32, 32},
                {"plain", "", 8, 24},
                {"plain", "", 1000, 64},
                {"own", ".maxnreg 40", 32, 40},
                {"own", ".maxnreg 40", 0, 40},
                {"threads", ".maxntid 128", 32, 64}};
  for (const char* name : {"plain", "own", "threads"}) {
    const auto* const found = std::ranges::find_if(
        kCases, [&](const auto& c) { return std::string_view(c.name) == name; });
    std::string one = body;
    text += std::string(".visible .entry ") + name +
            one.replace(one.find("DIRECTIVE"), 9, found->directive);
  }
  CUjit_option option = CU_JIT_MAX_REGISTERS;
  for (const auto& c : kCases) {
    SCOPED_TRACE(testing::Message() << c.name << " " << c.limit);
    void* value = reinterpret_cast<void*>(std::uintptr_t{c.limit});
    const unsigned count = c.limit ? 1 : 0;
    const auto expect_in = [&](CUmodule module) {
      CUfunction function = nullptr;
      int registers = 0;
      ASSERT_OK(cuModuleGetFunction(&function, module, c.name));
      EXPECT_OK(cuFuncGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, function));
      EXPECT_EQ(registers, c.registers);
      EXPECT_OK(cuModuleUnload(module));
    };
    CUmodule module = nullptr;
    ASSERT_OK(cuModuleLoadDataEx(&module, text.c_str(), count, &option, &value));
    expect_in(module);
    CUlibrary library = nullptr;
    CUkernel kernel = nullptr;
    int registers = 0;
    ASSERT_OK(
        cuLibraryLoadData(&library, text.c_str(), &option, &value, count, nullptr, nullptr, 0));
    ASSERT_OK(cuLibraryGetKernel(&kernel, library, c.name));
    EXPECT_OK(cuKernelGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, kernel, device));
    EXPECT_EQ(registers, c.registers);
    EXPECT_OK(cuLibraryUnload(library));
    // For a whole link; for one input, which takes precedence over that of the link.
    for (const bool of_input : {false, true}) {
      CUlinkState link = nullptr;
      void* other = reinterpret_cast<void*>(std::uintptr_t{50});
      void* image = nullptr;
      ASSERT_OK(cuLinkCreate_v2(count, &option, of_input ? &other : &value, &link));
      ASSERT_OK(cuLinkAddData_v2(link, CU_JIT_INPUT_PTX, text.data(), text.size() + 1, "a",
                                 of_input ? count : 0, &option, &value));
      std::string second =
          ".version 7.8\n.target sm_75\n.address_size 64\n.visible .entry other() {ret;}";
      ASSERT_OK(cuLinkAddData_v2(link, CU_JIT_INPUT_PTX, second.data(), second.size() + 1, "b", 0,
                                 nullptr, nullptr));
      ASSERT_OK(cuLinkComplete(link, &image, nullptr));
      ASSERT_OK(cuModuleLoadData(&module, image));
      expect_in(module);
      EXPECT_OK(cuLinkDestroy(link));
    }
  }
}

TEST_F(Modules, SetAttribute) {
  CUfunction function = nullptr;
  int value = 0;
  ASSERT_OK(cuModuleGetFunction(&function, load(), "reverse"));
  const auto set = [&](CUfunction_attribute attribute, int to) {
    return cuFuncSetAttribute(function, attribute, to);
  };
  EXPECT_OK(set(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 64 * 1024));
  EXPECT_OK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, function));
  EXPECT_EQ(value, 64 * 1024);
  EXPECT_EQ(set(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1 << 30),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(set(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, -1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(set(CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 100));
  EXPECT_EQ(set(CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 101), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(set(CU_FUNC_ATTRIBUTE_NUM_REGS, 1), CUDA_ERROR_INVALID_VALUE) << "read only";
  EXPECT_OK(set(CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH, 4));
  EXPECT_OK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH, function));
  EXPECT_EQ(value, 4);
  EXPECT_OK(set(CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH, 0));
  EXPECT_EQ(set(CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 2), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(set(CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET, 1), CUDA_ERROR_INVALID_VALUE)
      << "read only";
  EXPECT_OK(cuFuncSetCacheConfig(function, CU_FUNC_CACHE_PREFER_L1));
}

TEST_F(Modules, ParameterInfo) {
  CUfunction function = nullptr;
  ASSERT_OK(cuModuleGetFunction(&function, load(), "add_to"));
  const size_t kExpect[][2] = {{0, 8}, {8, 8}, {16, 4}, {20, 1}};
  for (size_t i = 0; i < 4; ++i) {
    size_t offset = 99, size = 99;
    EXPECT_OK(cuFuncGetParamInfo(function, i, &offset, &size));
    EXPECT_EQ(offset, kExpect[i][0]);
    EXPECT_EQ(size, kExpect[i][1]);
  }
  size_t offset = 0;
  EXPECT_EQ(cuFuncGetParamInfo(function, 4, &offset, nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Modules, Occupancy) {
  const CUmodule module = load();
  CUfunction plain = nullptr, small = nullptr;
  ASSERT_OK(cuModuleGetFunction(&plain, module, "add_to"));
  ASSERT_OK(cuModuleGetFunction(&small, module, "small_blocks"));
  int per_sm = 0, threads = 0, blocks = 0, grid = 0, block = 0, sms = 0;
  EXPECT_OK(cuDeviceGetAttribute(&per_sm, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, 0));
  EXPECT_OK(cuDeviceGetAttribute(&sms, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0));
  threads = 256;
  EXPECT_OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, plain, threads, 0));
  EXPECT_EQ(blocks, per_sm / threads);
  EXPECT_OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, plain, threads, 100 * 1024));
  EXPECT_EQ(blocks, 2) << "as many as have room in shared memory";
  EXPECT_OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, small, 128, 0));
  EXPECT_EQ(blocks, 0) << "more threads than .maxntid";
  EXPECT_OK(cuOccupancyMaxPotentialBlockSize(&grid, &block, plain, nullptr, 0, 0));
  EXPECT_EQ(grid / sms * block, per_sm);
  EXPECT_OK(cuOccupancyMaxPotentialBlockSize(&grid, &block, small, nullptr, 0, 0));
  EXPECT_EQ(block, 64);
  EXPECT_EQ(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, plain, 0, 0),
            CUDA_ERROR_INVALID_VALUE);
}

class Linker : public Modules {
 protected:
  struct Input {
    CUjitInputType type;
    std::string bytes;
    const char* name;
  };
  /// Links the inputs; null, with the error log, when that fails.
  static CUmodule link(const std::vector<Input>& inputs, std::string& errors) {
    CUlinkState link = nullptr;
    Logs logs;
    EXPECT_OK(cuLinkCreate_v2(4, logs.options.data(), logs.values.data(), &link));
    CUresult result = CUDA_SUCCESS;
    for (auto [type, bytes, name] : inputs) {
      if (!result) {
        result =
            cuLinkAddData_v2(link, type, bytes.data(), bytes.size(), name, 0, nullptr, nullptr);
      }
    }
    void* image = nullptr;
    CUmodule module = nullptr;
    if (!result) result = cuLinkComplete(link, &image, nullptr);
    if (!result) {
      EXPECT_OK(cuModuleLoadData(&module, image));
    }
    EXPECT_OK(cuLinkDestroy(link));
    errors = logs.errors.data();
    return module;
  }
  /// The result of main_kernel of kCaller for `x`.
  static int run(CUmodule module, int x) {
    CUfunction function = nullptr;
    CUdeviceptr out = 0;
    int result = 0;
    EXPECT_OK(cuModuleGetFunction(&function, module, "main_kernel"));
    EXPECT_OK(cuMemAlloc_v2(&out, 4));
    void* params[] = {&out, &x};
    EXPECT_OK(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, params, nullptr));
    EXPECT_OK(cuMemcpyDtoH_v2(&result, out, 4));
    EXPECT_OK(cuMemFree_v2(out));
    return result;
  }
  static std::string object(const char* ptx) {
    return host_object({{"__nv_relfatbin", fat_binary({{1, 60, ptx, Packing::zstd}})}});
  }
};

TEST_F(Linker, ObjectsAndLibraries) {
  const std::string gpu_code = host_object({{"__nv_relfatbin", fat_binary({{2, 90, "code"}})}});
  const std::string library = archive({{"unneeded.o", object(kCounter)},
                                       {"gpu_code_of_some_other_function.o", gpu_code},
                                       {"twice.o", object(kCallee)}});
  std::string errors;
  const CUmodule module = link({{CU_JIT_INPUT_LIBRARY, library, "libx.a"},
                                {CU_JIT_INPUT_OBJECT, object(kCaller), "caller.o"}},
                               errors);
  ASSERT_TRUE(module) << errors;
  EXPECT_EQ(run(module, 21), 42);
  CUdeviceptr counter = 0;
  EXPECT_EQ(cuModuleGetGlobal_v2(&counter, nullptr, module, "counter"), CUDA_ERROR_NOT_FOUND);

  EXPECT_FALSE(link({{CU_JIT_INPUT_OBJECT, object(kCaller), "caller.o"},
                     {CU_JIT_INPUT_LIBRARY,
                      archive({{"unneeded.o", object(kCounter)}, {"code.o", gpu_code}}), "liby.a"}},
                    errors));
  EXPECT_THAT(errors, AllOf(HasSubstr("twice"), HasSubstr("left out: liby.a(code.o): ")));
  EXPECT_FALSE(link({{CU_JIT_INPUT_OBJECT, gpu_code, "code.o"}}, errors));
  EXPECT_THAT(errors, AllOf(HasSubstr("code.o: "), HasSubstr("GPU code for sm_90")));
  EXPECT_FALSE(link({{CU_JIT_INPUT_LIBRARY, library.substr(0, 100), "libx.a"}}, errors));
  EXPECT_THAT(errors, AllOf(HasSubstr("libx.a: "), HasSubstr("damaged")));
}

// Numba's code for cuda.cg.this_grid().sync(): all CTAs see the writes of all others.
TEST_F(Linker, GridBarrierOfTheDeviceRunTime) {
  std::string errors;
  const CUmodule module = link({{CU_JIT_INPUT_PTX, kGridBarrier, "grid.ptx"}}, errors);
  ASSERT_TRUE(module) << errors;
  CUfunction function = nullptr;
  ASSERT_OK(cuModuleGetFunction(&function, module, "neighbours"));
  constexpr unsigned kBlocks = 8, kThreads = 48, kCount = kBlocks * kThreads;
  CUdeviceptr values = 0, errors_seen = 0;
  ASSERT_OK(cuMemAlloc_v2(&values, kCount * 4));
  ASSERT_OK(cuMemAlloc_v2(&errors_seen, 4));
  std::vector<unsigned> result(kCount);
  void* params[] = {&values, &errors_seen};
  const auto launch = [&](auto launch_it) {
    EXPECT_OK(cuMemsetD32_v2(values, 0, kCount));
    EXPECT_OK(cuMemsetD32_v2(errors_seen, 0, 1));
    EXPECT_OK(launch_it());
    EXPECT_OK(cuMemcpyDtoH_v2(result.data(), values, kCount * 4));
    unsigned seen = 0;
    EXPECT_OK(cuMemcpyDtoH_v2(&seen, errors_seen, 4));
    return seen;
  };
  // Each of 10 rounds: the value of the thread a block ahead, plus one.
  EXPECT_EQ(launch([&] {
              return cuLaunchCooperativeKernel(function, kBlocks, 1, 1, kThreads, 1, 1, 0, nullptr,
                                               params);
            }),
            0u);
  EXPECT_EQ(result, std::vector<unsigned>(kCount, 10));
  EXPECT_EQ(launch([&] {
              return cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, params, nullptr);
            }),
            1u)
      << "not a cooperative launch: cudaErrorInvalidValue";
}

TEST_F(Linker, TwoModulesBecomeOne) {
  CUlinkState link = nullptr;
  Logs logs;
  ASSERT_OK(cuLinkCreate_v2(4, logs.options.data(), logs.values.data(), &link));
  const auto add = [&](const char* ptx, const char* name) {
    return cuLinkAddData_v2(link, CU_JIT_INPUT_PTX, const_cast<char*>(ptx), std::strlen(ptx) + 1,
                            name, 0, nullptr, nullptr);
  };
  ASSERT_OK(add(kCaller, "caller.ptx"));
  ASSERT_OK(add(kCallee, "callee.ptx"));
  void* image = nullptr;
  ASSERT_OK(cuLinkComplete(link, &image, nullptr)) << logs.errors.data();
  CUmodule module = nullptr;
  ASSERT_OK(cuModuleLoadData(&module, image));
  EXPECT_OK(cuLinkDestroy(link));
  EXPECT_EQ(cuLinkDestroy(link), CUDA_ERROR_INVALID_HANDLE);

  CUfunction function = nullptr;
  CUdeviceptr out = 0;
  int x = 21, result = 0;
  ASSERT_OK(cuModuleGetFunction(&function, module, "main_kernel"));
  ASSERT_OK(cuMemAlloc_v2(&out, 4));
  void* params[] = {&out, &x};
  EXPECT_OK(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, params, nullptr));
  EXPECT_OK(cuMemcpyDtoH_v2(&result, out, 4));
  EXPECT_EQ(result, 42);
}

TEST_F(Linker, MissingDefinitionIsNamed) {
  CUlinkState link = nullptr;
  Logs logs;
  ASSERT_OK(cuLinkCreate_v2(4, logs.options.data(), logs.values.data(), &link));
  ASSERT_OK(cuLinkAddData_v2(link, CU_JIT_INPUT_PTX, const_cast<char*>(kCaller),
                             std::strlen(kCaller) + 1, "caller.ptx", 0, nullptr, nullptr));
  void* image = nullptr;
  EXPECT_NE(cuLinkComplete(link, &image, nullptr), CUDA_SUCCESS);
  EXPECT_THAT(logs.errors.data(), HasSubstr("twice"));
  EXPECT_OK(cuLinkDestroy(link));
}

/// The linker has all modules of the program.
TEST_F(Linker, ExternVariablesThatNobodyDefinesAreRefused) {
  CUlinkState link = nullptr;
  Logs logs;
  ASSERT_OK(cuLinkCreate_v2(4, logs.options.data(), logs.values.data(), &link));
  ASSERT_OK(cuLinkAddData_v2(link, CU_JIT_INPUT_PTX, const_cast<char*>(kExtern), sizeof kExtern,
                             "extern.ptx", 0, nullptr, nullptr));
  void* image = nullptr;
  EXPECT_NE(cuLinkComplete(link, &image, nullptr), CUDA_SUCCESS);
  EXPECT_THAT(logs.errors.data(),
              AllOf(HasSubstr("P4003"), HasSubstr("'used'"), HasSubstr("'unused'")));
  EXPECT_OK(cuLinkDestroy(link));
}

// What the linker makes stands for machine code, also as its input.
TEST_F(Linker, TakesWhatItMade) {
  CUlinkState first = nullptr, second = nullptr;
  void *part = nullptr, *whole = nullptr;
  size_t size = 0;
  ASSERT_OK(cuLinkCreate_v2(0, nullptr, nullptr, &first));
  ASSERT_OK(cuLinkCreate_v2(0, nullptr, nullptr, &second));
  ASSERT_OK(cuLinkAddData_v2(first, CU_JIT_INPUT_PTX, const_cast<char*>(kCallee),
                             std::strlen(kCallee) + 1, "callee.ptx", 0, nullptr, nullptr));
  ASSERT_OK(cuLinkComplete(first, &part, &size));
  EXPECT_OK(cuLinkAddData_v2(second, CU_JIT_INPUT_CUBIN, part, size, "part", 0, nullptr, nullptr));
  EXPECT_OK(cuLinkAddData_v2(second, CU_JIT_INPUT_PTX, const_cast<char*>(kCaller),
                             std::strlen(kCaller) + 1, "caller.ptx", 0, nullptr, nullptr));
  EXPECT_OK(cuLinkComplete(second, &whole, nullptr));
  load(static_cast<const char*>(whole));
  EXPECT_OK(cuLinkDestroy(first));
  EXPECT_OK(cuLinkDestroy(second));
}

TEST_F(Linker, BadInput) {
  CUlinkState link = nullptr;
  ASSERT_OK(cuLinkCreate_v2(0, nullptr, nullptr, &link));
  char text[] = "x";
  const auto add = [&](CUjitInputType type, void* data, size_t size) {
    return cuLinkAddData_v2(link, type, data, size, "in", 0, nullptr, nullptr);
  };
  EXPECT_EQ(add(CU_JIT_INPUT_PTX, nullptr, 4), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(add(CU_JIT_INPUT_PTX, text, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(add(CU_JIT_INPUT_CUBIN, text, 1), CUDA_ERROR_NO_BINARY_FOR_GPU);
  EXPECT_EQ(cuLinkAddFile_v2(link, CU_JIT_INPUT_PTX, "/no/such", 0, nullptr, nullptr),
            CUDA_ERROR_FILE_NOT_FOUND);
  EXPECT_EQ(cuLinkComplete(link, nullptr, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(cuLinkDestroy(link));
  void* image = nullptr;
  EXPECT_EQ(cuLinkComplete(link, &image, nullptr), CUDA_ERROR_INVALID_HANDLE);
}

}  // namespace
