// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/config.h"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace heddle {
namespace {

/// The number that `text` consists of. None when the text is not a number, or out of range.
template <class Number>
std::optional<Number> parse(std::string_view text, Number low, Number high) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  if (!(number >= low && number <= high)) return {};  // also refuses NaN
  return number;
}

bool read_switch(std::string_view text, bool& on) {
  if (text != "0" && text != "1") return false;
  on = text == "1";
  return true;
}

/// Reads a number of units of `unit` nanoseconds.
bool read_time(std::string_view text, double unit, std::optional<std::chrono::nanoseconds>& time) {
  const auto number = parse(text, 0.0, 1e9);
  if (!number) return false;
  time = std::chrono::nanoseconds(static_cast<s64>(*number * unit));
  return true;
}

bool read_devices(std::string_view text, Config& config) {
  config.devices = parse<u32>(text, 1, kMaxDevices).value_or(0);
  return config.devices != 0;
}

bool read_engine(std::string_view text, Config& config) {
  if (text == "auto")
    config.engine = EngineChoice::automatic;
  else if (text == "interp")
    config.engine = EngineChoice::interpreter;
  else if (text == "jit")
    config.engine = EngineChoice::compiler;
  else
    return false;
  return true;
}

bool read_cpu(std::string_view text, Config& config) {
  config.cpu = parse_cpu_level(text);
  return config.cpu.has_value();
}

bool read_threads(std::string_view text, Config& config) {
  config.threads = parse<u32>(text, 1, 1024);
  return config.threads.has_value();
}

bool read_cache_folder(std::string_view text, Config& config) {
  // The program may change its current folder.
  std::error_code failed;
  config.cache_folder = std::filesystem::absolute(text, failed);
  return !failed;
}

bool read_cache_size(std::string_view text, Config& config) {
  const auto megabytes = parse<u64>(text, 0, 1u << 30);
  if (megabytes) config.cache_bytes = *megabytes << 20;
  return megabytes.has_value();
}

bool read_time_limit(std::string_view text, Config& config) {
  const auto seconds = parse(text, 0.0, 1e9);
  if (seconds) config.time_limit = *seconds;
  return seconds.has_value();
}

bool read_schedule(std::string_view text, Config& config) {
  const auto schedule = parse_schedule(text);
  if (schedule.ok()) config.schedule = *schedule;
  return schedule.ok();
}

bool read_membermask(std::string_view text, Config& config) {
  if (text != "strict" && text != "gpu") return false;
  config.strict_membermasks = text == "strict";
  return true;
}

bool read_mma(std::string_view text, Config& config) {
  if (text != "exact" && text != "ieee") return false;
  config.ieee_products = text == "ieee";
  return true;
}

bool read_on_fault(std::string_view text, Config& config) {
  if (text != "trap" && text != "report") return false;
  config.reports_faults = text == "report";
  return true;
}

