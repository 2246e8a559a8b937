// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle run: runs one kernel with arguments from the command line.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "base/config.h"
#include "base/file.h"
#include "check/check.h"
#include "cli/args.h"
#include "cli/commands.h"
#include "cli/files.h"
#include "cli/npy.h"
#include "cli/output.h"
#include "engine/engine.h"
#include "engine/fault_policy.h"
#include "machine/device_launch.h"
#include "machine/front_end.h"
#include "machine/launch.h"
#include "syntax/preprocess.h"

namespace heddle::cli {
namespace {

/// The parsed command line, not yet checked against a kernel.
struct Request {
  std::vector<Argument> arguments;
  machine::Dim3 grid, block;
  std::optional<machine::Dim3> cluster;
  std::vector<Dump> dumps;
  std::vector<Save> saves;
  std::optional<u64> schedule = config().schedule;
  u32 shared = 0;
  double time_limit = config().time_limit;
  bool strict_membermasks = config().strict_membermasks.value_or(true);
};

/// An argument that was copied to device memory.
struct Buffer {
  Scalar type;
  std::vector<u64> shape;
  u64 count;
  u64 address;

  u64 bytes() const { return count * bytes_of(type); }
  const u8* data() const { return reinterpret_cast<const u8*>(address); }
};

/// The buffers by argument number; the memory outlives them.
struct Arguments {
  std::vector<std::optional<Buffer>> buffers;
  std::vector<u8> block;
};

Result<Request> understand(const RunOptions& options) {
  Request request;
  for (std::size_t i = 0; i < options.arguments.size(); ++i) {
    auto argument = parse_argument(options.arguments[i]);
    if (!argument.ok()) return Error{fmt::format("argument {}: {}", i, argument.error().message)};
    request.arguments.push_back(std::move(*argument));
  }
  const auto grid = parse_extent(options.grid), block = parse_extent(options.block);
  if (!grid.ok()) return Error{"--grid: " + grid.error().message};
  if (!block.ok()) return Error{"--block: " + block.error().message};
  request.grid = *grid;
  request.block = *block;
  if (!options.cluster.empty()) {
    const auto cluster = parse_extent(options.cluster);
    if (!cluster.ok()) return Error{"--cluster: " + cluster.error().message};
    request.cluster = *cluster;
  }
  const auto shared = parse_whole(options.shared, 0, ~u32{0});
  if (!shared.ok()) return Error{"--shared: " + shared.error().message};
  request.shared = static_cast<u32>(*shared);
  if (!options.time_limit.empty()) {
    const auto limit = parse_seconds(options.time_limit);
    if (!limit.ok()) return Error{"--time-limit: " + limit.error().message};
    request.time_limit = *limit;
  }
  if (!options.schedule.empty()) {
    const auto schedule = parse_schedule(options.schedule);
    if (!schedule.ok()) return Error{"--schedule: " + schedule.error().message};
    request.schedule = *schedule;
  }
  if (!options.membermask.empty()) request.strict_membermasks = options.membermask == "strict";
  const auto must_be_buffer = [&](u32 argument, std::string_view option) -> std::optional<Error> {
    if (argument >= request.arguments.size()) {
      return Error{
          fmt::format("{}: there is no argument {}, they are numbered from 0", option, argument)};
    }
    const Argument& given = request.arguments[argument];
    if (std::holds_alternative<BufferArg>(given) || std::holds_alternative<FileArg>(given))
      return std::nullopt;
    return Error{fmt::format("{}: argument {} is not a buffer", option, argument)};
  };
  for (const std::string& text : options.dumps) {
    const auto dump = parse_dump(text);
    if (!dump.ok()) return Error{"--dump: " + dump.error().message};
    if (auto error = must_be_buffer(dump->argument, "--dump")) return *error;
    request.dumps.push_back(*dump);
  }
  for (const std::string& text : options.saves) {
    const auto save = parse_save(text);
    if (!save.ok()) return Error{"--save: " + save.error().message};
    if (auto error = must_be_buffer(save->argument, "--save")) return *error;
    request.saves.push_back(*save);
  }
  return request;
}

/// "saxpy takes 2 arguments (n: .u32, x: .u64), 1 was given".
Error wrong_count(const ir::Function& kernel, std::size_t given) {
  std::string list;
  for (const ir::Parameter& parameter : kernel.signature.params)
    list += (list.empty() ? "" : ", ") + describe(parameter);
  const std::size_t count = kernel.signature.params.size();
  return {fmt::format("{} takes {} argument{}{}, {} {} given", kernel.name, count,
                      count == 1 ? "" : "s", list.empty() ? "" : " (" + list + ")", given,
                      given == 1 ? "was" : "were")};
}

Result<Buffer> make_buffer(machine::Memory& memory, const Argument& argument, bool low) {
  const auto place = [&](Buffer buffer) -> Result<Buffer> {
    const auto address = memory.allocate(std::max<u64>(buffer.bytes(), 1), 256, low);
    if (!address.ok()) return address.error();
    buffer.address = *address;
    return buffer;
  };
  if (const auto* file = std::get_if<FileArg>(&argument)) {
    const auto contents = read_input(file->path);
    if (!contents.ok()) return contents.error();
    const auto array = parse_npy(*contents);
    if (!array.ok()) return Error{fmt::format("{} {}", file->path, array.error().message)};
    auto buffer = place({array->type, array->shape, array->count(), 0});
    if (buffer.ok() && buffer->bytes())
      std::memcpy(reinterpret_cast<void*>(buffer->address), array->bytes.data(), buffer->bytes());
    return buffer;
  }
  const BufferArg& spec = std::get<BufferArg>(argument);
  auto buffer = place({spec.type, {spec.count}, spec.count, 0});
  if (buffer.ok()) fill(spec, reinterpret_cast<u8*>(buffer->address));
  return buffer;
}

/// Allocates the buffers and fills the parameter block.
Result<Arguments> bind(const Request& request, const ir::Module& module, const ir::Function& kernel,
                       machine::Memory& memory) {
  const auto& params = kernel.signature.params;
  if (request.arguments.size() != params.size())
    return wrong_count(kernel, request.arguments.size());
  Arguments result;
  result.block.resize(kernel.param_bytes);
  for (std::size_t i = 0; i < params.size(); ++i) {
    const auto explain = [&](const Error& error) {
      return Error{fmt::format("argument {} ({}): {}", i, describe(params[i]), error.message)};
    };
    const Argument& argument = request.arguments[i];
    result.buffers.emplace_back();
    if (std::holds_alternative<BufferArg>(argument) || std::holds_alternative<FileArg>(argument)) {
      // The parameter is checked first, so that a mistake does not cost a large allocation.
      const auto fits = store_address(params[i], 0, module.address_size, result.block);
      if (!fits.ok()) return explain(fits.error());
      auto buffer = make_buffer(memory, argument, module.address_size == 32);
      if (!buffer.ok()) return explain(buffer.error());
      (void)store_address(params[i], buffer->address, module.address_size, result.block).ok();
      result.buffers.back() = std::move(*buffer);
    } else if (const auto stored = store_value(params[i], argument, result.block); !stored.ok()) {
      return explain(stored.error());
    }
  }
  return result;
}

void print_buffer(u32 argument, const Buffer& buffer, u64 most) {
  constexpr u64 kPerLine = 8;
  const u64 count = std::min(most, buffer.count);
  print("argument {}: {}[{}]\n", argument, name_of(buffer.type), buffer.count);
  const std::size_t width = fmt::formatted_size("{}", count ? count - 1 : 0);
  for (u64 i = 0; i < count; ++i) {
    if (i % kPerLine == 0) print("{}  {:>{}}:", i ? "\n" : "", i, width);
    u64 bits = 0;
    std::memcpy(&bits, buffer.data() + i * bytes_of(buffer.type), bytes_of(buffer.type));
    print(" {}", print_scalar(buffer.type, bits));
  }
  if (count) print("\n");
}

/// Writes the outputs that the options ask for after the kernel has run.
int deliver(const Request& request, const Arguments& arguments) {
  for (const Dump& dump : request.dumps)
    print_buffer(dump.argument, *arguments.buffers[dump.argument], dump.count);
  for (const Save& save : request.saves) {
    const Buffer& buffer = *arguments.buffers[save.argument];
    const Array array{buffer.type, buffer.shape, {buffer.data(), buffer.data() + buffer.bytes()}};
    if (const auto written = write_file(save.path, print_npy(array)); !written.ok())
      return fail(written.error().message);
  }
  return kOk;
}

/// The host of kernels that launch kernels.
class RunKernels final : public machine::KernelHost {
 public:
  RunKernels(machine::Engine& engine, std::shared_ptr<const machine::Loaded> loaded,
             const machine::Profile& profile)
      : engine_(engine), loaded_(std::move(loaded)), profile_(profile) {}

