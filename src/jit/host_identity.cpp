// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The identity of the processor, from its own registers. LLVM derives a name and features from the
// same, but is not loaded where the cache has all kernels.
#include <sys/auxv.h>

#include "base/cpu_level.h"
#include "jit/key.h"
#include "jit/serialization.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace heddle::jit {

#if defined(__x86_64__)

std::string host_identity() {
  Writer identity;
  struct Leaf {
    u32 leaf, subleaf;
    u32 mask[4];  ///< bits that are the same on all cores
  };
  constexpr u32 kAll = ~0u;
  // Vendor; family, model and features (not the core's number); more features; the registers that
  // the system saves; old features; those of AVX10.
  constexpr Leaf kLeaves[] = {
      {0, 0, {kAll, kAll, kAll, kAll}},    {1, 0, {kAll, 0, kAll, kAll}},
      {7, 0, {kAll, kAll, kAll, kAll}},    {7, 1, {kAll, kAll, kAll, kAll}},
      {0xd, 0, {kAll, 0, 0, kAll}},        {0xd, 1, {kAll, 0, 0, 0}},
      {0x80000001, 0, {0, 0, kAll, kAll}}, {0x80000008, 0, {0, kAll, 0, 0}},
      {0x14, 0, {0, kAll, 0, 0}},          {0x19, 0, {0, kAll, 0, 0}},
      {0x24, 0, {kAll, kAll, 0, 0}},
  };
  bool saves_registers = false;
  for (const auto& [leaf, subleaf, mask] : kLeaves) {
    u32 words[4] = {};
    if (!__get_cpuid_count(leaf, subleaf, &words[0], &words[1], &words[2], &words[3])) continue;
    if (leaf == 1) saves_registers = words[2] & bit_OSXSAVE;
    for (int i = 0; i < 4; ++i) words[i] &= mask[i];
    identity(leaf, subleaf, words);
  }
  if (saves_registers) {
    u32 low, high;
    asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    identity(low, high);
  }
  return std::move(identity).take();
}

std::string wanted_cpu() {
  const std::optional<CpuLevel> level = wanted_cpu_level();
  if (level == CpuLevel::baseline) return "x86-64";
  if (level == CpuLevel::v3 && __builtin_cpu_supports("x86-64-v3")) return "x86-64-v3";
  if (level == CpuLevel::v4 && __builtin_cpu_supports("x86-64-v4")) return "x86-64-v4";
  return {};
}

#else

std::string host_identity() {
  Writer identity;
  identity(u64{getauxval(AT_HWCAP)}, u64{getauxval(AT_HWCAP2)});
  const auto* platform = reinterpret_cast<const char*>(getauxval(AT_PLATFORM));
  identity(std::string(platform ? platform : ""));
#if defined(__aarch64__)
  // The kernel emulates reads of the register, with HWCAP_CPUID: implementer and part, by which
  // LLVM chooses a scheduling model.
  u64 part = 0;
  if (getauxval(AT_HWCAP) & (1 << 11)) asm("mrs %0, MIDR_EL1" : "=r"(part));
  identity(part);
#endif
  return std::move(identity).take();
}

std::string wanted_cpu() { return {}; }

#endif

}  // namespace heddle::jit
