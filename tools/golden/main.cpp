// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle_golden: records the results of instructions on a GPU, or on Heddle, and compares
// recordings. See README.md.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <set>

#include "compare.h"
#include "instance.h"
#include "matrix_model.h"
#include "record.h"

namespace heddle::golden {
namespace {

constexpr int kDiffers = 1, kFailed = 2;

struct Options {
  std::string tables = HEDDLE_GOLDEN_TABLES, kind = "all", driver = "libcuda.so.1";
  std::string only, file, other, folder, name;
  u32 first = 0;
  u64 count = 0;
  u32 stride = 1, part = 1;
  bool resume = false, absent = false, vectors = false;
  std::size_t lines = 100;
};

int fail(std::string_view why) {
  fmt::print(stderr, "heddle_golden: {}\n", why);
  return kFailed;
}

/// Reads a table.
auto read_table(const Options& options, std::string_view name, auto read) -> decltype(read({})) {
  const std::string path = fmt::format("{}/{}", options.tables, name);
  std::ifstream file(path);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file) return Error{fmt::format("{}: cannot be read", path)};
  auto instructions = read(text);
  if (!instructions.ok()) return Error{fmt::format("{}, {}", path, instructions.error().message)};
  std::erase_if(*instructions,
                [&](const auto& one) { return one.name.find(options.only) == std::string::npos; });
  return instructions;
}

Result<std::vector<Instance>> instances_of(const Options& options) {
  auto instances = read_table(options, "instances.txt", read_instances);
  if (instances.ok() && options.vectors) *instances = on_vectors(*instances);
  return instances;
}

/// The subjects that the options select.
Result<std::vector<Subject>> subjects(const Options& options) {
  std::vector<Subject> all;
  const auto add = [&](const auto& instructions, std::string_view entry) {
    if (!instructions.ok()) return false;
    for (const auto& one : *instructions)
      all.push_back(make_subject(one, fmt::format("{}_{}", entry, all.size())));
    return true;
  };
  if (options.kind != "matrices") {
    const auto instances = instances_of(options);
    if (!add(instances, "instance")) return instances.error();
  }
  if (options.kind != "instances") {
    const auto matrices = read_table(options, "matrices.txt", read_matrices);
    if (!add(matrices, "matrix")) return matrices.error();
  }
  u32 number = 0;
  std::erase_if(all, [&](const Subject&) { return number++ % options.part != 0; });
  if (all.empty()) return Error{fmt::format("there is nothing called {}", options.only)};
  return all;
}

int record(const Options& options) {
  auto wanted = subjects(options);
  if (!wanted.ok()) return fail(wanted.error().message);
  Recording recording;
  if (options.resume) {
    auto begun = read_file(options.file);
    if (!begun.ok()) return fail(begun.error().message);
    recording = *std::move(begun);
    std::set<std::string_view> there;
    for (const Record& one : recording.records) there.insert(one.name);
    std::erase_if(*wanted, [&](const Subject& one) { return there.contains(one.name); });
  }
  const auto device = Device::open(options.driver);
  if (!device.ok()) return fail(device.error().message);
  const std::string why = golden::record(**device, *wanted, options.stride, recording);
  const std::string unwritten = write_file(options.file, recording);
  for (const std::string& one : {why, unwritten}) {
    if (!one.empty()) return fail(one);
  }
  const auto ran = std::count_if(recording.records.begin(), recording.records.end(),
                                 [](const Record& one) { return one.ran; });
  fmt::print("{}: {} instructions, {} of them ran\n", recording.device, recording.records.size(),
             ran);
  return 0;
}

/// Writes the results of a part of a sweep, little-endian, one after the other.
int write_sweep(const Options& options) {
  const auto instances = read_table(options, "instances.txt", read_instances);
  if (!instances.ok()) return fail(instances.error().message);
  const std::string name = options.name + " (all)";
  const auto found = std::find_if(instances->begin(), instances->end(),
                                  [&](const Instance& one) { return one.name == name; });
  if (found == instances->end())
    return fail(fmt::format("there is no sweep called {}", options.name));
  const auto device = Device::open(options.driver);
  if (!device.ok()) return fail(device.error().message);
  const auto results = sweep(**device, make_subject(*found, "k"), options.first, options.count);
  if (!results.ok()) return fail(results.error().message);
  std::ofstream file(options.file, std::ios::binary);
  file.write(reinterpret_cast<const char*>(results->data()),
             static_cast<std::streamsize>(results->size()));
  file.close();
  return file ? 0 : fail(fmt::format("{}: cannot be written", options.file));
}

int compare(const Options& options) {
  const auto wanted = subjects(options);
  if (!wanted.ok()) return fail(wanted.error().message);
  Recording both[2];
  for (int i = 0; i < 2; ++i) {
    auto recording = read_file(i ? options.other : options.file);
    if (!recording.ok()) return fail(recording.error().message);
    std::erase_if(recording->records, [&](const Record& one) {
      return one.name.find(options.only) == std::string::npos;
    });
    both[i] = std::move(*recording);
    fmt::print("{}: {}, {}\n", i ? "second" : "first", both[i].device, both[i].date);
  }
  const Comparison found = golden::compare(both[0], both[1], *wanted);
  const auto list = [&](const std::vector<std::string>& lines) {
    for (std::size_t i = 0; i < std::min(options.lines, lines.size()); ++i)
      fmt::print("{}\n", lines[i]);
    if (lines.size() > options.lines) fmt::print("and {} more\n", lines.size() - options.lines);
  };
  list(found.differences);
  if (options.absent) list(found.absences);
  fmt::print(
      "{} bit-exact, {} different, {} of other code or inputs, {} in one recording only, {} in "
      "neither\n",
      found.exact, found.different, found.changed, found.missing, found.neither);
  return found.exact && !found.different && !found.changed ? 0 : kDiffers;
}

/// The sizes of the registers in bits.
std::vector<u32> bits_of(const std::vector<Kind>& kinds) {
  std::vector<u32> bits;
  for (const Kind kind : kinds) bits.push_back(kind == Kind::kPred ? 1 : bytes_of(kind) * 8);
  return bits;
}

/// Prints a line of JSON for each instance of the recording that ran on vectors: its code, the bits
/// of its operands, and the inputs and results of the first vectors.
int list_results(const Options& options) {
  const auto instances = instances_of(options);
  if (!instances.ok()) return fail(instances.error().message);
  const auto recording = read_file(options.file);
  if (!recording.ok()) return fail(recording.error().message);
  const RecordsByName records = by_name(*recording);
  for (const Instance& instance : *instances) {
    const auto found = records.find(instance.name);
    if (found == records.end() || !found->second->ran || instance.sweep != Sweep::kVectors)
      continue;
    const Subject subject = make_subject(instance, "k");
    const Record& record = *found->second;
    if (record.identity != subject.identity || record.raw.size() != subject.raw_bytes()) continue;
    fmt::print(
        "{{\"name\": \"{}\", \"code\": \"{}\", \"inputs\": [{}], \"outputs\": [{}], \"vectors\": [",
        instance.name, instance.code, fmt::join(bits_of(instance.inputs), ", "),
        fmt::join(bits_of(instance.outputs), ", "));
    for (u32 i = 0; i < subject.raw_results; ++i)
      fmt::print("{}[[{}], [{}]]", i ? ", " : "", fmt::join(inputs_at(instance, i), ", "),
                 fmt::join(results_at(subject, record.raw, i), ", "));
    fmt::print("]}}\n");
  }
  return 0;
}

/// Prints a line for each matrix instruction that has a model: the number of cases that agree, and
/// the profiles that do not.
int compare_with_model(const Options& options) {
  const auto matrices = read_table(options, "matrices.txt", read_matrices);
  if (!matrices.ok()) return fail(matrices.error().message);
  const auto recording = read_file(options.file);
  if (!recording.ok()) return fail(recording.error().message);
  const RecordsByName records = by_name(*recording);
  u32 compared = 0, different = 0;
  for (const MatrixInstruction& matrix : *matrices) {
    const auto found = records.find(matrix.name);
    if (!has_model(matrix) || found == records.end() || !found->second->ran ||
        found->second->identity != make_subject(matrix, "k").identity)
      continue;
    const Agreement agreement = compare_with_model(matrix, *found->second);
    std::string profiles;
    for (u32 i = 0; i < kProfiles; ++i) {
      if (agreement.different[i])
        profiles += fmt::format(" {} {} of {},", name_of(static_cast<Profile>(i)),
                                agreement.different[i], agreement.cases[i]);
    }
    ++compared;
    different += !profiles.empty();
    fmt::print("{}:{}\n", matrix.name,
               profiles.empty()
                   ? " as the model"
                   : fmt::format(" not as the model in{} {}", profiles, agreement.first));
  }
  fmt::print("{} compared with the model, {} different\n", compared, different);
  return compared && !different ? 0 : kDiffers;
}

int write_modules(const Options& options) {
  const auto wanted = subjects(options);
  if (!wanted.ok()) return fail(wanted.error().message);
  std::size_t number = 0;
  for (const std::string& text : modules_of(*wanted)) {
    const std::string path = fmt::format("{}/{}.ptx", options.folder, number++);
    std::ofstream file(path);
    file << text;
    file.close();
    if (!file) return fail(fmt::format("{}: cannot be written", path));
  }
  return 0;
}

}  // namespace
}  // namespace heddle::golden

