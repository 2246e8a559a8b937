// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Libraries: loaded without a context, used in several. Driver API 6.12.
#include "client.h"
#include "kernels.h"

namespace {

class Libraries : public InContext {
 protected:
  static CUlibrary load(const char* ptx = kKernels) {
    CUlibrary library = nullptr;
    EXPECT_OK(cuLibraryLoadData(&library, ptx, nullptr, nullptr, 0, nullptr, nullptr, 0));
    return library;
  }
  static CUkernel kernel(CUlibrary library, const char* name) {
    CUkernel found = nullptr;
    EXPECT_OK(cuLibraryGetKernel(&found, library, name));
    return found;
  }
  static int counter(CUlibrary library) {
    CUdeviceptr pointer = 0;
    int value = -1;
    EXPECT_OK(cuLibraryGetGlobal(&pointer, nullptr, library, "counter"));
    EXPECT_OK(cuMemcpyDtoH_v2(&value, pointer, 4));
    return value;
  }
  static CUresult launch(CUfunction function) {
    return cuLaunchKernel(function, 1, 1, 1, 10, 1, 1, 0, nullptr, nullptr, nullptr);
  }
};

TEST_F(Libraries, KernelHandleIsLaunchedInAnyContext) {
  const CUlibrary library = load();
  const CUkernel count = kernel(library, "count");
  EXPECT_EQ(count, kernel(library, "count"));
  EXPECT_OK(launch(reinterpret_cast<CUfunction>(count)));
  EXPECT_EQ(counter(library), 15);
  CUcontext other = nullptr;
  ASSERT_OK(cuCtxCreate_v2(&other, 0, 0));
  EXPECT_EQ(counter(library), 5) << "each context has variables of its own";
  EXPECT_OK(launch(reinterpret_cast<CUfunction>(count)));
  EXPECT_EQ(counter(library), 15);
  ASSERT_OK(cuCtxDestroy_v2(other));
  EXPECT_OK(launch(reinterpret_cast<CUfunction>(count)));
  EXPECT_EQ(counter(library), 25);
  EXPECT_OK(cuLibraryUnload(library));
}

TEST_F(Libraries, FunctionsAndModules) {
  const CUlibrary library = load();
  CUfunction function = nullptr, same = nullptr;
  CUmodule module = nullptr;
  CUlibrary back = nullptr;
  const char* name = nullptr;
  int threads = 0;
  size_t offset = 0, size = 0;
  EXPECT_OK(cuKernelGetFunction(&function, kernel(library, "small_blocks")));
  EXPECT_OK(cuLibraryGetModule(&module, library));
  EXPECT_OK(cuModuleGetFunction(&same, module, "small_blocks"));
  EXPECT_EQ(function, same);
  EXPECT_EQ(cuModuleUnload(module), CUDA_ERROR_NOT_PERMITTED);
  EXPECT_OK(cuKernelGetLibrary(&back, kernel(library, "count")));
  EXPECT_EQ(back, library);
  EXPECT_OK(cuKernelGetName(&name, kernel(library, "count")));
  EXPECT_STREQ(name, "count");
  EXPECT_OK(cuKernelGetAttribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
                                 kernel(library, "small_blocks"), 0));
  EXPECT_EQ(threads, 64);
  EXPECT_OK(cuKernelGetParamInfo(kernel(library, "add_to"), 2, &offset, &size));
  EXPECT_EQ(offset, 16u);
  EXPECT_EQ(size, 4u);
  EXPECT_OK(cuLibraryUnload(library));
}

// Plain variables belong to a context; a managed one is the same in all of them.
TEST_F(Libraries, ManagedVariablesAreShared) {
  const CUlibrary library = load(R"ptx(
.version 7.8
.target sm_75
.address_size 64
.visible .global .attribute(.managed) .align 4 .u32 managed = 40;
.visible .global .align 4 .u32 plain = 1;
.visible .entry bump()
{
  .reg .b32 %r;
  atom.global.add.u32 %r, [managed], 1;
  ret;
}
)ptx");
  const auto bump = reinterpret_cast<CUfunction>(kernel(library, "bump"));
  CUdeviceptr here = 0, there = 0, plain_here = 0, plain_there = 0;
  EXPECT_OK(cuLibraryGetGlobal(&here, nullptr, library, "managed"));
  EXPECT_OK(cuLibraryGetGlobal(&plain_here, nullptr, library, "plain"));
  EXPECT_OK(launch(bump));
  EXPECT_OK(cuCtxSynchronize());
  CUcontext other = nullptr;
  ASSERT_OK(cuCtxCreate_v2(&other, 0, 0));
  EXPECT_OK(cuLibraryGetGlobal(&there, nullptr, library, "managed"));
  EXPECT_OK(cuLibraryGetGlobal(&plain_there, nullptr, library, "plain"));
  EXPECT_EQ(here, there);
  EXPECT_NE(plain_here, plain_there);
  EXPECT_OK(launch(bump));
  ASSERT_OK(cuCtxDestroy_v2(other));
  EXPECT_EQ(*reinterpret_cast<int*>(here), 60);
  EXPECT_OK(cuLibraryUnload(library));
}

TEST_F(Libraries, UnloadEndsEverything) {
  const CUlibrary library = load();
  const CUkernel count = kernel(library, "count");
  CUfunction function = nullptr;
  ASSERT_OK(cuKernelGetFunction(&function, count));
  EXPECT_OK(cuLibraryUnload(library));
  EXPECT_EQ(cuLibraryUnload(library), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(launch(function), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(launch(reinterpret_cast<CUfunction>(count)), CUDA_ERROR_INVALID_HANDLE);
}

TEST_F(Libraries, Mistakes) {
  const CUlibrary library = load();
  CUkernel none = nullptr;
  CUdeviceptr pointer = 0;
  unsigned count = 0;
  EXPECT_EQ(cuLibraryGetKernel(&none, library, "nothing"), CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(cuLibraryGetKernel(&none, nullptr, "count"), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuLibraryGetGlobal(&pointer, nullptr, library, "nothing"), CUDA_ERROR_NOT_FOUND);
  EXPECT_OK(cuLibraryGetKernelCount(&count, library));
  EXPECT_EQ(count, 9u);
  CUlibrary bad = nullptr;
  testing::internal::CaptureStderr();
  EXPECT_EQ(cuLibraryLoadData(&bad, "rubbish", nullptr, nullptr, 0, nullptr, nullptr, 0),
            CUDA_ERROR_INVALID_IMAGE);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), testing::HasSubstr("rubbish"));
  EXPECT_OK(cuLibraryUnload(library));
}

}  // namespace
