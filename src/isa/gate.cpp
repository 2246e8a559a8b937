// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compatibility of targets, and the messages for gates (PTX ISA 11.1.2).

#include "isa/gate.h"

#include <charconv>

namespace heddle::isa {
namespace {

/// sm_101 was renamed to sm_110 in PTX ISA 9.0; both name the same architecture and family.
u16 renamed(u16 sm) { return sm == 101 ? 110 : sm; }
u16 family(u16 sm) { return renamed(sm) / 10; }

bool any(PtxVersion version) { return version == PtxVersion{}; }
bool any(Target target) { return target.sm == 0; }

bool version_suffices(const GateAlternative& a, PtxVersion version) { return version >= a.ptx; }
bool target_suffices(const GateAlternative& a, Target target) {
  return any(a.target) || admits(a.target, target);
}

std::string version_text(PtxVersion version) {
  return "`.version " + to_string(version) + "` or newer";
}

std::string target_text(Target target) {
  std::string text = "`.target " + to_string(target) + "`";
  if (target.suffix == 'f') return text + " or a newer target of its family";
  return target.suffix == 'a' ? text : text + " or newer";
}

/// "`.version 8.0` or newer and `.target sm_90` or newer": the requirements of `a` that (version,
/// target) does not meet.
std::string missing(const GateAlternative& a, PtxVersion version, Target target) {
  std::string text;
  if (!version_suffices(a, version)) text = version_text(a.ptx);
  if (!target_suffices(a, target)) text += (text.empty() ? "" : " and ") + target_text(a.target);
  return text;
}

std::optional<std::string> too_early(std::span<const GateAlternative> since, PtxVersion version,
                                     Target target) {
  for (const GateAlternative& a : since)
    if (version_suffices(a, version) && target_suffices(a, target)) return std::nullopt;
  // If the target is right for one alternative, the others are not mentioned.
  std::string text;
  for (bool with_target : {true, false}) {
    for (const GateAlternative& a : since)
      if (!with_target || target_suffices(a, target))
        text += (text.empty() ? "needs " : ", or ") + missing(a, version, target);
    if (!text.empty()) return text;
  }
  return std::nullopt;
}

std::optional<std::string> too_late(const GateAlternative& until, PtxVersion version,
                                    Target target) {
  if (any(until.ptx) && any(until.target)) return std::nullopt;
  if (!any(until.ptx) && version <= until.ptx) return std::nullopt;
  if (!any(until.target) && target.sm <= until.target.sm) return std::nullopt;
  std::string text = "PTX has it";
  if (!any(until.ptx)) text += " up to `.version " + to_string(until.ptx) + "`";
  if (!any(until.target)) text += " for targets up to `" + to_string(until.target) + "`";
  return text;
}

}  // namespace

std::optional<Target> parse_target(std::string_view text) {
  for (std::string_view prefix : {"sm_", "compute_"}) {
    if (!text.starts_with(prefix)) continue;
    Target target;
    const char* end = text.data() + text.size();
    auto [rest, error] = std::from_chars(text.data() + prefix.size(), end, target.sm);
    if (error != std::errc()) return std::nullopt;
    if (rest != end && (*rest == 'a' || *rest == 'f')) target.suffix = *rest++;
    if (rest != end || target.sm == 0) return std::nullopt;
    return target;
  }
  return std::nullopt;
}

std::string to_string(Target target) {
  std::string text = "sm_" + std::to_string(target.sm);
  if (target.suffix != 0) text += target.suffix;
  return text;
}

std::string to_string(PtxVersion version) {
  return std::to_string(version.major) + "." + std::to_string(version.minor);
}

bool admits(Target needed, Target have) {
  if (needed.suffix == 0) return have.sm >= needed.sm;
  if (needed.suffix == 'a') return have.suffix == 'a' && renamed(have.sm) == renamed(needed.sm);
  return have.suffix != 0 && family(have.sm) == family(needed.sm) &&
         renamed(have.sm) >= renamed(needed.sm);
}

std::optional<std::string> refuse(const Gate& gate, PtxVersion version, Target target) {
  if (auto reason = too_early(gate.since, version, target)) return reason;
  return too_late(gate.until, version, target);
}

}  // namespace heddle::isa