/// Turns on the traces that the list names. False, when it also has unknown words.
bool read_trace(std::string_view text, Config& config) {
  bool known = true;
  for (std::string_view rest = text; !rest.empty();) {
    const auto comma = std::min(rest.find(','), rest.size());
    const std::string_view word = rest.substr(0, comma);
    if (word == "api")
      config.traces_api = true;
    else if (word == "launch")
      config.traces_launches = true;
    else if (word == "jit")
      config.traces_jit = true;
    else
      known &= word.empty();
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return known;
}

bool read_release(std::string_view text, Config& config) {
  const auto dot = text.find('.');
  if (dot == text.npos || !parse<u32>(text.substr(0, dot), 1, 99) ||
      !parse<u32>(text.substr(dot + 1), 0, 99))
    return false;
  config.toolkit_release = text;
  return true;
}

constexpr std::string_view kPrograms = "programs", kRun = "programs, `heddle run`",
                           kJit = "programs, `heddle run` and `jit`",
                           kHeddle = "programs, `heddle`",
                           kTools = "`heddle ptxas`, `nvlink`, `fatbinary` and `cuobjdump`";

// docs/environment.md shows this table; tests/cli/cli_test.py compares the two.
constexpr Variable kVariables[] = {
    {"HEDDLE_DEVICE", "heddle", "a name that `heddle devices` lists",
     "The GPU that Heddle stands in for. A named GPU accepts exactly the PTX that the real one "
     "accepts.",
     kHeddle,
     [](std::string_view text, Config& config) {
       config.device = text;  // layers above know the names
       return true;
     },
     "no device"},
    {"HEDDLE_DEVICES", "1", "a number from 1 to 64", "The number of devices that a program sees.",
     kPrograms, read_devices, "no device"},
    {"HEDDLE_ENGINE", "auto", "auto, interp or jit",
     "The engine that runs kernels. auto: the interpreter, and compiled code once a kernel is hot; "
     "interp: the interpreter alone; jit: compiled code, so a kernel's first launch waits until "
     "the "
     "kernel is compiled.",
     kRun, read_engine},
    {"HEDDLE_THREADS", "all processors of the process", "a number from 1 to 1024",
     "The number of host threads that run a grid.", kRun, read_threads},
    {"HEDDLE_CPU", "the best that the processor has", "baseline, v3 or v4",
     "The level of x86-64 up to which both engines use the processor's instructions.", kRun,
     read_cpu},
    {"HEDDLE_CONTRACT", "1", "0 or 1",
     "Whether a `mul` and an `add` that name no rounding become one `fma`, as on a GPU.", kJit,
     [](std::string_view text, Config& config) { return read_switch(text, config.contract); }},
    {"HEDDLE_MMA", "exact", "exact or ieee",
     "The sums of floating-point matrix products (`mma`, `wmma`, `wgmma`, `tcgen05.mma`). exact: "
     "those of the GPU, bit for bit; ieee: an `fma` of f32 for each product in ascending k, which "
     "is faster.",
     kRun, read_mma},
    {"HEDDLE_TIME_LIMIT", "no limit", "a number of seconds",
     "A kernel that runs longer is stopped: `CUDA_ERROR_LAUNCH_TIMEOUT`. 0 is no limit.", kRun,
     read_time_limit},
    {"HEDDLE_ON_FAULT", "trap", "trap or report",
     "The effect of an access where there is no memory. trap: the kernel ends; report: the access "
     "reads zeros or writes nothing, the kernel continues, and Heddle reports the first such "
     "access "
     "of each instruction.",
     kRun, read_on_fault},
    {"HEDDLE_MEMBERMASK", "gpu for programs, strict for `heddle run`", "strict or gpu",
     "The effect of a `.sync` instruction whose membermask does not name the thread. strict: the "
     "instruction traps; gpu: its effect on a GPU.",
     kRun, read_membermask},
    {"HEDDLE_SCHEDULE", "fast", "fast, or seed:N with a number N",
     "The order in which threads take turns. fast: the fastest; seed:N: a pseudo-random one, the "
     "same for the same N.",
     kRun, read_schedule},
    {"HEDDLE_TRACE", "nothing", "a list of api, launch and jit with commas between",
     "The traces that Heddle writes to stderr. api: each call of the driver; launch: each grid; "
     "jit: the decisions of the compiler.",
     kRun, read_trace, "the known words of the list"},
    {"HEDDLE_CACHE",
     "1",
     "0 or 1",
     "Whether compiled kernels are kept on disk for later processes.",
     kRun,
     [](std::string_view text, Config& config) { return read_switch(text, config.cache); },
     {},
     true},
    {"HEDDLE_CACHE_DIR",
     "$XDG_CACHE_HOME/heddle, else ~/.cache/heddle",
     "a folder",
     "The folder in which compiled kernels are kept.",
     kRun,
     read_cache_folder,
     {},
     true},
    {"HEDDLE_CACHE_SIZE",
     "256",
     "a number of megabytes",
     "The largest size of the folder of compiled kernels. The least recently used kernels are "
     "removed first.",
     kRun,
     read_cache_size,
     {},
     true},
    {"HEDDLE_JIT_AFTER", "4, and 0.015 for each instruction of the kernel",
     "a number of milliseconds",
     "The time in the interpreter after which a kernel is compiled in the background.", kRun,
     [](std::string_view text, Config& config) { return read_time(text, 1e6, config.jit_after); }},
    {"HEDDLE_JIT_BUDGET", "20", "a number of seconds",
     "The time of a processor that compiling a kernel may take. A kernel that needs more stays in "
     "the interpreter; with 0 all kernels do.",
     kRun,
     [](std::string_view text, Config& config) { return read_time(text, 1e9, config.jit_budget); }},
    {"HEDDLE_PTXAS_RELEASE", "13.1", "a release of the CUDA toolkit, such as 12.6",
     "The release that `--version` of the tools for build systems prints. Some clients know the "
     "releases of their time only.",
     kTools, read_release},
    {"HEDDLE_VERIFY_JIT", "0", "0 or 1",
     "Whether the compiler verifies its code after each pass, and compiled code checks each "
     "access again. Debug builds of Heddle always do.",
     kJit,
     [](std::string_view text, Config& config) { return read_switch(text, config.verify_jit); }},
};

std::string complaint_about(const Variable& variable, std::string_view text) {
  const auto& instead = variable.otherwise.empty() ? variable.fallback : variable.otherwise;
  std::string line = "heddle: ";
  for (const std::string_view part :
       {std::string_view(variable.name), std::string_view("="), text, std::string_view(": it is "),
        variable.values, std::string_view("; using "), instead, std::string_view("\n")})
    line += part;
  return line;
}

/// The folder of compiled kernels when HEDDLE_CACHE_DIR is not set. Relative folders are ignored,
/// as the XDG Base Directory Specification says.
std::string default_cache_folder() {
  for (const auto& [variable, below] : {std::pair{"XDG_CACHE_HOME", ""}, {"HOME", "/.cache"}}) {
    const char* const base = secure_getenv(variable);
    if (base && *base == '/') return std::string(base) + below + "/heddle";
  }
  return {};
}

struct Read {
  Config config;
  std::vector<std::string> complaints;
};

const Read& of_process() {
  // Never destroyed: threads may still be in a call when the process ends.
  static const Read& read = []() -> const Read& {
    auto* const made = new Read;
    made->config = read_config(text_of, made->complaints);
    return *made;
  }();
  return read;
}

}  // namespace

