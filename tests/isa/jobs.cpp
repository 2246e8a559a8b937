// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jobs.h"

#include <fmt/format.h>

#include <optional>

#include "isa/entry.h"

namespace heddle::isa_cases {
namespace {

bool is_open(const Case& test, const Place& place) {
  for (const isa::ConditionalGate& gate : test.form.form->gates) {
    if (isa::all_hold(gate.when, test.form.slot_values()) &&
        isa::refuse(gate.gate, place.version, place.target)) {
      return false;
    }
  }
  return true;
}

/// Every version worth trying with every target that it has, the preferred ones first.
std::vector<Place> all_places() {
  std::vector<Place> places;
  const auto targets = isa::targets();
  for (const bool suffixed : {false, true}) {
    for (const isa::PtxVersion version :
         {isa::PtxVersion{9, 1}, {8, 0}, {6, 3}, {4, 0}, {2, 3}, {1, 3}, {1, 0}}) {
      for (auto entry = targets.rbegin(); entry != targets.rend(); ++entry) {
        const auto target = isa::parse_target(entry->name);
        if (target && (target->suffix != 0) == suffixed &&
            !isa::refuse(entry->gates, version, *target)) {
          places.push_back({version, *target});
        }
      }
    }
  }
  return places;
}

std::optional<Place> place_of(const Case& test) {
  static const std::vector<Place> places = all_places();
  for (const Place& place : places) {
    if (is_open(test, place)) return place;
  }
  return std::nullopt;
}

}  // namespace

std::string Place::header() const {
  return fmt::format(".version {}\n.target {}\n{}", isa::to_string(version), isa::to_string(target),
                     address_bits() == 64 ? ".address_size 64\n" : "");
}

Plan plan(const std::vector<Case>& cases) {
  Plan plan;
  plan.groups = group(cases);
  std::map<std::string, std::size_t> batch_of;
  std::size_t kernels = 0;
  for (const Group& group : plan.groups) {
    const auto place = place_of(group.first());
    if (!place) {
      plan.nowhere.insert(plan.nowhere.end(), group.cases.begin(), group.cases.end());
      continue;
    }
    const auto [entry, fresh] = batch_of.try_emplace(place->header(), plan.batches.size());
    if (fresh) plan.batches.push_back({*place, {}});
    std::vector<Job>& jobs = plan.batches[entry->second].jobs;

    const std::string name = fmt::format("case_{}", kernels++);
    jobs.push_back({&group, false, group.cases, name, kernel(group, name, place->address_bits())});
    std::vector<const Case*> immediates;
    for (const Case* test : group.cases) {
      if (!test->inputs.empty() && can_be_immediate(*test)) immediates.push_back(test);
    }
    if (immediates.empty()) continue;
    jobs.push_back({&group, true, immediates, name + "_imm",
                    immediate_kernel(immediates, name + "_imm", place->address_bits())});
  }
  return plan;
}

}  // namespace heddle::isa_cases
