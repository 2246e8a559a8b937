// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests that the default device accepts the `.version` and `.target` that programs write for its
// compute capability (docs/adr/0007-the-default-device-is-12-0.md).
#include "machine/profile.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "check/check.h"

namespace heddle::machine {
namespace {

struct Header {
  std::string version, target;
};

/// The `.version` and `.target` that a client writes for a device of the capability 10 * major +
/// minor.
struct Client {
  const char* name;
  Header (*writes)(int capability);
};

std::string sm(int capability, const char* suffix = "") {
  return fmt::format("sm_{}{}", capability, suffix);
}

// These clients reduce the device's capability to the newest that NVRTC knows.
const Client kClients[] = {
    {"tinygrad 0.12 to 0.14",
     [](int c) {
       return Header{c >= 120 ? "8.7" : c >= 89 ? "7.8" : "7.5", sm(c)};
     }},
    {"Numba, CuPy with NVRTC 12.0", [](int c) { return Header{"8.0", sm(std::min(c, 90))}; }},
    {"Numba, CuPy with NVRTC 12.6", [](int c) { return Header{"8.5", sm(std::min(c, 90))}; }},
    {"Numba, CuPy with NVRTC 12.8", [](int c) { return Header{"8.7", sm(std::min(c, 120))}; }},
    {"Numba, CuPy with NVRTC 13.0", [](int c) { return Header{"9.0", sm(std::min(c, 121))}; }},
    {"nvcc 12.8", [](int c) { return Header{"8.7", sm(c)}; }},
    {"nvcc 13.0", [](int c) { return Header{"9.0", sm(c)}; }},
    {"Triton 3.3", [](int c) { return Header{"8.7", sm(c, c >= 90 ? "a" : "")}; }},
    {"Triton 3.8", [](int c) { return Header{"9.3", sm(c, c >= 90 ? "a" : "")}; }},
};

/// These versions compare capabilities as text, so they are right only for GPUs before 10.0.
Header tinygrad_0_9_to_0_11(int capability) {
  return {sm(capability) >= "sm_89" ? "7.8" : "7.5", sm(capability)};
}

/// The error for a module with that header; empty when the device of that name loads it.
std::string refused(const Header& header, std::string_view device) {
  const Profile* const profile = find_profile(device);
  check::CompileOptions options;
  if (profile->any_target) options.versions = check::Versions::newer;
  const check::Compiled compiled =
      check::compile({{"module.ptx", fmt::format(".version {}\n.target {}\n.address_size 64\n"
                                                 ".visible .entry k() {{ ret; }}\n",
                                                 header.version, header.target)}},
                     nullptr, options);
  if (!compiled.module) return compiled.messages();
  return runs(*profile, compiled.module->targets[0]) ? "" : "the device does not run it";
}

TEST(DefaultDevice, LoadsWhatEachClientWritesForIt) {
  const Profile* const profile = find_profile("");
  for (const Client& client : kClients)
    EXPECT_EQ(refused(client.writes(profile->target.sm), ""), "") << client.name;
}

TEST(DefaultDevice, IsNotOneThatClientsGetWrong) {
  EXPECT_NE(refused(kClients[0].writes(121), ""), "") << "tinygrad writes 8.7, sm_121 is of 8.8";
  EXPECT_NE(refused({"8.7", "sm_121a"}, ""), "") << "as Triton 3.3 does";
  EXPECT_NE(refused(tinygrad_0_9_to_0_11(120), ""), "");
}

TEST(NamedDevices, AreThereForOlderClients) {
  for (const char* device : {"h200", "rtx4090", "a100", "t4"})
    EXPECT_EQ(refused(tinygrad_0_9_to_0_11(find_profile(device)->target.sm), device), "") << device;
}

TEST(NamedDevices, RefusePtxOfVersionsToCome) {
  EXPECT_EQ(refused({"9.3", "sm_90"}, ""), "");
  EXPECT_NE(refused({"9.3", "sm_90"}, "h200").find("P3001"), std::string::npos);
}

}  // namespace
}  // namespace heddle::machine
