// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runner.h"

#include <fmt/format.h>

#include <cstring>

#include "check/check.h"

namespace heddle::isa_cases {
namespace {

constexpr std::size_t kKernelsPerModule = 100;
constexpr int kPoison = 0xa5;

std::unique_ptr<machine::Memory> make_memory() {
  auto memory = machine::Memory::create(u64{1} << 30);
  HEDDLE_CHECK(memory.ok());
  return std::move(*memory);
}

void write_inputs(const Group& group, u64 in) {
  for (u32 thread = 0; thread < kThreads; ++thread) {
    for (const Element* element : registers(group.of(thread).inputs)) {
      std::memcpy(reinterpret_cast<void*>(in), &element->bits, sizeof(Bits));
      in += kElementBytes;
    }
  }
}

u64 row_bytes(const Group& group) { return u64{kElementBytes} * group.outputs; }

}  // namespace

Runner::Runner(machine::Engine& engine)
    : engine_(engine), memory_(make_memory()), profile_(*machine::find_profile("")) {}

void Runner::run(const Batch& batch) {
  const std::span<const Job> jobs = batch.jobs;
  for (std::size_t i = 0; i < jobs.size(); i += kKernelsPerModule) {
    run(batch.place, jobs.subspan(i, std::min(kKernelsPerModule, jobs.size() - i)));
  }
}

void Runner::run(const Place& place, std::span<const Job> jobs) {
  std::string text = place.header();
  for (const Job& job : jobs) text += job.text;
  check::CompileOptions options;
  options.for_sm_1x = place.target.sm < 20;  // as in the tables
  const check::Compiled compiled =
      check::compile({{jobs[0].name + ".ptx", text}}, nullptr, options);
  if (!compiled.module && jobs.size() > 1) {  // one by one, to find the failing kernels
    for (const Job& job : jobs) run(place, {&job, 1});
    return;
  }
  if (!compiled.module) return fail(jobs[0], compiled.messages());
  const auto loaded = machine::Loaded::create(*memory_, compiled.module);
  for (const Job& job : jobs) loaded.ok() ? run(*loaded, job) : fail(job, loaded.error().message);
}

void Runner::run(const std::shared_ptr<const machine::Loaded>& loaded, const Job& job) {
  const ir::Module& module = loaded->module();
  const ir::FunctionId entry(
      static_cast<std::size_t>(module.find_function(job.name) - module.functions.data()));
  const auto program = engine_.prepare(loaded, entry);
  if (!program.ok()) return fail(job, program.error().message);

  const Group& group = *job.group;
  const u64 rows = job.immediate ? job.cases.size() : kThreads * std::size(kMasks);
  const u64 input_bytes = u64{kElementBytes} * group.inputs * kThreads;
  const u64 output_bytes = row_bytes(group) * rows;
  const bool low = module.address_size == 32;
  const u64 in = *memory_->allocate(std::max<u64>(input_bytes, 1), 256, low);
  const u64 out = *memory_->allocate(std::max<u64>(output_bytes, 1), 256, low);
  if (!job.immediate) write_inputs(group, in);
  std::memset(reinterpret_cast<void*>(out), kPoison, output_bytes);

  machine::LaunchConfig config;
  config.block = {kThreads, 1, 1};
  config.time_limit = 100;  // for endless kernels; includes the JIT's compile time under sanitizers
  const u32 address_bytes = module.address_size / 8;
  config.params.resize(2 * address_bytes);
  std::memcpy(config.params.data(), &in, address_bytes);
  std::memcpy(config.params.data() + address_bytes, &out, address_bytes);
  const auto result = machine::launch(profile_, **program, *loaded, entry, config);
  if (const auto* trap = std::get_if<machine::Trap>(&result)) {
    fail(job, machine::describe(*trap));
  } else if (const auto* error = std::get_if<machine::LaunchError>(&result)) {
    fail(job, error->message);
  } else {
    compare(job, out);
  }
  memory_->release(in);
  memory_->release(out);
}

void Runner::compare(const Job& job, u64 out) {
  const u64 step = row_bytes(*job.group);
  if (job.immediate) {
    for (const Case* test : job.cases) {
      compare_row(*test, out, "with immediate operands: ", true);
      out += step;
    }
    return;
  }
  for (u32 thread = 0; thread < kThreads; ++thread) {
    for (const Mask mask : kMasks) {
      const std::string_view what = mask == Mask::all   ? ""
                                    : mask == Mask::odd ? "odd lanes only: "
                                                        : "even lanes only: ";
      compare_row(job.group->of(thread), out, what, is_active(mask, thread));
      out += step;
    }
  }
}

void Runner::compare_row(const Case& test, u64 out, std::string_view what, bool active) {
  ran_.insert(&test);
  for (const Value& value : test.outputs) {
    for (const Element& element : value.elements) {
      ++compared_;
      // Predicates are stored as words of 0 or 1.
      const bool is_word = element.type == isa::Type::pred;
      const u32 bytes = is_word ? 4 : std::max(1, isa::type_info(element.type).bits / 8);
      Bits got, poison;
      std::memcpy(&got, reinterpret_cast<const void*>(out), bytes);
      std::memset(static_cast<void*>(&poison), kPoison, bytes);
      poison = untouched(test, value, element, poison);
      if (active ? !is_as_expected(element, got) : got != poison) {
        fail(test, fmt::format("{}got {}, expected {}{}", what, print(element.type, got),
                               print(element.type, active ? element.bits : poison),
                               active ? "" : ", what the register held before"));
      }
      out += kElementBytes;
    }
  }
}

void Runner::fail(const Job& job, const std::string& messages) {
  const Case& first = *job.cases[0];
  fmt::print("{}: {}: does not run\n{}\n", first.where, first.mnemonic, messages);
  failed_.insert(job.cases.begin(), job.cases.end());
}

void Runner::fail(const Case& test, const std::string& why) {
  if (!failed_.insert(&test).second) return;  // reported once only
  fmt::print("{}: {}", test.where, test.mnemonic);
  for (const Value& value : test.inputs) {
    for (const Element& element : value.elements) {
      fmt::print(" {}", print(element.type, element.bits));
    }
  }
  fmt::print(": {}\n", why);
}

}  // namespace heddle::isa_cases
