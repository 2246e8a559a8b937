// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <random>
#include <span>

namespace heddle::hostile {
namespace {

/// An object that an access may reach, and one of the ways to address it.
struct Object {
  const char* space;    ///< as written in ld and st
  const char* pointer;  ///< 64-bit register with its address in that space
  u64 bytes;
  bool is_written;
  bool has_atomics;
};

constexpr std::array kObjects = {
    Object{".global", "%global", kGlobalBytes, true, true},
    Object{"", "%global", kGlobalBytes, true, true},
    Object{".global", "%host", kHostBytes, true, true},
    Object{"", "%host", kHostBytes, true, true},
    Object{".shared", "%shared", kSharedBytes, true, true},
    Object{"", "%generic_shared", kSharedBytes, true, true},
    Object{".local", "%local", kLocalBytes, true, false},
    Object{"", "%generic_local", kLocalBytes, true, false},
    Object{".const", "%const", kConstBytes, false, false},
    Object{".param", "%param", kBlockBytes, false, false},
};

struct Size {
  const char* type;
  u32 bytes;
  u32 count;
};
constexpr std::array kSizes = {Size{"u8", 1, 1},  Size{"u16", 2, 1}, Size{"u32", 4, 1},
                               Size{"u32", 4, 1}, Size{"u64", 8, 1}, Size{"u32", 4, 2},
                               Size{"u32", 4, 4}, Size{"u64", 8, 2}, Size{"u8", 1, 4}};

/// Distances that wrap around, return to the object, or just miss it.
constexpr std::array<u64, 22> kFar = {u64{1} << 63,        (u64{1} << 63) - 4096,
                                      (u64{1} << 63) + 16, ~u64{0} << 63,
                                      u64{1} << 62,        u64{3} << 62,
                                      ~u64{0} - 15,        ~u64{0} << 12,
                                      u64{1} << 60,        u64{15} << 60,
                                      u64{1} << 47,        u64{1} << 40,
                                      (u64{1} << 40) + 64, u64{1} << 36,
                                      u64{1} << 32,        (u64{1} << 32) - 64,
                                      u64{1} << 31,        (u64{1} << 31) - 32,
                                      ~u64{0} << 31,       u64{64} << 20,
                                      0xdeadbeef00000000u, 4096};

class Generator {
 public:
  Generator(u64 seed, u64 to_mine) : to_mine_(to_mine), random_(seed) { kernel_.seed = seed; }
  Kernel run();

 private:
  u64 below(u64 bound) { return std::uniform_int_distribution<u64>(0, bound - 1)(random_); }
  bool one_in(u64 times) { return below(times) == 0; }
  template <class List>
  const auto& any(const List& list) {
    return list[below(std::size(list))];
  }
  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    body_ += "  " + fmt::format(format, std::forward<Args>(args)...) + "\n";
  }
  u64 far() { return any(kFar) + (one_in(3) ? below(64) * 16 : 0); }

  void add(const std::string& to, u64 distance);
  void add_by_thread(const std::string& to, u64 stride);
  void group();
  void access(const Object& object, const Size& size, const std::string& address, u64 offset);

  static u64 whole_of(const Size& size) { return u64{size.bytes} * size.count; }

