// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared code of the tests of this folder: a current context on device 0 for each test, and a way
// to make a stream wait for the host.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "driver/api.h"

#define EXPECT_OK(call) EXPECT_EQ((call), CUDA_SUCCESS)
#define ASSERT_OK(call) ASSERT_EQ((call), CUDA_SUCCESS)

/// A context for the test, current to the test's thread, destroyed after the test.
class InContext : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_OK(cuInit(0));
    ASSERT_OK(cuDeviceGet(&device, 0));
    ASSERT_OK(cuCtxCreate_v2(&context, 0, device));
  }
  void TearDown() override { EXPECT_OK(cuCtxDestroy_v2(context)); }

  CUdevice device = -1;
  CUcontext context = nullptr;
};

/// Blocks a stream until open(): later work in the stream is pending until then.
class Gate {
 public:
  explicit Gate(CUstream stream) {
    EXPECT_OK(cuLaunchHostFunc(stream, [](void* self) { static_cast<Gate*>(self)->pass(); }, this));
  }
  ~Gate() {
    open();
    while (!passed_) std::this_thread::yield();
  }
  void open() { open_ = true; }

 private:
  void pass() {
    while (!open_) std::this_thread::yield();
    passed_ = true;
  }
  std::atomic<bool> open_{false}, passed_{false};
};
