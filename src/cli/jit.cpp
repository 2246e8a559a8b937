// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle jit: what the compiler makes of a kernel, step by step.
#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/args.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "jit/compiler.h"
#include "machine/device_runtime.h"
#include "machine/loaded.h"
#include "syntax/preprocess.h"

namespace heddle::cli {

namespace {

constexpr u64 kMostTimes = 1'000'000;

int refuse(const jit::Request& request, const std::string& why) {
  say("heddle: {} stays in the interpreter: {}\n",
      request.module->functions[request.entry.value].name, why);
  return kTrapped;
}

/// CPU time of each stage: of the first compilation, which loads LLVM, and the least of the others.
int time_stages(const jit::Request& request, u64 times) {
  std::vector<jit::Stage> first, least;
  std::size_t bytes = 0;
  for (u64 i = 0; i < times; ++i) {
    const auto compiled = jit::compile(request);
    if (!compiled.ok()) return refuse(request, compiled.error().message);
    if (i == 0) first = compiled->stages;
    bytes = compiled->image.code.size();
    if (i <= 1) least = compiled->stages;
    for (std::size_t s = 0; s < least.size(); ++s)
      least[s].seconds = std::min(least[s].seconds, compiled->stages[s].seconds);
  }
  const std::size_t insts = request.module->functions[request.entry.value].insts.size();
  print("{} instructions, {} bytes of code\n{:<20} {:>10} {:>10}\n", insts, bytes, "CPU time, ms",
        "first", "least");
  double first_sum = 0, least_sum = 0;
  for (std::size_t s = 0; s < least.size(); ++s) {
    print("{:<20} {:>10.3f} {:>10.3f}\n", first[s].name, first[s].seconds * 1e3,
          least[s].seconds * 1e3);
    first_sum += first[s].seconds;
    least_sum += least[s].seconds;
  }
  print("{:<20} {:>10.3f} {:>10.3f}\n", "all", first_sum * 1e3, least_sum * 1e3);
  return kOk;
}

}  // namespace

int show_compiled(const JitOptions& options) {
  const machine::Profile* const profile = chosen_profile();
  if (!profile) return kUsage;
  u64 times = 0;
  if (!options.time.empty()) {
    const auto given = parse_whole(options.time, 1, kMostTimes);
    if (!given.ok()) return fail("--time: " + given.error().message);
    times = *given;
  }
  const auto block = parse_extent(options.block);
  if (!block.ok()) return fail("--block: " + block.error().message);
  auto text = syntax::load_text(options.file);
  if (!text.ok()) return fail(text.error().message);
  const std::vector<check::Input> inputs = {
      {options.file == "-" ? "<stdin>" : options.file, std::move(*text)}};
  check::CompileOptions how;
  how.for_sm_1x = machine::is_sm_1x(*profile);
  if (profile->any_target) how.versions = check::Versions::newer;
  const check::Compiled checked = check::compile(inputs, &machine::provides, how);
  say("{}", checked.messages);
  if (!checked.module) return kBadPtx;
  const auto entry = find_kernel(*checked.module, options.entry);
  if (!entry.ok()) return fail(entry.error().message);
  const auto memory = machine::Memory::create(profile->memory_bytes);
  if (!memory.ok()) return fail(memory.error().message);
  const auto loaded = machine::Loaded::create(**memory, checked.module);
  if (!loaded.ok()) return fail(loaded.error().message);

  const machine::SharedLayout shared = (*loaded)->shared_layout(*entry);
  jit::Request request;
  request.module = checked.module.get();
  request.entry = *entry;
  request.shared = &shared;
  request.block = *block;
  request.cpu = options.cpu;
  request.dump = options.dump == "scalar"    ? jit::Dump::scalar
                 : options.dump == "uniform" ? jit::Dump::uniform
                 : options.dump == "vector"  ? jit::Dump::vector
                                             : jit::Dump::code;
  if (times) {
    request.dump = jit::Dump::none;
    return time_stages(request, times);
  }
  const auto compiled = jit::compile(request);
  if (!compiled.ok()) return refuse(request, compiled.error().message);
  print("{}", compiled->dump);
  return kOk;
}

}  // namespace heddle::cli
