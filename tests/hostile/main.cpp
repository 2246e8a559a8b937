// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle_hostile: runs kernels with hostile addresses, handles and tensor maps (kernel.h), compiled
// and in the interpreter. If all addresses are legal, both runs finish and leave the same memory.
// In any case the host's own memory must not change: on either side of the device's regions, around
// registered memory (which is registered for each run only), and at a pointer that a kernel gets.
// With HEDDLE_VERIFY_JIT compiled code also checks each access itself. Exit status: 0 when all
// kernels pass, 1 when one fails, 2 for wrong usage.
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstring>
#include <map>

#include "base/check.h"
#include "check/check.h"
#include "interp/program.h"
#include "jit/engine.h"
#include "kernel.h"
#include "machine/launch.h"

namespace heddle::hostile {
namespace {

constexpr u64 kSpare = 8192;  ///< global memory after the kernels' objects, for their results
constexpr u64 kBeside = 64 * 1024;
constexpr u8 kCanary = 0xc5;

volatile u64 current_seed;

/// Prints the seed if a bug of the compiler ends the process.
void say_seed(int signal) {
  char text[64] = "seed ";
  char* const end = std::to_chars(text + 5, text + 40, u64{current_seed}).ptr;
  *end = '\n';
  if (write(STDERR_FILENO, text, static_cast<std::size_t>(end + 1 - text)) < 0) _exit(3);
  std::signal(signal, SIG_DFL);
  raise(signal);
}

/// Memory of the host that no kernel may change.
class Canaries {
 public:
  void add(void* at, u64 bytes) {
    std::memset(at, kCanary, bytes);
    pieces_.push_back({static_cast<u8*>(at), bytes});
  }
  /// Maps memory at this address, which must be free.
  void map(u64 at, u64 bytes) {
    void* const got = mmap(reinterpret_cast<void*>(at), bytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (got != MAP_FAILED) add(got, bytes);
  }
  bool are_untouched() const {
    return std::ranges::all_of(pieces_, [](const Piece& piece) {
      return std::all_of(piece.at, piece.at + piece.bytes, [](u8 byte) { return byte == kCanary; });
    });
  }

 private:
  struct Piece {
    u8* at;
    u64 bytes;
  };
  std::vector<Piece> pieces_;
};

struct Outcome {
  enum class Kind : u8 { ran, refused, other } kind = Kind::ran;
  machine::TrapKind trap{};  ///< if the kernel was refused
  std::string message;
  std::vector<u8> global, host;
};

class Examiner {
 public:
  Examiner()
      : memory_(*machine::Memory::create(u64{1} << 30)),
        compiler_(std::make_unique<interp::Interpreter>(), {.at_once = true}),
        own_(2 * kBeside + kHostBytes) {
    for (const machine::Region* region : {&memory_->low(), &memory_->high()}) {
      canaries_.map(region->all.base - kBeside, kBeside);
      canaries_.map(region->all.end(), kBeside);
    }
    canaries_.add(own_.data(), kBeside);
    canaries_.add(own_.data() + kBeside + kHostBytes, kBeside);
    global_ = *memory_->allocate(kGlobalBytes + kSpare);
    make_textures();
  }

  /// The distance from the global memory to unregistered host memory.
  u64 to_mine() const { return reinterpret_cast<u64>(own_.data()) - global_; }

  std::string summary() const {
    return fmt::format("{} may have an illegal access, for which both engines trap in {}", illegal_,
                       both_trap_);
  }

  /// Runs the kernel in both engines; returns the error, or an empty string.
  std::string examine(const Kernel& kernel) {
    const check::Compiled compiled = check::compile({{"hostile.ptx", kernel.text}});
    if (!compiled.module) return "is rejected: " + compiled.messages();
    const auto loaded = machine::Loaded::create(*memory_, compiled.module);
    HEDDLE_CHECK(loaded.ok());
    const Outcome expected = run(interpreter_, *loaded, kernel);
    const Outcome got = run(compiler_, *loaded, kernel);
    if (!canaries_.are_untouched()) return "changes memory of the host";
    for (const Outcome* one : {&expected, &got}) {
      if (one->kind == Outcome::Kind::other) return one->message;
      if (kernel.is_legal && one->kind != Outcome::Kind::ran)
        return fmt::format("a legal access is refused ({}): {}",
                           one == &got ? "compiled" : "interpreter", one->message);
    }
    if (kernel.ends_alike) {
      if (expected.kind != got.kind || expected.trap != got.trap)
        return fmt::format("ends in two ways: '{}' interpreted, '{}' compiled", expected.message,
                           got.message);
      ++illegal_;
      both_trap_ += expected.kind == Outcome::Kind::refused;
      return expected.kind == Outcome::Kind::ran ? compare(expected, got) : "";
    }
    if (!kernel.is_legal) {
      // The two may trap at different places: compiled code need not execute an access with an
      // unused result, and treats generic addresses that are derived from shared addresses as
      // shared addresses.
      ++illegal_;
      both_trap_ += expected.kind != Outcome::Kind::ran && got.kind != Outcome::Kind::ran;
      return {};
    }
    return kernel.has_one_result ? compare(expected, got) : "";
  }

