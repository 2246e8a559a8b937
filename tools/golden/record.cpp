// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "record.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <ctime>
#include <map>
#include <thread>

#include "value.h"

namespace heddle::golden {
namespace {

constexpr std::size_t kModule = 32;    // kernels per module
constexpr u64 kLargeEnough = 1 << 20;  // bytes for which a thread pays off

std::string module_text(std::span<const Subject> subjects) {
  std::string text = kHeader;
  for (const Subject& subject : subjects) text += subject.kernel;
  return text;
}

std::vector<std::span<const Subject>> in_modules(std::span<const Subject> subjects) {
  std::vector<std::span<const Subject>> modules;
  for (std::size_t i = 0; i < subjects.size(); i += kModule)
    modules.push_back(subjects.subspan(i, std::min(kModule, subjects.size() - i)));
  return modules;
}

std::vector<u8> contents(const Input& input, u64 blocks) {
  const u64 count = input.elements_per_block * blocks;
  std::vector<u8> bytes(count * input.element_bytes);
  const u64 workers =
      std::clamp<u64>(bytes.size() / kLargeEnough, 1, std::thread::hardware_concurrency());
  std::vector<std::thread> threads;
  for (u64 worker = 0; worker < workers; ++worker) {
    threads.emplace_back([&, worker] {
      for (u64 i = count * worker / workers; i < count * (worker + 1) / workers; ++i) {
        const u64 element = input.at(i);
        std::memcpy(&bytes[i * input.element_bytes], &element, input.element_bytes);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return bytes;
}

/// "", or the first group whose results differ from those that the host knows.
std::string check_known(const Subject& subject, const Record& record) {
  // Two groups of a sweep: each has millions of results.
  const std::size_t step = subject.swept ? std::max<std::size_t>(record.sums.size() - 1, 1) : 1;
  for (std::size_t i = 0; i < record.sums.size(); i += step) {
    const u64 group = i * record.stride;
    u64 sum = 0;
    const u64 count = u64{kBlock} << subject.log_group_blocks;
    for (u64 index = group * count; index < (group + 1) * count; ++index)
      sum += mixed(subject.expected(static_cast<u32>(index)), index % kBlock);
    if (folded(sum) != record.sums[i])
      return fmt::format("the sum of group {} is not the host's", group);
  }
  for (u32 i = 0; i < subject.raw_results; ++i) {
    if (result_at(subject, record.raw, 0, i) != subject.expected(i))
      return fmt::format("result {} is not the host's", i);
  }
  return {};
}

/// The part that a launch computes: `groups` groups, each stride-th, from a block on.
struct Part {
  u32 groups, log_group_blocks, stride, first_block, raw_limit;
};

/// `memory`: raw results, sums, scratch.
Device::Outcome launch(Device& device, Device::Module module, const Subject& subject, Part part,
                       std::array<u64, 4> inputs, std::array<u64, 3> memory) {
  void* const arguments[] = {&inputs[0],   &inputs[1],       &inputs[2],
                             &inputs[3],   &memory[0],       &memory[1],
                             &memory[2],   &part.raw_limit,  &part.log_group_blocks,
                             &part.stride, &part.first_block};
  return device.run(module, subject.entry, part.groups << part.log_group_blocks, subject.threads,
                    arguments);
}

class Recorder {
 public:
  Recorder(Device& device, u32 stride) : device_(device), stride_(stride) {}

  /// "", or the error. An unsupported kernel is not an error: the record says that it did not run.
  std::string run(Device::Module module, const Subject& subject, Record& record) {
    record.stride = subject.swept ? stride_ : 1;
    const u32 groups = (subject.groups + record.stride - 1) / record.stride;
    const u32 ctas = groups << subject.log_group_blocks;
    std::vector<Device::Buffer> own;  // inputs of this subject only
    std::array<u64, 4> inputs{};
    for (std::size_t i = 0; i < subject.inputs.size(); ++i) {
      const auto address = input(subject.inputs[i], ctas, own);
      if (!address.ok()) return address.error().message;
      inputs[i] = *address;
    }
    const auto raw = device_.allocate(subject.raw_bytes());
    const auto sums = device_.allocate(groups * sizeof(u64));
    const auto scratch = device_.allocate(subject.scratch ? u64{ctas} * subject.threads * 8 : 0);
    for (const auto* buffer : {&raw, &sums, &scratch}) {
      if (!buffer->ok()) return buffer->error().message;
    }
    std::string why = device_.clear(raw->address(), raw->bytes());
    if (why.empty()) why = device_.clear(sums->address(), sums->bytes());
    if (!why.empty()) return why;

    const Device::Outcome outcome =
        launch(device_, module, subject,
               {groups, subject.log_group_blocks, record.stride, 0, subject.raw_limit}, inputs,
               {raw->address(), sums->address(), scratch->address()});
    if (!outcome.supported) return {};
    if (!outcome.why.empty()) return outcome.why;

    record.raw.resize(subject.raw_bytes());
    std::vector<u8> bytes(groups * sizeof(u64));
    why = device_.read(record.raw, raw->address());
    if (why.empty()) why = device_.read(bytes, sums->address());
    if (!why.empty()) return why;
    for (u32 i = 0; i < groups; ++i) {
      u64 sum = 0;
      std::memcpy(&sum, &bytes[i * sizeof sum], sizeof sum);
      record.sums.push_back(folded(sum));
    }
    record.ran = true;
    return subject.expected ? check_known(subject, record) : "";
  }

 private:
  /// The address of the array in device memory. Only subjects that compute all of their blocks have
  /// inputs.
  Result<u64> input(const Input& input, u64 blocks, std::vector<Device::Buffer>& own) {
    if (const auto known = shared_.find(input.key); known != shared_.end())
      return known->second.address();
    const std::vector<u8> bytes = contents(input, blocks);
    auto buffer = device_.allocate(bytes.size());
    if (!buffer.ok()) return buffer.error();
    if (std::string why = device_.write(buffer->address(), bytes); !why.empty()) return Error{why};
    const u64 address = buffer->address();
    if (input.key.empty()) {
      own.push_back(*std::move(buffer));
    } else {
      shared_.emplace(input.key, *std::move(buffer));
    }
    return address;
  }

  Device& device_;
  const u32 stride_;
  std::map<std::string, Device::Buffer> shared_;
};

}  // namespace

Result<std::vector<u8>> sweep(Device& device, const Subject& subject, u32 first, u64 count) {
  const u32 blocks = static_cast<u32>(count / kBlock);
  if (!subject.swept || subject.raw_columns.size() != 1)
    return Error{subject.name + " is no sweep with one result"};
  constexpr u64 kAll = u64{1} << 32;
  if (first % kBlock || count % kBlock || !count || count == kAll || count > kAll - first)
    return Error{fmt::format("{} inputs from {:#x} on are not whole blocks of {}, or all there are",
                             count, first, kBlock)};
  const auto module = device.load(module_text({&subject, 1}));
  if (!module.ok()) return module.error();
  const auto raw = device.allocate(count * subject.raw_columns[0]);
  const auto sums = device.allocate(u64{blocks} * sizeof(u64));
  for (const auto* buffer : {&raw, &sums}) {
    if (!buffer->ok()) return buffer->error();
  }
  // Each block is a group; the sums are not used.
  const Part part{blocks, 0, 1, first / kBlock, static_cast<u32>(count)};
  std::string why =
      launch(device, *module, subject, part, {}, {raw->address(), sums->address(), 0}).why;
  std::vector<u8> bytes(count * subject.raw_columns[0]);
  if (why.empty()) why = device.read(bytes, raw->address());
  device.unload(*module);
  if (!why.empty()) return Error{why};
  return bytes;
}

std::vector<std::string> modules_of(std::span<const Subject> subjects) {
  std::vector<std::string> texts;
  for (const auto some : in_modules(subjects)) texts.push_back(module_text(some));
  return texts;
}

std::string record(Device& device, std::span<const Subject> subjects, u32 stride,
                   Recording& recording) {
  recording.device = device.description();
  recording.date = fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::time(nullptr)));
  Recorder recorder(device, stride);
  for (const auto some : in_modules(subjects)) {
    // If the device refuses the module because of one kernel, each kernel is loaded separately.
    const auto all = device.load(module_text(some));
    for (const Subject& subject : some) {
      Record& record = recording.records.emplace_back();
      record.name = subject.name;
      record.identity = subject.identity;
      const auto module = all.ok() ? all : device.load(module_text({&subject, 1}));
      if (!module.ok()) {
        fmt::print(stderr, "{}: {}\n", subject.name, module.error().message);
        continue;
      }
      const std::string why = recorder.run(*module, subject, record);
      if (!why.empty()) return fmt::format("{}: {}", subject.name, why);
      if (!all.ok()) device.unload(*module);
    }
    if (all.ok()) device.unload(*all);
  }
  return {};
}

}  // namespace heddle::golden