std::span<const Variable> variables() { return kVariables; }

const char* text_of(const Variable& variable) {
  return variable.secure ? secure_getenv(variable.name) : std::getenv(variable.name);
}

Config read_config(Environment environment, std::vector<std::string>& complaints) {
  Config config;
  config.cache_folder = default_cache_folder();
  for (const Variable& variable : kVariables) {
    const char* const text = environment(variable);
    if (text && *text && !variable.read(text, config))
      complaints.push_back(complaint_about(variable, text));
  }
  return config;
}

const Config& config() { return of_process().config; }

void complain_about_environment() {
  [[maybe_unused]] static const bool once = [] {
    for (const std::string& line : of_process().complaints) std::fputs(line.c_str(), stderr);
    return true;
  }();
}

std::optional<CpuLevel> wanted_cpu_level() { return config().cpu; }

Result<std::optional<u64>> parse_schedule(std::string_view text) {
  constexpr std::string_view kSeed = "seed:";
  if (text == "fast") return std::optional<u64>();
  if (text.starts_with(kSeed)) {
    if (const auto seed = parse<u64>(text.substr(kSeed.size()), 0, ~u64{0})) return seed;
  }
  return Error{"'" + std::string(text) +
               "' is not a schedule; a schedule is fast, or seed:N with a number N"};
}

}  // namespace heddle
