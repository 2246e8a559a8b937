// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "check/check.h"
#include "machine/launch.h"

namespace heddle::generated {
namespace {

constexpr u32 kStackBytes = 16 * 1024;  // recursions in recursions

}  // namespace

std::string difference(const Kernel& kernel, const Outcome& expected, const Outcome& got) {
  if (expected.failure != got.failure) {
    return fmt::format("{} instead of {}", got.failure.empty() ? "ran" : got.failure,
                       expected.failure.empty() ? "running" : expected.failure);
  }
  for (std::size_t i = 0; i < expected.memory.size(); ++i) {
    const std::vector<u8>&a = expected.memory[i], &b = got.memory[i];
    const auto at = std::ranges::mismatch(a, b).in1 - a.begin();
    if (at == std::ssize(a)) continue;
    const u64 slice = a.size() / (kernel.grid.volume() * kernel.block.volume());
    const u64 offset = static_cast<u64>(at);
    const std::string_view name = kernel.buffers[i].name;
    const std::string thread = name == "output" ? fmt::format(" (thread {} of the grid, +{})",
                                                              offset / slice, offset % slice)
                                                : "";
    return fmt::format("{}[{}]{}: {:#04x} instead of {:#04x}", name, offset, thread, b[offset],
                       a[offset]);
  }
  return "nothing differs";
}

Prepared::Prepared(machine::Memory& memory, machine::Engine& engine, const Kernel& kernel)
    : kernel_(kernel), memory_(memory) {
  const check::Compiled compiled = check::compile({{"generated.ptx", kernel.text()}});
  if (!compiled.module) {
    refusal_ = compiled.messages();
    return;
  }
  const auto loaded = machine::Loaded::create(memory, compiled.module);
  if (!loaded.ok()) {
    refusal_ = loaded.error().message;
    return;
  }
  loaded_ = *loaded;
  const ir::Module& module = *compiled.module;
  entry_ = ir::FunctionId(
      static_cast<std::size_t>(module.find_function(Kernel::kName) - module.functions.data()));
  const auto program = engine.prepare(loaded_, entry_);
  if (!program.ok()) {
    refusal_ = program.error().message;
    return;
  }
  program_ = *program;
  for (const Buffer& buffer : kernel.buffers) {
    const auto address = memory.allocate(buffer.initial.size());
    HEDDLE_CHECK(address.ok());
    addresses_.push_back(*address);
  }
}

Prepared::~Prepared() {
  for (const u64 address : addresses_) memory_.release(address);
}

Outcome Prepared::run(std::optional<u64> schedule, double time_limit) const {
  machine::LaunchConfig config;
  config.grid = kernel_.grid;
  config.block = kernel_.block;
  config.schedule = schedule;
  config.time_limit = time_limit;
  config.dynamic_shared = kernel_.dynamic_shared;
  config.stack_bytes = kStackBytes;
  const u64 pointers = 8 * addresses_.size();
  config.params.resize(pointers + kernel_.scalars.size());
  std::memcpy(config.params.data(), addresses_.data(), pointers);
  std::memcpy(config.params.data() + pointers, kernel_.scalars.data(), kernel_.scalars.size());
  for (std::size_t i = 0; i < addresses_.size(); ++i) {
    const std::vector<u8>& initial = kernel_.buffers[i].initial;
    std::memcpy(reinterpret_cast<void*>(addresses_[i]), initial.data(), initial.size());
  }
  const auto result =
      machine::launch(*machine::find_profile(""), *program_, *loaded_, entry_, config);
  Outcome outcome;
  if (const auto* trap = std::get_if<machine::Trap>(&result)) {
    outcome.failure = machine::describe(*trap);
  } else if (const auto* error = std::get_if<machine::LaunchError>(&result)) {
    outcome.failure = error->message;
  }
  for (std::size_t i = 0; i < addresses_.size(); ++i) {
    const u8* const first = reinterpret_cast<const u8*>(addresses_[i]);
    outcome.memory.emplace_back(first, first + kernel_.buffers[i].initial.size());
  }
  return outcome;
}

}  // namespace heddle::generated
