// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How options of NVRTC change so that it makes PTX.
#include "wrappers/options.h"

#include <gtest/gtest.h>

namespace heddle::wrappers {
namespace {

using Words = std::vector<std::string>;

TEST(NvrtcOptions, MakePtx) {
  const struct {
    Words given, changed;
    Asked asked;
    u32 registers;
  } cases[] = {
      {{}, {}, Asked::ptx, 0},
      {{"-arch=compute_90", "-G"}, {"-arch=compute_90", "-G"}, Asked::ptx, 0},
      {{"-arch=sm_90"}, {"-arch=compute_90"}, Asked::machine_code, 0},
      {{"--gpu-architecture=sm_100a"}, {"--gpu-architecture=compute_100a"}, Asked::machine_code, 0},
      {{"-gpu-architecture", "sm_75", "-I."},
       {"-gpu-architecture", "compute_75", "-I."},
       Asked::machine_code,
       0},
      {{"--arch", "sm_120f", "-maxrregcount=40"},
       {"--arch", "compute_120f", "-maxrregcount=40"},
       Asked::machine_code,
       40},
      {{"--maxrregcount", "64"}, {"--maxrregcount", "64"}, Asked::ptx, 64},
      {{"-arch=sm_90", "-dlto"}, {"-arch=compute_90", "-rdc=true"}, Asked::lto_ir, 0},
      {{"--dlink-time-opt", "-arch=compute_90"},
       {"-rdc=true", "-arch=compute_90"},
       Asked::lto_ir,
       0},
      // Values of other options, and options without a value.
      {{"-DNAME=sm_90", "-arch"}, {"-DNAME=sm_90", "-arch"}, Asked::ptx, 0},
      {{"-archaic=sm_90"}, {"-archaic=sm_90"}, Asked::ptx, 0},
  };
  for (const auto& c : cases) {
    const Options options = make_virtual(c.given);
    EXPECT_EQ(options.words, c.changed);
    EXPECT_EQ(options.asked, c.asked) << testing::PrintToString(c.given);
    EXPECT_EQ(options.max_registers, c.registers);
  }
}

}  // namespace
}  // namespace heddle::wrappers
