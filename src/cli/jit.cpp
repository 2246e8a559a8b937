// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle jit: shows the code of a kernel after each step of the compiler.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "cli/args.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "jit/compiler.h"
#include "machine/front_end.h"
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

/// Prints the CPU time of each stage: for the first compilation, which loads LLVM, and the minimum
/// of the others.
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

/// Splits "a,b"; drops empty names.
std::vector<std::string> split_names(std::string_view list) {
  std::vector<std::string> names;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(','), list.size());
    if (end) names.emplace_back(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return names;
}

/// The error for a name that is not a pass; empty: all names are passes.
std::string check_names(const char* option, const std::vector<std::string>& names, bool all) {
  const std::vector<jit::PassInfo> passes = jit::list_passes();
  for (const std::string& name : names) {
    const bool known =
        std::ranges::any_of(passes, [&](const jit::PassInfo& pass) { return pass.name == name; });
    if (!known && !(all && name == "all") && !passes.empty())
      return fmt::format("{}: there is no pass '{}'; `heddle jit --print-passes` lists them",
                         option, name);
  }
  return {};
}

int list_passes() {
  const std::vector<jit::PassInfo> passes = jit::list_passes();
  if (passes.empty()) return fail("there is no compiler in this installation");
  for (const jit::PassInfo& pass : passes) {
    print("{:<24} {}\n", pass.name, pass.what);
    const auto say_which = [](const char* what, const std::string& which) {
      if (!which.empty()) print("{:<24}   {}: {}\n", "", what, which);
    };
    say_which("needs", pass.needs);
    say_which("gives", pass.gives);
    say_which("breaks", pass.breaks);
  }
  return kOk;
}

int run_passes(const JitOptions& options) {
  auto text = syntax::load_text(options.file);
  if (!text.ok()) return fail(text.error().message);
  jit::TextRequest request;
  request.text = std::move(*text);
  request.name = options.file == "-" ? "<stdin>" : options.file;
  request.passes = split_names(options.passes);
  request.print_after = split_names(options.print_after);
  request.cpu = options.cpu;
  const auto printed = jit::run_passes_on(request);
  if (!printed.ok()) {
    say("heddle: {}\n", printed.error().message);
    return kBadPtx;
  }
  print("{}", *printed);
  return kOk;
}

}  // namespace

int show_compiled(const JitOptions& options) {
  if (options.print_passes) return list_passes();
  for (const auto& [option, list] :
       {std::pair("--print-after", &options.print_after), std::pair("--passes", &options.passes)}) {
    const bool all = list == &options.print_after;
    if (std::string why = check_names(option, split_names(*list), all); !why.empty())
      return fail(why);
  }
  if (options.file.empty()) return fail("FILE is missing");
  if (!options.cpu.empty() && !jit::knows_cpu(options.cpu))
    return fail(fmt::format("--cpu: LLVM knows no processor '{}'", options.cpu));
  if (options.runs_passes) return run_passes(options);
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
  const check::Compiled checked = machine::compile(inputs, *profile);
  say("{}", checked.messages(wants_colour(stderr)));
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
  const auto& cluster = checked.module->functions[entry->value].req_nctapercluster;
  request.clustered = std::ranges::any_of(cluster, [](u32 extent) { return extent > 1; });
  request.cpu = options.cpu;
  request.dump = options.dump == "scalar"    ? jit::Dump::scalar
                 : options.dump == "uniform" ? jit::Dump::uniform
                 : options.dump == "vector"  ? jit::Dump::vector
                                             : jit::Dump::code;
  if (!options.print_after.empty() || times) request.dump = jit::Dump::none;
  request.print_after = split_names(options.print_after);
  if (times) return time_stages(request, times);
  const auto compiled = jit::compile(request);
  if (!compiled.ok()) return refuse(request, compiled.error().message);
  print("{}", compiled->dump);
  return kOk;
}

}  // namespace heddle::cli
