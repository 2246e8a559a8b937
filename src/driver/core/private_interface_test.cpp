// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The advice names a command or function that the user can use instead.
#include "driver/core/private_interface.h"

#include <gmock/gmock.h>

namespace heddle::driver {
namespace {

TEST(PrivateInterface, WhatHelps) {
  constexpr struct {
    const char *who, *part;
  } kCases[] = {
      {"/home/me/app", "nvcc -cudart shared"},
      {"this program", "nvcc -cudart shared"},
      {"/p/nvidia/cu13/lib/libcudart.so.13", "LD_PRELOAD=/opt/heddle/lib/libcudart.so.13"},
      {"/p/nvidia/cuda_runtime/lib/libcudart.so.12.9.79",
       "LD_PRELOAD=/opt/heddle/lib/libcudart.so.12"},
      {"/v/site-packages/cuda/bindings/_internal/runtime.cpython-313-x86_64-linux-gnu.so",
       "Stream.sync"},
  };
  for (const auto& [who, part] : kCases)
    EXPECT_THAT(what_helps(who, "/opt/heddle/lib/"), testing::HasSubstr(part)) << who;
}

}  // namespace
}  // namespace heddle::driver