 private:
  static std::string compare(const Outcome& expected, const Outcome& got) {
    if (expected.global != got.global) return difference("global", expected.global, got.global);
    if (expected.host != got.host) return difference("host", expected.host, got.host);
    return {};
  }

  static std::string difference(const char* name, const std::vector<u8>& a,
                                const std::vector<u8>& b) {
    const auto at = std::ranges::mismatch(a, b).in1 - a.begin();
    return fmt::format("{}[{}]: {:#04x} instead of {:#04x}", name, at,
                       b[static_cast<std::size_t>(at)], a[static_cast<std::size_t>(at)]);
  }

  /// The handles that a kernel gets: five textures, two surfaces, and one that is gone.
  void make_textures() {
    constexpr u32 kWidth = 32, kLevels = 3;
    const u64 bytes = u64{kWidth} * kWidth * 16 * 6;
    const u64 memory = *memory_->allocate(bytes);
    std::memset(reinterpret_cast<void*>(memory), 0x3c, bytes);
    using isa::TexelFormat;
    constexpr struct {
      machine::TextureObject::Kind kind;
      TexelFormat format;
      u8 channels;
      u32 dimensions, layers;
      bool cube, mipmapped, filters;
    } kObjects[] = {
        {machine::TextureObject::Kind::texture, TexelFormat::f32, 4, 1, 1, false, false, false},
        {machine::TextureObject::Kind::texture, TexelFormat::u8, 4, 2, 1, false, true, true},
        {machine::TextureObject::Kind::texture, TexelFormat::f16, 2, 3, 1, false, false, true},
        {machine::TextureObject::Kind::texture, TexelFormat::f32, 1, 2, 6, true, false, true},
        {machine::TextureObject::Kind::texture, TexelFormat::bc1, 4, 2, 3, false, false, false},
        {machine::TextureObject::Kind::surface, TexelFormat::u32, 1, 2, 1, false, false, false},
        {machine::TextureObject::Kind::surface, TexelFormat::u8, 4, 1, 4, false, false, false},
        {machine::TextureObject::Kind::texture, TexelFormat::f32, 1, 1, 1, false, false, false}};
    static_assert(std::size(kObjects) == kHandles);
    for (u32 i = 0; i < kHandles; ++i) {
      const auto& one = kObjects[i];
      machine::TextureObject object;
      object.kind = one.kind;
      object.bound = true;
      isa::Texture& texture = object.texture;
      texture.format = one.format;
      texture.channels = one.channels;
      texture.dimensions = one.dimensions;
      texture.cube = one.cube;
      texture.layers = one.layers;
      texture.layered = one.layers > 1 && !one.cube;
      texture.mipmapped = one.mipmapped;
      texture.levels = one.mipmapped ? kLevels : 1;
      if (one.format == TexelFormat::u8 && one.kind == machine::TextureObject::Kind::texture)
        texture.reading = isa::TexelReading::normalized;
      u64 base = memory;
      for (u32 j = 0; j < texture.levels; ++j) {
        isa::TextureLevel& level = texture.level[j];
        level.base = base;
        level.width = kWidth >> j;
        level.height = one.dimensions > 1 ? kWidth >> j : 1;
        level.depth = one.dimensions > 2 ? 4 : 1;
        const bool blocks = isa::is_block_format(one.format);
        level.pitch = blocks ? level.width / 4 * 8 : u64{level.width} * 16;
        level.slice = level.pitch * (blocks ? level.height / 4 : level.height);
        base += level.slice;
      }
      isa::Sampler& sampler = object.sampler;
      sampler.normalized = one.filters;
      if (one.filters) sampler.filter = sampler.mip_filter = isa::TextureFilter::linear;
      sampler.seamless = one.cube;
      sampler.most = one.mipmapped ? 512 : 0;
      sampler.anisotropy = one.mipmapped ? 4 : 1;
      sampler.address[0] = one.filters ? isa::AddressMode::wrap : isa::AddressMode::clamp_to_border;
      sampler.address[1] = one.filters ? isa::AddressMode::mirror : isa::AddressMode::clamp_to_edge;
      handles_[i] = memory_->textures().add(object);
    }
    memory_->textures().remove(handles_[kHandles - 1]);
  }