  Result<Kernel> kernel(ir::FunctionId id) override {
    const std::lock_guard lock(mutex_);
    Kernel& known = kernels_[id.value];
    if (known.program) return known;
    auto program = engine_.prepare(loaded_, id);
    if (!program.ok()) return program.error();
    known.program = std::move(*program);
    known.most_dynamic_shared = profile_.shared_per_block_optin;
    known.large_clusters = true;
    return known;
  }

 private:
  machine::Engine& engine_;
  const std::shared_ptr<const machine::Loaded> loaded_;
  const machine::Profile& profile_;
  std::mutex mutex_;
  std::map<u32, Kernel> kernels_;
};

int run_kernel(const RunOptions& options, const Request& request, const machine::Profile& profile,
               const std::shared_ptr<const ir::Module>& module) {
  const auto entry = find_kernel(*module, options.entry);
  if (!entry.ok()) return fail(entry.error().message);
  const ir::Function& kernel = module->functions[entry->value];

  const auto memory = machine::Memory::create(profile.memory_bytes);
  if (!memory.ok()) return fail(memory.error().message);
  const auto loaded = machine::Loaded::create(**memory, module);
  if (!loaded.ok()) return fail(loaded.error().message);
  const auto engine = engine::make_engine();
  const auto program = engine->prepare(*loaded, *entry);
  if (!program.ok()) return fail(program.error().message);
  const auto arguments = bind(request, *module, kernel, **memory);
  if (!arguments.ok()) return fail(arguments.error().message);

  machine::LaunchConfig config;
  config.grid = request.grid;
  config.block = request.block;
  config.cluster = request.cluster;
  config.large_clusters = true;
  config.cooperative = options.cooperative;
  config.schedule = request.schedule;
  config.dynamic_shared = request.shared;
  config.params = arguments->block;
  config.time_limit = request.time_limit;
  config.on_fault =
      engine::on_fault_of_environment([](const std::string& text) { say("heddle: {}\n", text); });
  RunKernels kernels(*engine, *loaded, profile);
  config.kernels = &kernels;
  config.strict_membermasks = request.strict_membermasks;
  const auto start = std::chrono::steady_clock::now();
  const machine::LaunchResult result =
      machine::launch(profile, **program, **loaded, *entry, config);
  const std::chrono::duration<double, std::milli> elapsed =
      std::chrono::steady_clock::now() - start;

  if (const auto* error = std::get_if<machine::LaunchError>(&result)) return fail(error->message);
  if (const auto* trap = std::get_if<machine::Trap>(&result)) {
    say("{}\n", machine::describe(*trap));
    return kTrapped;
  }
  if (options.time) say("{}: {:.3f} ms\n", kernel.name, elapsed.count());
  return deliver(request, *arguments);
}

}  // namespace

int run(const RunOptions& options) {
  const machine::Profile* const profile = chosen_profile();
  if (!profile) return kUsage;
  const auto request = understand(options);
  if (!request.ok()) return fail(request.error().message);
  std::vector<std::string> files = options.links;
  files.insert(files.begin(), options.file);
  std::vector<check::Input> inputs;
  for (const std::string& file : files) {
    auto text = syntax::load_text(file);
    if (!text.ok()) return fail(text.error().message);
    inputs.push_back({file == "-" ? "<stdin>" : file, std::move(*text)});
  }
  const check::Compiled compiled = machine::compile(inputs, *profile, options.compile);
  say("{}", compiled.messages(wants_colour(stderr)));
  if (!compiled.module) return kBadPtx;
  if (const std::string why = machine::refuse(*profile, *compiled.module); !why.empty())
    return fail(fmt::format("{} {}", compiled.module->name, why));
  return run_kernel(options, *request, *profile, compiled.module);
}

}  // namespace heddle::cli