  const u64 to_mine_;
  Kernel kernel_;
  std::mt19937_64 random_;
  std::string body_;
  unsigned addresses_ = 0, labels_ = 0;
  u32 threads_ = 32;
};

/// Adds a distance in pieces, each of which may lead far away.
void Generator::add(const std::string& to, u64 distance) {
  for (u64 pieces = below(3); pieces > 0; --pieces) {
    const u64 piece = far();
    if (one_in(4))
      line("sub.u64 {0}, {0}, {1};", to, static_cast<s64>(0 - piece));
    else
      line("add.u64 {0}, {0}, {1};", to, static_cast<s64>(piece));
    distance -= piece;
  }
  line("add.u64 {0}, {0}, {1};", to, static_cast<s64>(distance));
}

/// Adds stride * %tid.x, in one of the forms that compilers generate, possibly with terms that
/// cancel.
void Generator::add_by_thread(const std::string& to, u64 stride) {
  if (one_in(4)) {
    const u64 more = far();
    line("cvt.u64.u32 %x, %t;");
    line("mul.lo.u64 %x, %x, {};", static_cast<s64>(stride + more));
    line("add.u64 {0}, {0}, %x;", to);
    line("mul.wide.u32 %x, %t, 1;");
    line("mad.lo.u64 {0}, %x, {1}, {0};", to, static_cast<s64>(0 - more));
    return;
  }
  const s64 number = static_cast<s64>(stride);
  const bool narrow = number >= -(s64{1} << 31) && number < s64{1} << 31;
  const bool power = stride && (stride & (stride - 1)) == 0;
  switch (below(5)) {
    case 0:
      if (narrow) return line("mad.wide.s32 {0}, %t, {1}, {0};", to, number);
      break;
    case 1:
      if (narrow && number >= 0) {
        line("mul.lo.u32 %i, %t, {};", number);
        line("cvt.u64.u32 %x, %i;");
        return line("add.u64 {0}, {0}, %x;", to);
      }
      break;
    case 2:
      if (narrow) {
        line("mul.lo.s32 %i, %t, {};", number);
        line("cvt.s64.s32 %x, %i;");
        return line("add.u64 {0}, {0}, %x;", to);
      }
      break;
    case 3:
      if (power) {
        line("cvt.u64.u32 %x, %t;");
        line("shl.b64 %x, %x, {};", std::countr_zero(stride));
        return line("add.u64 {0}, {0}, %x;", to);
      }
      break;
    default:
      break;
  }
  line("cvt.u64.u32 %x, %t;");
  line("mad.lo.u64 {0}, %x, {1}, {0};", to, number);
}

/// Some accesses relative to one address, with offsets in the instructions.
void Generator::group() {
  const Object& object = any(kObjects);
  const Size& size = any(kSizes);
  const u64 whole = whole_of(size);
  const std::string address = fmt::format("%a{}", addresses_++);
  // The placement of the threads: object, stride and number of threads limit the possible places.
  u64 stride = whole * any(std::array<u64, 8>{0, 1, 1, 1, 2, 3, 4, 8});
  if (stride * (threads_ - 1) + whole > object.bytes) stride = 0;
  const bool downwards = stride && one_in(5);
  const u64 reach = stride * (threads_ - 1);
  const u64 places = (object.bytes - reach - whole) / whole + 1;
  const u64 first = below(places) * whole + (downwards ? reach : 0);
  const bool strays = !kernel_.is_legal && object.pointer == std::string_view("%host");
  line("mov.u64 {}, {};", address, strays && one_in(2) ? "%mine" : object.pointer);
  // The offsets of all accesses are relative to this.
  const u64 origin = one_in(2) ? 0 : far();
  const bool scatter = stride && one_in(4);
  if (scatter) {
    // Permutes the threads in a way that is not affine.
    line("xor.b32 %i, %t, {};", below(32));
    line("min.u32 %i, %i, {};", threads_ - 1);
    line("mul.wide.u32 %x, %i, {};", stride);
    line("add.u64 {0}, {0}, %x;", address);
    add(address, (downwards ? first - reach : first) - origin);
  } else if (one_in(2)) {
    add_by_thread(address, downwards ? 0 - stride : stride);
    add(address, first - origin);
  } else {
    add(address, first - origin);
    add_by_thread(address, downwards ? 0 - stride : stride);
  }
  for (u64 accesses = 1 + below(kernel_.is_legal ? 4 : 8); accesses > 0; --accesses) {
    const u64 low = downwards ? first - reach : first;
    const u64 step = below((object.bytes - reach - low - whole) / whole + 1) * whole;
    access(object, size, address, origin + (one_in(2) ? 0 : step));
  }
}

void Generator::access(const Object& object, const Size& size, const std::string& address,
                       u64 offset) {
  std::string guard;
  if (one_in(kernel_.is_legal ? 4 : 16)) {
    line("setp.{}.u32 %p, %t, {};", one_in(2) ? "lt" : "ge", below(threads_));
    guard = one_in(2) ? "@%p " : "@!%p ";
  }
  // In one of four kernels some accesses leave the object: loads with unused results, which
  // compiled code does not execute, far away; stores and loads of host memory, or of addresses far
  // from any memory.
  const u64 stray = kernel_.is_legal ? ~u64{0} : below(8);
  const bool is_dead = stray < 2 || one_in(6);
  if (stray < 3) offset += one_in(2) ? kFar[below(4)] : any(kFar);
  if (stray == 3 || stray == 4) offset += (to_mine_ + below(64)) / whole_of(size) * whole_of(size);
  const char* order = object.has_atomics && one_in(8) && size.count == 1 ? ".volatile" : "";
  std::string type = size.type;
  std::string value = size.bytes == 8 ? "%w" : size.bytes == 4 ? "%v" : "%h";
  if (size.count > 1) {
    std::string list;
    for (u32 i = 0; i < size.count; ++i) list += fmt::format("{}{}{}", i ? ", " : "", value, i);
    value = "{" + list + "}";
    type = fmt::format("v{}.{}", size.count, type);
  } else {
    value += "0";
  }
  const auto place = fmt::format("[{}+{}]", address, static_cast<s64>(offset));
  const u64 kind = stray < 2 ? 0 : below(object.is_written ? 5 : 2);
  if (kind < 2) {
    line("{}ld{}{}.{} {}, {};", guard, order, object.space, type, value, place);
    if (is_dead) return;
    const char* first = size.bytes == 8 ? "%w0" : size.bytes == 4 ? "%v0" : "%h0";
    if (size.bytes == 8) {
      line("xor.b64 %sum, %sum, {};", first);
    } else {
      line("cvt.u64.{} %x, {};", size.bytes == 4 ? "u32" : "u16", first);
      line("xor.b64 %sum, %sum, %x;");
    }
    return;
  }
  if (kind == 4 && object.has_atomics && size.count == 1 && size.bytes >= 4) {
    const char* spell = size.bytes == 8 ? "u64" : "u32";
    if (one_in(2))
      line("{}red{}.add.{} {}, {};", guard, object.space, spell, place, value);
    else
      line("{}atom{}.max.{} {}, {}, {};", guard, object.space, spell, value, place, value);
    return;
  }
  line("{}st{}{}.{} {}, {};", guard, order, object.space, type, place, value);
}

Kernel Generator::run() {
  kernel_.is_legal = !one_in(4);
  threads_ = static_cast<u32>(any(std::array<u64, 5>{32, 32, 17, 64, 1}));
  kernel_.has_one_result = threads_ <= 32;
  kernel_.block = {threads_, 1, 1};
  for (u64 groups = 1 + below(6); groups > 0; --groups) {
    const bool loops = one_in(5);
    const std::string label = fmt::format("again{}", labels_++);
    if (loops) {
      line("mov.u32 %n, 0;");
      body_ += label + ":\n";
    }
    group();
    if (loops) {
      line("add.u32 %n, %n, 1;");
      line("setp.lt.u32 %q, %n, 3;");
      line("@%q bra {};", label);
    }
    if (one_in(6)) line("bar.sync 0;");
  }
  std::string& text = kernel_.text;
  text = fmt::format(
      ".version 8.0\n.target sm_80\n.address_size 64\n"
      ".const .align 16 .b8 constants[{}] = {{1, 2, 3, 4, 5, 6, 7, 8}};\n"
      ".visible .entry {}(.param .u64 p_global, .param .u64 p_host, .param .u64 p_mine, .param "
      ".u32 "
      "p_zero,\n    .param .align 16 .b8 p_block[{}])\n{{\n",
      kConstBytes, Kernel::kName, kBlockBytes);
  text += fmt::format(
      "  .shared .align 16 .b8 tile[{}];\n  .local .align 16 .b8 own[{}];\n"
      "  .reg .b64 %global, %host, %mine, %shared, %generic_shared, %local, %generic_local, "
      "%const, "
      "%param;\n"
      "  .reg .b64 %a<{}>, %x, %sum, %w<4>;\n  .reg .b32 %t, %i, %n, %v<4>;\n  .reg .b16 %h<4>;\n"
      "  .reg .pred %p, %q;\n",
      kSharedBytes, kLocalBytes, std::max(addresses_, 1u));
  text +=
      "  ld.param.u64 %global, [p_global];\n  ld.param.u64 %host, [p_host];\n"
      "  ld.param.u64 %mine, [p_mine];\n  mov.u64 %shared, tile;\n  cvta.shared.u64 "
      "%generic_shared, %shared;\n"
      "  mov.u64 %local, own;\n  cvta.local.u64 %generic_local, %local;\n  mov.u64 %const, "
      "constants;\n  mov.u64 %param, p_block;\n  mov.u32 %t, %tid.x;\n  mov.u64 %sum, 0;\n";
  // Overwrites the previous contents of the window.
  text += fmt::format(
      "  mov.u32 %i, 0;\nclear:\n  setp.lt.u32 %p, %i, {};\n  mov.u64 %x, own;\n  cvt.u64.u32 %w0, "
      "%i;\n  add.u64 %x, %x, %w0;\n  @%p st.local.u32 [%x], 0;\n  mov.u64 %x, tile;\n  add.u64 "
      "%x, %x, %w0;\n  st.shared.u32 [%x], %i;\n  add.u32 %i, %i, 4;\n  setp.lt.u32 %q, %i, {};\n  "
      "@%q bra clear;\n  bar.sync 0;\n",
      kLocalBytes, kSharedBytes);
  for (unsigned i = 0; i < 4; ++i)
    text += fmt::format(
        "  add.u32 %v{0}, %t, {0};\n  cvt.u64.u32 %w{0}, %v{0};\n  cvt.u16.u32 "
        "%h{0}, %v{0};\n",
        i);
  text += body_;
  // Stores the loaded values, and the contents of shared memory.
  text += fmt::format(
      "  bar.sync 0;\n  mul.wide.u32 %x, %t, 8;\n  add.u64 %global, %global, %x;\n"
      "  st.global.u64 [%global+{}], %sum;\n  mov.u64 %x, tile;\n  mul.wide.u32 %w0, %t, 4;\n"
      "  add.u64 %x, %x, %w0;\n  ld.shared.u32 %i, [%x];\n  ld.shared.u32 %n, [%x+128];\n  add.u32 "
      "%i, %i, %n;\n  st.global.u32 [%global+{}], %i;\n  ret;\n}}\n",
      kGlobalBytes, kGlobalBytes + 1024);
  return std::move(kernel_);
}

}  // namespace

Kernel generate(u64 seed, u64 to_mine) {
  return seed % 4 == 1 ? generate_objects(seed) : Generator(seed, to_mine).run();
}

}  // namespace heddle::hostile
