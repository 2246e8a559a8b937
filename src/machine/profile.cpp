// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machine/profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/config.h"

namespace heddle::machine {
namespace {

constexpr Profile kProfiles[] = {
#include "machine/profiles.inc"  // made from profiles/*.profile while building
};

}  // namespace

std::span<const Profile> profiles() { return kProfiles; }

const Profile* find_profile(std::string_view name) {
  if (name.empty()) return &kProfiles[0];
  const auto same = [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) ==
           std::tolower(static_cast<unsigned char>(b));
  };
  for (const Profile& profile : kProfiles) {
    if (std::equal(name.begin(), name.end(), profile.name.begin(), profile.name.end(), same))
      return &profile;
  }
  return nullptr;
}

namespace {

/// The profile with HEDDLE_MMA=ieee.
Profile with_ieee_products(const Profile& profile) {
  Profile changed = profile;
  isa::TensorCore& core = changed.tensor_core;
  for (isa::SumRule* const rule :
       {&core.mma_f16, &core.mma_tf32, &core.mma_narrow, &core.mma_f16_quads, &core.wgmma_f16,
        &core.wgmma_tf32, &core.wgmma_narrow, &core.tcgen05_f16, &core.tcgen05_tf32,
        &core.tcgen05_narrow, &core.scaled_narrow, &core.scaled_fp4})
    rule->ieee = true;
  return changed;
}

}  // namespace

Result<const Profile*> profile_of_environment() {
  const std::string& name = config().device;
  if (const Profile* const profile = find_profile(name)) {
    if (!config().ieee_products) return profile;
    static const Profile changed = with_ieee_products(*profile);
    return &changed;
  }
  std::string names;
  for (const Profile& known : kProfiles)
    names += fmt::format("{}{}", names.empty() ? "" : ", ", known.name);
  return Error{fmt::format("HEDDLE_DEVICE={}: it is one of {}", name, names)};
}

bool is_sm_1x(const Profile& profile) { return profile.target.sm < 20; }

bool runs(const Profile& profile, isa::Target target) {
  return profile.any_target || isa::admits(target, profile.target);
}

}  // namespace heddle::machine