int main(int argc, char** argv) {
  using namespace heddle::golden;
  Options options;
  CLI::App app("Records what a GPU, or Heddle, computes, and compares recordings.");
  app.require_subcommand(1);
  const auto command = [&](const char* name, const char* what) {
    CLI::App* one = app.add_subcommand(name, what);
    one->add_option("--only", options.only, "instances whose names hold TEXT")->option_text("TEXT");
    one->add_option("--kind", options.kind,
                    "instances (scalar, warp-level, atomic), matrices or all")
        ->check(CLI::IsMember({"instances", "matrices", "all"}))
        ->option_text("KIND");
    one->add_option("--tables", options.tables, "where instances.txt and matrices.txt are")
        ->check(CLI::ExistingDirectory)
        ->option_text("FOLDER");
    return one;
  };
  CLI::App* recorder = command("record", "run the instances on a device");
  recorder->add_option("file", options.file, "the recording to write")->required();
  recorder
      ->add_option("--stride", options.stride, "of sweeps through 2^32 inputs only each Nth group")
      ->check(CLI::Range(1, 256))
      ->option_text("N");
  recorder->add_option("--part", options.part, "only each Nth instance")
      ->check(CLI::PositiveNumber)
      ->option_text("N");
  recorder->add_flag("--resume", options.resume,
                     "go on with a recording: what is not in the file yet");
  CLI::App* sweeper = command("sweep", "write the results of a part of a sweep as they are");
  sweeper->add_option("file", options.file)->required();
  sweeper->add_option("instance", options.name, "its name, without (all)")->required();
  sweeper->add_option("first", options.first, "the first input, e.g. 0x3f800000")->required();
  sweeper->add_option("count", options.count, "how many inputs")->required();
  for (CLI::App* one : {recorder, sweeper})
    one->add_option("--driver", options.driver, "the driver: a libcuda.so.1")->option_text("PATH");
  CLI::App* comparer = command("compare", "compare two recordings: 1 if something differs");
  comparer->add_option("first", options.file)->required();
  comparer->add_option("second", options.other)->required();
  comparer->add_flag("--absent", options.absent, "name what is in one of them only, too");
  comparer->add_option("--lines", options.lines, "instances to name at most (default: 100)")
      ->option_text("N");
  CLI::App* lister = command(
      "results",
      "print the first inputs and results of a recording, a line of JSON for each instance");
  lister->add_option("file", options.file)->required();
  for (CLI::App* one : {recorder, lister})
    one->add_flag("--vectors", options.vectors,
                  "instances that would run on all inputs run on vectors, like the others");
  CLI::App* modeller =
      command("model", "compare the mma of a recording with what they are believed to compute");
  modeller->add_option("file", options.file)->required();
  CLI::App* writer = command("ptx", "write the PTX modules, 0.ptx and so on");
  writer->add_option("folder", options.folder)->required()->check(CLI::ExistingDirectory);
  CLI11_PARSE(app, argc, argv);
  return recorder->parsed()   ? record(options)
         : sweeper->parsed()  ? write_sweep(options)
         : comparer->parsed() ? compare(options)
         : lister->parsed()   ? list_results(options)
         : modeller->parsed() ? compare_with_model(options)
                              : write_modules(options);
}