  Outcome run(machine::Engine& engine, const std::shared_ptr<const machine::Loaded>& loaded,
              const Kernel& kernel) {
    const ir::Module& module = loaded->module();
    const ir::FunctionId entry(
        static_cast<std::size_t>(module.find_function(Kernel::kName) - module.functions.data()));
    const auto program = engine.prepare(loaded, entry);
    HEDDLE_CHECK(program.ok());
    u8* const registered = own_.data() + kBeside;
    auto* const global = reinterpret_cast<u8*>(global_);
    for (u64 i = 0; i < kGlobalBytes; ++i) global[i] = static_cast<u8>(i * 7 + i / 256);
    std::memset(global + kGlobalBytes, 0, kSpare);
    for (u64 i = 0; i < kHostBytes; ++i) registered[i] = static_cast<u8>(i * 5 + 1);
    machine::LaunchConfig config;
    config.grid = {1, 1, 1};
    config.block = kernel.block;
    config.time_limit = 30;
    config.params.resize(module.functions[entry.value].param_bytes);
    const u64 pointers[] = {global_, reinterpret_cast<u64>(registered),
                            reinterpret_cast<u64>(own_.data())};
    std::memcpy(config.params.data(), pointers, sizeof pointers);
    const ir::Parameter& block = module.functions[entry.value].signature.params.back();
    std::memcpy(config.params.data() + block.offset, handles_, sizeof handles_);
    memory_->registered().add({pointers[1], kHostBytes});
    const auto result =
        machine::launch(*machine::find_profile(""), **program, *loaded, entry, config);
    memory_->registered().remove(pointers[1]);
    Outcome outcome;
    if (const auto* trap = std::get_if<machine::Trap>(&result)) {
      const bool refused = trap->kind == machine::TrapKind::illegal_address ||
                           trap->kind == machine::TrapKind::misaligned_address ||
                           trap->kind == machine::TrapKind::tensor_map;
      outcome.kind = refused ? Outcome::Kind::refused : Outcome::Kind::other;
      outcome.trap = trap->kind;
      outcome.message = machine::describe(*trap);
    } else if (const auto* error = std::get_if<machine::LaunchError>(&result)) {
      outcome.kind = Outcome::Kind::other;
      outcome.message = error->message;
    }
    outcome.global.assign(global, global + kGlobalBytes + kSpare);
    outcome.host.assign(registered, registered + kHostBytes);
    return outcome;
  }

  static constexpr u32 kHandles = kBlockBytes / sizeof(u64);

  u64 illegal_ = 0, both_trap_ = 0;
  std::unique_ptr<machine::Memory> memory_;
  interp::Interpreter interpreter_;
  jit::Engine compiler_;
  std::vector<u8> own_;
  Canaries canaries_;
  u64 global_ = 0;
  u64 handles_[kHandles] = {};
};

int run(u64 first, u64 count) {
  constexpr u64 kMostFailures = 10;
  for (const int signal : {SIGABRT, SIGSEGV, SIGILL}) std::signal(signal, say_seed);
  Examiner examiner;
  u64 failures = 0, done = 0;
  for (; done < count && failures < kMostFailures; ++done) {
    current_seed = first + done;
    const Kernel kernel = generate(current_seed, examiner.to_mine());
    const std::string what = examiner.examine(kernel);
    if (what.empty()) continue;
    ++failures;
    fmt::print("seed {}: {}\n", kernel.seed, what);
    std::fflush(stdout);
  }
  fmt::print("{} kernels from seed {} on: {} failed; {}\n", done, first, failures,
             examiner.summary());
  return failures == 0 && done > 0 ? 0 : 1;
}

}  // namespace
}  // namespace heddle::hostile

int main(int argc, char** argv) {
  using heddle::u64;
  u64 first = 0, count = 1000;
  bool good = true, print = false;
  for (int i = 1; good && i < argc; ++i) {
    const std::string_view option = argv[i];
    u64* const value = option == "--count"   ? &count
                       : option == "--first" ? &first
                       : option == "--print" ? &first
                                             : nullptr;
    print |= option == "--print";
    const char* const text = value && i + 1 < argc ? argv[++i] : "";
    const char* const end = text + std::strlen(text);
    good = value && std::from_chars(text, end, *value).ptr == end && end != text;
  }
  if (!good) {
    fmt::print(stderr, "usage: heddle_hostile [--count N] [--first SEED] [--print SEED]\n");
    return 2;
  }
  if (print) {
    fmt::print("{}", heddle::hostile::generate(first, heddle::u64{1} << 46).text);
    return 0;
  }
  return heddle::hostile::run(first, count);
}
