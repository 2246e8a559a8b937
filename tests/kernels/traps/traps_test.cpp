// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that must fail with the right error: the first lines of each traps/*.ptx have the error
// that the driver reports and the launch:
//     // expect: CUDA_ERROR_ILLEGAL_ADDRESS
//     // launch: grid 4 block 64
//     // needs: time limit
// The kernel is called "fault" and gets a buffer. The error sticks to its context, the process
// lives on, and a new context works. (A GPU does not guarantee the last part: its driver may need a
// new process.)
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "harness/context.h"
#include "harness/kernel_test.h"

namespace heddle::kernels {
namespace {

struct TrapCase {
  std::string name;
  std::string ptx;
  std::string expected;
  unsigned grid = 0;
  unsigned block = 0;
  bool needs_time_limit = false;
};

// The rest of the line that starts with "// <key>: ".
std::string header(const std::string& ptx, const std::string& key) {
  const std::string start = "// " + key + ": ";
  const size_t at = ptx.find(start);
  if (at == std::string::npos) return "";
  const size_t begin = at + start.size();
  return ptx.substr(begin, ptx.find('\n', begin) - begin);
}

std::vector<TrapCase> trap_cases() {
  std::vector<TrapCase> cases;
  for (const auto& entry : std::filesystem::directory_iterator(HEDDLE_TRAPS_DIR)) {
    if (entry.path().extension() != ".ptx") continue;
    TrapCase c;
    c.name = entry.path().stem();
    c.ptx = read_file(entry.path());
    c.expected = header(c.ptx, "expect");
    std::sscanf(header(c.ptx, "launch").c_str(), "grid %u block %u", &c.grid, &c.block);
    c.needs_time_limit = header(c.ptx, "needs") == "time limit";
    cases.push_back(c);
  }
  std::sort(cases.begin(), cases.end(), [](auto& a, auto& b) { return a.name < b.name; });
  return cases;
}

void PrintTo(const TrapCase& c, std::ostream* out) { *out << c.name; }

constexpr char kGoodKernel[] = R"(
.version 7.0
.target sm_75
.address_size 64
.visible .entry good(.param .u64 out)
{
  .reg .b32 thread;
  .reg .b64 address, offset;
  ld.param.u64 address, [out];
  mov.u32 thread, %tid.x;
  mul.wide.u32 offset, thread, 4;
  add.u64 address, address, offset;
  add.u32 thread, thread, 1000;
  st.global.u32 [address], thread;
  exit;
}
)";

// Loads `ptx`, launches `kernel` on `buffer` and waits. The error may show at either call.
CUresult run(const char* ptx, const char* kernel, const Buffer<uint32_t>& buffer, unsigned grid,
             unsigned block) {
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  if (!succeeded(cuModuleLoadData(&module, ptx), "cuModuleLoadData")) return CUDA_SUCCESS;
  if (!succeeded(cuModuleGetFunction(&function, module, kernel), kernel)) return CUDA_SUCCESS;
  CUdeviceptr address = buffer.address();
  void* parameters[] = {&address};
  const CUresult launched =
      cuLaunchKernel(function, grid, 1, 1, block, 1, 1, 0, nullptr, parameters, nullptr);
  return launched != CUDA_SUCCESS ? launched : cuCtxSynchronize();
}

std::string name_of(CUresult result) {
  const char* name = nullptr;
  return cuGetErrorName(result, &name) == CUDA_SUCCESS && name != nullptr ? name : "unknown";
}

class Traps : public testing::TestWithParam<TrapCase> {
 protected:
  void SetUp() override {
    if (GetParam().needs_time_limit && std::getenv("HEDDLE_TIME_LIMIT") == nullptr) {
      GTEST_SKIP() << "HEDDLE_TIME_LIMIT (seconds) is not set, so this kernel would never end";
    }
    drop_context();
    ASSERT_TRUE(ensure_context());
  }
  void TearDown() override { drop_context(); }
};

TEST_P(Traps, TheErrorIsReportedAndTheProcessLivesOn) {
  const TrapCase& c = GetParam();
  ASSERT_GT(c.grid * c.block, 0u) << "no launch line";
  {
    Buffer<uint32_t> buffer(1024);
    EXPECT_EQ(name_of(run(c.ptx.c_str(), "fault", buffer, c.grid, c.block)), c.expected);

    // The error sticks to the context.
    EXPECT_EQ(name_of(cuCtxSynchronize()), c.expected);
    CUdeviceptr address = 0;
    EXPECT_EQ(name_of(cuMemAlloc_v2(&address, 16)), c.expected);
  }
  drop_context();
  ASSERT_TRUE(ensure_context());
  Buffer<uint32_t> buffer(100);
  EXPECT_EQ(name_of(run(kGoodKernel, "good", buffer, 2, 100)), "CUDA_SUCCESS");
  EXPECT_SAME(buffer, tabulate(100, [](size_t i) { return uint32_t(i + 1000); }));
}

INSTANTIATE_TEST_SUITE_P(, Traps, testing::ValuesIn(trap_cases()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace heddle::kernels
