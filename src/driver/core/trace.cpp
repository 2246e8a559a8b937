// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See trace.h.
#include "driver/core/trace.h"

#include <fmt/format.h>

#include <cstdio>
#include <ctime>

#include "base/config.h"
#include "driver/api.h"
#include "driver/core/module/compile.h"
#include "machine/launch.h"

namespace heddle::driver {
namespace {

// One fwrite for the whole line, so that the lines of several threads do not mix.
void print(const std::string& line) { std::fwrite(line.data(), 1, line.size(), stderr); }

// The name of a result. cuGetErrorName knows all values of the enumeration.
const char* name_of(CUresult result) {
  const char* name = nullptr;
  return cuGetErrorName(result, &name) == CUDA_SUCCESS ? name : "an unknown CUresult";
}

std::string extent(const machine::Dim3& of) { return fmt::format("{}x{}x{}", of.x, of.y, of.z); }

constexpr std::size_t kLongestText = 60;

std::chrono::nanoseconds cpu_time() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

}  // namespace

bool traces_api() { return config().traces_api; }

bool traces_launches() { return config().traces_launches; }

// A text may be a whole module, so only its first line is shown.
std::string show(const char* text) {
  if (!text) return "null";
  std::string shown = "\"";
  for (; *text && *text != '\n' && shown.size() < kLongestText; ++text) shown += *text;
  return shown + (*text ? "...\"" : "\"");
}

std::string show(const void* pointer) { return pointer ? fmt::format("{}", pointer) : "null"; }

// Addresses and sizes have one type. A large number is more likely an address, and is shown in
// hexadecimal.
std::string show(unsigned long long number) {
  return number < 0x1000'0000 ? fmt::format("{}", number) : fmt::format("{:#x}", number);
}

std::string show(long long number) { return fmt::format("{}", number); }
std::string show(double number) { return fmt::format("{}", number); }

std::string show(const CUmemLocation& location) {
  return fmt::format("{{type {}, id {}}}", static_cast<int>(location.type), location.id);
}

CUresult trace_call(const char* function, std::initializer_list<Argument> arguments,
                    CUresult result) {
  std::string list;
  for (const Argument& argument : arguments) {
    list += fmt::format("{}{}={}", list.empty() ? "" : ", ", argument.name,
                        argument.text(argument.value));
  }
  print(fmt::format("heddle: api: {}({}) = {}\n", function, list, name_of(result)));
  return result;
}

TraceLaunch::TraceLaunch(const std::string& kernel, const machine::LaunchShape& shape,
                         const machine::RunOptions& options, const machine::Program& program)
    : kernel_(kernel), program_(program) {
  if (!traces_launches()) return;
  config_.emplace(machine::LaunchConfig{shape, options});
  begin_ = std::chrono::steady_clock::now();
  cpu_begin_ = cpu_time();
}

TraceLaunch::~TraceLaunch() {
  if (!config_) return;
  const std::chrono::duration<double, std::milli> spent = std::chrono::steady_clock::now() - begin_;
  const std::chrono::duration<double, std::milli> cpu = cpu_time() - cpu_begin_;
  print(fmt::format(
      "heddle: launch: {} grid {} block {}{}{} shared {} {:.3f} ms, {:.1f} of {} threads, {}\n",
      kernel_, extent(config_->grid), extent(config_->block),
      config_->cluster ? " cluster " + extent(*config_->cluster) : "",
      config_->cooperative ? " cooperative" : "", config_->dynamic_shared, spent.count(),
      cpu / spent, machine::worker_count(), program_.engine(*config_)));
}

}  // namespace heddle::driver
