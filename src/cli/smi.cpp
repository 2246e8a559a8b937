// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle smi: what the management library says of Heddle's devices, in the layout of nvidia-smi. It
// is a client of nvml/api.h like any other.
#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/spelling.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/smi_fields.h"

namespace heddle::cli {
namespace {

/// The value of a field that exists, without its unit.
std::string value_of(std::string_view field, nvmlDevice_t device) {
  return find_field(field)->value(device);
}

std::vector<std::string> split(std::string_view list) {
  std::vector<std::string> words;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(','), list.size());
    std::string_view word = list.substr(0, end);
    while (word.starts_with(' ')) word.remove_prefix(1);
    while (word.ends_with(' ')) word.remove_suffix(1);
    words.emplace_back(word);
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return words;
}

struct Process {
  unsigned pid;
  std::string name;
  u64 bytes;
};

std::vector<Process> processes_on(nvmlDevice_t device) {
  std::vector<nvmlProcessInfo_t> infos(64);
  auto count = static_cast<unsigned>(infos.size());
  while (nvmlDeviceGetComputeRunningProcesses_v3(device, &count, infos.data()) ==
         NVML_ERROR_INSUFFICIENT_SIZE) {
    infos.resize(2 * std::size_t{count});
    count = static_cast<unsigned>(infos.size());
  }
  std::vector<Process> processes;
  for (const nvmlProcessInfo_t& info : std::span(infos).first(count)) {
    char name[256] = {};
    const bool known = nvmlSystemGetProcessName(info.pid, name, sizeof name) == NVML_SUCCESS;
    processes.push_back({info.pid, known ? name : kNotAvailable, info.usedGpuMemory});
  }
  return processes;
}

int list_gpus(const std::vector<nvmlDevice_t>& devices) {
  for (const nvmlDevice_t device : devices)
    print("GPU {}: {} (UUID: {})\n", value_of("index", device), value_of("name", device),
          value_of("uuid", device));
  return kOk;
}

/// One line for each device, as comma-separated values.
int query(const std::vector<nvmlDevice_t>& devices, const SmiOptions& options) {
  bool header = true, units = true, csv = false;
  for (const std::string& word : split(options.format)) {
    if (word == "csv")
      csv = true;
    else if (word == "noheader")
      header = false;
    else if (word == "nounits")
      units = false;
    else
      return fail(fmt::format("--format: there is no '{}'; it takes csv,noheader,nounits", word));
  }
  if (!csv) return fail("--query-gpu needs --format=csv");
  std::vector<const Field*> asked;
  std::vector<std::string> names;
  for (const std::string& name : split(options.fields)) {
    asked.push_back(find_field(name));
    names.push_back(name);
    if (asked.back()) continue;
    Spelling spelling(name);
    for (const Field& field : fields()) spelling.consider(field.name);
    return fail(fmt::format("--query-gpu: there is no field '{}'; {}", name,
                            spelling.question_or("`heddle smi --help-query-gpu` lists all")));
  }
  if (asked.empty()) return fail("--query-gpu: a field is missing");
  if (header) {
    std::string line;
    for (std::size_t i = 0; i < asked.size(); ++i) {
      line += (i ? ", " : "") + names[i];
      if (units && !asked[i]->unit.empty()) line += fmt::format(" [{}]", asked[i]->unit);
    }
    print("{}\n", line);
  }
  for (const nvmlDevice_t device : devices) {
    std::string line;
    for (const Field* field : asked)
      line += (line.empty() ? "" : ", ") + (units ? shown(*field, device) : field->value(device));
    print("{}\n", line);
  }
  return kOk;
}

int list_everything(const std::vector<nvmlDevice_t>& devices) {
  print("{:<40}: {}\n{:<40}: {}\n{:<40}: {}\n", "Driver Version", driver_version(), "CUDA Version",
        cuda_version(), "Attached GPUs", device_count());
  for (const nvmlDevice_t device : devices) {
    print("\nGPU {}\n", value_of("pci.bus_id", device));
    for (const Field& field : fields()) {
      if (field.name != "driver_version" && field.name != "count")
        print("    {:<36}: {}\n", field.label, shown(field, device));
    }
    const std::vector<Process> processes = processes_on(device);
    print("    {:<36}{}\n", "Processes", processes.empty() ? ": None" : "");
    for (const Process& process : processes)
      print("        {:<32}: {} ({} MiB)\n", process.pid, process.name, process.bytes >> 20);
  }
  return kOk;
}

constexpr std::size_t kName = 46, kBus = 18, kUse = 34;  // widths of the table's columns
constexpr std::size_t kWidth = kName + kBus + kUse + 8;

void rule(char edge, char line, char corner) {
  const auto dashes = [&](std::size_t width) { return std::string(width + 2, line); };
  print("{}{}{}{}{}{}{}\n", edge, dashes(kName), corner, dashes(kBus), corner, dashes(kUse), edge);
}
void row(std::string_view name, std::string_view bus, std::string_view use) {
  print("| {:<{}} | {:<{}} | {:>{}} |\n", name.substr(0, kName), kName, bus.substr(0, kBus), kBus,
        use, kUse);
}
void wide(std::string_view what) { print("| {:<{}} |\n", what.substr(0, kWidth - 2), kWidth - 2); }

int show_table(const std::vector<nvmlDevice_t>& devices) {
  const std::string line = "+" + std::string(kWidth, '-') + "+\n";
  print("{}", line);
  wide(fmt::format("HEDDLE-SMI {:<24}Driver Version: {:<24}CUDA Version: {}", HEDDLE_VERSION,
                   driver_version(), cuda_version()));
  rule('|', '-', '+');
  row("GPU  Name", "Bus-Id", "Memory-Usage  GPU-Util");
  row("     UUID", "", "Compute M.");
  rule('|', '=', '+');
  for (const nvmlDevice_t device : devices) {
    const std::string memory = fmt::format("{}MiB / {}MiB", value_of("memory.used", device),
                                           value_of("memory.total", device));
    row(fmt::format("{:>3}  {}", value_of("index", device), value_of("name", device)),
        value_of("pci.bus_id", device),
        fmt::format("{}  {:>7}%", memory, value_of("utilization.gpu", device)));
    row("     " + value_of("uuid", device), "", value_of("compute_mode", device));
    rule('+', '-', '+');
  }
  print("\n{}", line);
  wide("Processes:");
  wide(
      fmt::format("{:>3}  {:>9}   {:<69}{:>18}", "GPU", "PID", "Process name", "GPU Memory Usage"));
  print("|{}|\n", std::string(kWidth, '='));
  bool any = false;
  for (const nvmlDevice_t device : devices) {
    for (const Process& process : processes_on(device)) {
      any = true;
      wide(fmt::format("{:>3}  {:>9}   {:<69.69}{:>18}", value_of("index", device), process.pid,
                       process.name, fmt::format("{}MiB", process.bytes >> 20)));
    }
  }
  if (!any) wide("No process uses a device");
  print("{}", line);
  return kOk;
}

int list_fields() {
  for (const Field& field : fields())
    print("{:<26} {}{}\n", field.name, field.label,
          field.unit.empty() ? "" : fmt::format(" [{}]", field.unit));
  return kOk;
}

}  // namespace

int show_devices(const SmiOptions& options) {
  if (options.lists_fields) return list_fields();
  if (nvmlInit_v2() != NVML_SUCCESS) return kUsage;  // the reason is on stderr
  unsigned count = 0;
  nvmlDeviceGetCount_v2(&count);
  std::vector<nvmlDevice_t> devices(count);
  for (unsigned i = 0; i < count; ++i) nvmlDeviceGetHandleByIndex_v2(i, &devices[i]);
  if (options.lists_gpus) return list_gpus(devices);
  if (!options.fields.empty()) return query(devices, options);
  if (!options.format.empty()) return fail("--format goes with --query-gpu");
  return options.lists_everything ? list_everything(devices) : show_table(devices);
}

}  // namespace heddle::cli
