// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Order: a call runs after the stream's earlier kernels and before its later ones, and is a node of
// a graph where the stream is captured.
#include <atomic>
#include <memory>
#include <thread>

#include "blas.h"

namespace {

/// out[i] += addend, for 4 threads.
constexpr const char* kAdd = R"ptx(
.version 7.8
.target sm_75
.address_size 64
.visible .entry add(.param .u64 out, .param .f32 addend)
{
  .reg .b32 %r;
  .reg .f32 %f<3>;
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [out];
  ld.param.f32 %f1, [addend];
  mov.u32 %r, %tid.x;
  mul.wide.u32 %rd2, %r, 4;
  add.s64 %rd1, %rd1, %rd2;
  ld.global.f32 %f2, [%rd1];
  add.f32 %f2, %f2, %f1;
  st.global.f32 [%rd1], %f2;
  ret;
}
)ptx";

class Order : public Blas {
 protected:
  void SetUp() override {
    Blas::SetUp();
    ASSERT_OK(cuModuleLoadData(&module_, kAdd));
    ASSERT_OK(cuModuleGetFunction(&add_, module_, "add"));
    ASSERT_OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    ASSERT_OK(cublasSetStream_v2(handle, stream));
  }
  void add(float* to, float addend) {
    void* arguments[] = {static_cast<void*>(&to), &addend};
    ASSERT_OK(cuLaunchKernel(add_, 1, 1, 1, 4, 1, 1, 0, stream, arguments, nullptr));
  }
  /// C = 10 A B of 2 x 2 matrices; A is the unit matrix.
  void multiply(const float* b, float* c) {
    const float ten = 10, zero = 0;
    ASSERT_OK(cublasSgemm_v2(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &ten, unit_->get(), 2, b, 2,
                             &zero, c, 2));
  }
  void TearDown() override {
    unit_.reset();
    EXPECT_OK(cuStreamDestroy_v2(stream));
    Blas::TearDown();
  }

  CUstream stream = nullptr;

 private:
  CUmodule module_ = nullptr;
  CUfunction add_ = nullptr;
  std::unique_ptr<Array<float>> unit_ = nullptr;

 protected:
  void make_unit() { unit_ = std::make_unique<Array<float>>(std::vector<float>{1, 0, 0, 1}); }
};

TEST_F(Order, BetweenKernels) {
  make_unit();
  const Array<float> b({0, 0, 0, 0}), c(filled<float>(4, kNaN));
  // The gate holds the stream back until all work has been submitted.
  std::atomic<bool> open = false;
  ASSERT_OK(cuLaunchHostFunc(
      stream,
      [](void* gate) {
        while (!*static_cast<std::atomic<bool>*>(gate)) std::this_thread::yield();
      },
      &open));
  add(b.get(), 1);
  multiply(b.get(), c.get());
  add(c.get(), 5);
  add(b.get(), 100);
  open = true;
  ASSERT_OK(cuStreamSynchronize(stream));
  EXPECT_THAT(c.read(), testing::ElementsAre(15, 15, 15, 15));
}

TEST_F(Order, FactorsOnTheHostAreReadAtTheCallAndThoseOnTheDeviceLater) {
  make_unit();
  const Array<float> x({1, 1, 1, 1}), y({0, 0, 0, 0}), alpha({0, 0, 0, 0});
  std::atomic<bool> open = false;
  ASSERT_OK(cuLaunchHostFunc(
      stream,
      [](void* gate) {
        while (!*static_cast<std::atomic<bool>*>(gate)) std::this_thread::yield();
      },
      &open));
  float on_host = 2;
  ASSERT_OK(cublasSaxpy_v2(handle, 4, &on_host, x.get(), 1, y.get(), 1));
  on_host = 1000;
  add(alpha.get(), 3);
  ASSERT_OK(cublasSetPointerMode_v2(handle, CUBLAS_POINTER_MODE_DEVICE));
  ASSERT_OK(cublasSaxpy_v2(handle, 4, alpha.get(), x.get(), 1, y.get(), 1));
  open = true;
  ASSERT_OK(cuStreamSynchronize(stream));
  EXPECT_THAT(y.read(), testing::ElementsAre(5, 5, 5, 5));
}

TEST_F(Order, CapturedIntoAGraph) {
  make_unit();
  const Array<float> b({0, 0, 0, 0}), c({7, 7, 7, 7});
  ASSERT_OK(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
  add(b.get(), 1);
  multiply(b.get(), c.get());
  add(c.get(), 5);
  CUgraph graph = nullptr;
  ASSERT_OK(cuStreamEndCapture(stream, &graph));
  size_t nodes = 0;
  ASSERT_OK(cuGraphGetNodes(graph, nullptr, &nodes));
  EXPECT_EQ(nodes, 3);
  EXPECT_THAT(c.read(), testing::ElementsAre(7, 7, 7, 7)) << "a captured call does nothing";
  CUgraphExec executable = nullptr;
  ASSERT_OK(cuGraphInstantiateWithFlags(&executable, graph, 0));
  ASSERT_OK(cuGraphDestroy(graph));  // the executable graph keeps the task
  for (int launch = 1; launch <= 3; ++launch) {
    ASSERT_OK(cuGraphLaunch(executable, stream));
    ASSERT_OK(cuStreamSynchronize(stream));
    EXPECT_THAT(c.read(), testing::Each(10.0F * static_cast<float>(launch) + 5));
  }
  EXPECT_OK(cuGraphExecDestroy(executable));
}

TEST_F(Order, ResultsOnTheHostCannotBeCaptured) {
  const Array<float> x({1, 2, 3, 4});
  float result = 0;
  ASSERT_OK(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
  EXPECT_EQ(cublasSdot_v2(handle, 4, x.get(), 1, x.get(), 1, &result),
            CUBLAS_STATUS_EXECUTION_FAILED);
  CUgraph graph = nullptr;
  cuStreamEndCapture(stream, &graph);
  if (graph) EXPECT_OK(cuGraphDestroy(graph));
  ASSERT_OK(cublasSdot_v2(handle, 4, x.get(), 1, x.get(), 1, &result));
  EXPECT_EQ(result, 30);
}

TEST_F(Order, ManyThreadsWithAHandleEach) {
  std::vector<std::thread> threads;
  std::atomic<int> right = 0;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      ASSERT_OK(cuCtxSetCurrent(context));
      cublasHandle_t own = nullptr;
      ASSERT_OK(cublasCreate_v2(&own));
      const Array<float> a(filled<float>(64 * 64, 1)), c(64 * 64);
      const float one = 1, zero = 0;
      for (int i = 0; i < 20; ++i)
        ASSERT_OK(cublasSgemm_v2(own, CUBLAS_OP_N, CUBLAS_OP_N, 64, 64, 64, &one, a.get(), 64,
                                 a.get(), 64, &zero, c.get(), 64));
      const auto out = c.read();
      right += std::all_of(out.begin(), out.end(), [](float x) { return x == 64; });
      EXPECT_OK(cublasDestroy_v2(own));
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, 4);
}

}  // namespace
