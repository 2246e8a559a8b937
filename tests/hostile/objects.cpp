// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels with forged handles of textures and surfaces, forged tensor maps, and hostile operands of
// the instructions that use them.
#include <fmt/format.h>

#include <array>
#include <random>

#include "isa/sem/tensor_map.h"
#include "kernel.h"

namespace heddle::hostile {
namespace {

// In these lines $D is four results, $V a value, $H a handle, $1 to $5 that many coordinates, $I2
// and $I3 that many offsets; $M is the address of a tensor map, $G another address, $S and $B
// addresses of shared memory (a box, an mbarrier object), and $N a number of bytes.
constexpr const char* kTextures[] = {
    "tex.1d.v4.f32.s32 $D, [$H, $1];",
    "tex.1d.v4.u32.f32 $D, [$H, $1];",
    "tex.2d.v4.s32.s32 $D, [$H, $2];",
    "tex.2d.v4.f32.f32 $D, [$H, $2];",
    "tex.3d.v4.f32.s32 $D, [$H, $4];",
    "tex.3d.v4.f32.f32 $D, [$H, $4];",
    "tex.a1d.v4.f32.s32 $D, [$H, $2];",
    "tex.a2d.v4.f32.f32 $D, [$H, $4];",
    "tex.cube.v4.f32.f32 $D, [$H, $4];",
    "tex.acube.v4.f32.f32 $D, [$H, $4];",
    "tex.2dms.v4.f32.s32 $D, [$H, $4];",
    "tex.2d.v4.f32.f32 $D, [$H, $2], $2;",
    "tex.level.2d.v4.f32.f32 $D, [$H, $2], $V;",
    "tex.level.a2d.v4.f32.f32 $D, [$H, $4], $V;",
    "tex.level.cube.v4.f32.f32 $D, [$H, $4], $V;",
    "tex.grad.1d.v4.f32.f32 $D, [$H, $1], $1, $1;",
    "tex.grad.2d.v4.f32.f32 $D, [$H, $2], $2, $2;",
    "tex.grad.3d.v4.f32.f32 $D, [$H, $4], $4, $4;",
    "tld4.r.2d.v4.f32.f32 $D, [$H, $2];",
    "tld4.a.a2d.v4.u32.f32 $D, [$H, $4];",
    "tld4.g.cube.v4.f32.f32 $D, [$H, $4];",
    "txq.width.b32 %d0, [$H];",
    "txq.depth.b32 %d0, [$H];",
    "txq.level.height.b32 %d0, [$H], $V;",
    "txq.filter_mode.b32 %d0, [$H];",
    "txq.channel_order.b32 %d0, [$H];",
};
constexpr const char* kSurfaces[] = {
    "suld.b.1d.b8.trap %h0, [$H, $1];",       "suld.b.1d.v4.b32.clamp $D, [$H, $1];",
    "suld.b.2d.b32.zero %d0, [$H, $2];",      "suld.b.2d.v2.b64.clamp {%w0, %w1}, [$H, $2];",
    "suld.b.3d.v4.b32.zero $D, [$H, $4];",    "suld.b.a1d.b16.clamp %h0, [$H, $2];",
    "suld.b.a2d.v4.b32.trap $D, [$H, $4];",   "sust.b.1d.b8.zero [$H, $1], %h0;",
    "sust.b.1d.v4.b32.clamp [$H, $1], $D;",   "sust.b.2d.b64.clamp [$H, $2], %w0;",
    "sust.b.2d.v4.b32.trap [$H, $2], $D;",    "sust.b.3d.v2.b64.zero [$H, $4], {%w0, %w1};",
    "sust.b.a2d.b32.clamp [$H, $4], $V;",     "sust.p.2d.v4.b32.clamp [$H, $2], $D;",
    "sust.p.1d.b32.zero [$H, $1], $V;",       "sured.b.add.1d.u32.clamp [$H, $1], $V;",
    "sured.b.max.2d.s32.zero [$H, $2], $V;",  "sured.b.add.3d.u64.clamp [$H, $4], %w0;",
    "sured.p.add.2d.b32.clamp [$H, $2], $V;", "suq.width.b32 %d0, [$H];",
    "suq.array_size.b32 %d0, [$H];",
};
#define LOAD(SPACE, DIM) \
  "cp.async.bulk.tensor." DIM ".shared::" SPACE ".global.mbarrier::complete_tx::bytes"
#define MODE(DIM, MODE) \
  "cp.async.bulk.tensor." DIM ".shared::cluster.global." MODE ".mbarrier::complete_tx::bytes"
#define STORE(DIM) "cp.async.bulk.tensor." DIM ".global.shared::cta"
#define REDUCE(DIM, WHAT) "cp.reduce.async.bulk.tensor." DIM ".global.shared::cta." WHAT
constexpr const char* kCopies[] = {
    LOAD("cta", "1d") " [$S], [$M, $1], [$B];",
    LOAD("cta", "2d") " [$S], [$M, $2], [$B];",
    LOAD("cluster", "2d") " [$S], [$M, $2], [$B];",
    LOAD("cluster", "3d") " [$S], [$M, $3], [$B];",
    LOAD("cluster", "4d") " [$S], [$M, $4], [$B];",
    LOAD("cluster", "5d") " [$S], [$M, $5], [$B];",
    LOAD("cluster", "2d") ".multicast::cluster [$S], [$M, $2], [$B], %h0;",
    LOAD("cluster", "1d") ".multicast::cluster.cta_group::2 [$S], [$M, $1], [$B], %h0;",
    MODE("2d", "tile::gather4") " [$S], [$M, $5], [$B];",
    MODE("3d", "im2col") " [$S], [$M, $3], [$B], {%h0};",
    MODE("4d", "im2col") " [$S], [$M, $4], [$B], $I2;",
    MODE("5d", "im2col") " [$S], [$M, $5], [$B], $I3;",
    MODE("4d", "im2col::w") " [$S], [$M, $4], [$B], $I2;",
    MODE("3d", "im2col::w::128") " [$S], [$M, $3], [$B], $I2;",
    STORE("1d") ".bulk_group [$M, $1], [$S];",
    STORE("2d") ".bulk_group [$M, $2], [$S];",
    STORE("3d") ".bulk_group [$M, $3], [$S];",
    STORE("5d") ".bulk_group [$M, $5], [$S];",
    STORE("2d") ".tile::scatter4.bulk_group [$M, $5], [$S];",
    STORE("4d") ".im2col_no_offs.bulk_group [$M, $4], [$S];",
    REDUCE("1d", "add") ".bulk_group [$M, $1], [$S];",
    REDUCE("2d", "max") ".bulk_group [$M, $2], [$S];",
    REDUCE("3d", "xor") ".im2col_no_offs.bulk_group [$M, $3], [$S];",
    "cp.async.bulk.prefetch.tensor.2d.L2.global [$M, $2];",
    "cp.async.bulk.prefetch.tensor.3d.L2.global.im2col [$M, $3], {%h0};",
    "prefetch.tensormap [$M];",
    "tensormap.replace.tile.global_address.b1024.b64 [$M], $G;",
    "tensormap.replace.tile.rank.b1024.b32 [$M], $V;",
    "tensormap.replace.tile.box_dim.b1024.b32 [$M], 0, $V;",
    "tensormap.replace.tile.global_dim.global.b1024.b32 [$M], 1, $V;",
    "tensormap.replace.tile.global_stride.b1024.b64 [$M], 0, $G;",
    "tensormap.replace.tile.element_stride.b1024.b32 [$M], 1, $V;",
    "tensormap.replace.tile.elemtype.b1024.b32 [$M], 15;",
    "tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [$S], 3;",
    "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [$S], [$G], $N, [$B];",
    "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [$S], [$S], $N, [$B];",
    "cp.async.bulk.global.shared::cta.bulk_group [$G], [$S], $N;",
    "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [$G], [$S], $N;",
    "cp.async.bulk.prefetch.L2.global [$G], $N;",
};
#undef LOAD
#undef MODE
#undef STORE
#undef REDUCE

/// Coordinates, mostly of floating point or beyond all limits.
constexpr std::array<u32, 20> kBits = {0,          1,          2,          0x3f800000, 0x3f000000,
                                       0x41200000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000,
                                       0x4f000000, 0xcf000000, 0x7fffffff, 0x80000000, 0xffffffff,
                                       0xfffffff0, 0x10000,    0x1000000,  0x5f800000, 64};
constexpr std::array<u64, 10> kFarAddresses = {0,
                                               1,
                                               ~u64{0},
                                               ~u64{0} - 127,
                                               u64{1} << 63,
                                               u64{1} << 47,
                                               u64{1} << 40,
                                               u64{1} << 32,
                                               0xdeadbeef00000000u,
                                               0x1000};

constexpr u32 kMaps = 4;
constexpr u64 kTensor = 2048;  ///< where in global memory the tensor of a plausible map begins

class ObjectGenerator {
 public:
  explicit ObjectGenerator(u64 seed) : random_(seed) { kernel_.seed = seed; }
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

  sem::TensorMap plausible_map();
  void make_map(u32 index);
  void choose_numbers();
  std::string handle();
  std::string tensor_map();
  std::string address();
  std::string shared(u64 plausible);
  std::string bytes() {
    return std::to_string(one_in(8) ? below(1u << 20) / 16 * 16 : u64{16} << below(6));
  }
  void instruction(const char* text);

  Kernel kernel_;
  std::mt19937_64 random_;
  std::string body_;
};

/// A map whose boxes lie in global memory, at least at small coordinates.
sem::TensorMap ObjectGenerator::plausible_map() {
  sem::TensorMap map;
  map.rank = static_cast<u8>(1 + below(5));
  map.type = static_cast<sem::TensorType>(one_in(4) ? below(16) : 2);
  if (map.rank > 2 && one_in(2)) map.mode = static_cast<sem::TensorMode>(1 + below(3));
  map.swizzle_mode = static_cast<sem::TensorSwizzle>(one_in(2) ? 0 : below(5));
  map.swizzle_atom = static_cast<sem::SwizzleAtom>(one_in(8) ? below(4) : 0);
  map.fills_with_nan = one_in(8);
  const bool padded = is_padded(map.type);
  for (u32 i = 0; i < map.rank; ++i) {
    map.dims[i] = i ? 1 + below(6) : padded ? 128 : 16;
    map.box[i] = static_cast<u32>(i ? 1 + below(2) : padded ? 128 : u64{4} << below(3));
    map.element_strides[i] = one_in(8) ? 2 : 1;
    if (i) map.strides[i - 1] = u64{16} << below(4);
  }
  map.channels = padded ? 128 : 16;
  map.pixels = static_cast<u32>(1 + below(8));
  return map;
}

/// Writes a map to global memory; half of them have a few wrong bits.
void ObjectGenerator::make_map(u32 index) {
  sem::TensorMapWords words;
  pack_tensor_map(plausible_map(), words);
  if (one_in(2)) {
    for (u64 wrong = 1 + below(3); wrong > 0; --wrong) {
      u64& word = words[1 + below(one_in(4) ? 15 : 11)];
      word = one_in(3) ? any(kFarAddresses) : word ^ u64 { 1 } << below(64);
    }
  }
  const char* base = one_in(2) ? "%global" : any(std::array{"%global", "%host", "%mine"});
  line("add.u64 %x, {}, {};", base, one_in(4) ? any(kFarAddresses) / 16 * 16 : kTensor);
  line("st.global.u64 [%global+{}], %x;", index * sem::kTensorMapBytes);
  for (u32 i = 1; i < std::size(words); ++i)
    line("st.global.u64 [%global+{}], {:#x};", index * sem::kTensorMapBytes + i * 8, words[i]);
}

/// The same for all threads, or different ones.
void ObjectGenerator::choose_numbers() {
  const bool wild = one_in(3);
  for (u32 i = 0; i < 5; ++i) {
    line("mov.b32 %c{}, {:#x};", i, wild ? any(kBits) : below(4));
    if (one_in(3)) line("add.u32 %c{0}, %c{0}, %t;", i);
    if (one_in(4)) line("cvt.rn.f32.u32 %c{0}, %c{0};", i);
  }
  for (u32 i = 0; i < 3; ++i) line("mov.b16 %h{}, {};", i, one_in(4) ? below(65536) : below(2));
}

/// A register with a handle: one of kernel.h, or something near it, or anything.
std::string ObjectGenerator::handle() {
  line("ld.param.u64 %a, [p_block+{}];", 8 * below(kBlockBytes / 8));
  switch (below(12)) {
    case 0:
      line("add.u64 %a, %a, {};", 8 * below(64));
      break;
    case 1:
      line("add.u64 %a, %a, {};", 1 + below(7));
      break;
    case 2:
      line("add.u64 %a, %a, {:#x};", any(kFarAddresses));
      break;
    case 3:
      line("mov.u64 %a, {};", any(std::array{"%global", "%host", "%mine", "0", "-1"}));
      break;
    case 4:
      line("mad.wide.u32 %a, %t, 8, %a;");
      break;
    default:
      break;
  }
  return "%a";
}

std::string ObjectGenerator::tensor_map() {
  const u64 at = below(kMaps) * sem::kTensorMapBytes;
  switch (below(16)) {
    case 0:
      line("add.u64 %m, %global, {};", at + 8 * below(16));
      break;
    case 1:
      line("mov.u64 %m, {};", any(std::array{"%host", "%mine", "%local", "%shared", "%param"}));
      break;
    case 2:
      line("add.u64 %m, %global, {:#x};", any(kFarAddresses));
      break;
    default:
      line("add.u64 %m, %global, {};", at);
      break;
  }
  return "%m";
}

std::string ObjectGenerator::address() {
  line("add.u64 %g, {}, {:#x};", any(std::array{"%global", "%global", "%host", "%mine"}),
       one_in(4) ? any(kFarAddresses) : kTensor + 16 * below(64));
  return "%g";
}

std::string ObjectGenerator::shared(u64 plausible) {
  const std::string name = plausible ? "%b" : "%s";
  line("mov.u64 {}, tile;", name);
  const u64 distance = one_in(10)  ? any(kFarAddresses)
                       : one_in(8) ? below(2 * kSharedBytes)
                       : plausible ? plausible
                                   : 128 * below(4);
  if (distance) line("add.u64 {0}, {0}, {1:#x};", name, distance);
  return name;
}

void ObjectGenerator::instruction(const char* text) {
  choose_numbers();
  std::string out;
  const auto list = [](const char* name, u32 count) {
    std::string elements;
    for (u32 i = 0; i < count; ++i) elements += fmt::format("{}{}{}", i ? ", " : "", name, i);
    return "{" + elements + "}";
  };
  for (; *text; ++text) {
    if (*text != '$') {
      out += *text;
      continue;
    }
    const char what = *++text;
    if (what == 'D') out += list("%d", 4);
    if (what == 'V') out += "%c4";
    if (what == 'H') out += handle();
    if (what == 'I') out += list("%h", static_cast<u32>(*++text - '0'));
    if (what == 'M') out += tensor_map();
    if (what == 'G') out += address();
    if (what == 'S') out += shared(0);
    if (what == 'B') out += shared(kSharedBytes - 8);
    if (what == 'N') out += bytes();
    if (what >= '1' && what <= '5') out += list("%c", static_cast<u32>(what - '0'));
  }
  const u64 who = below(4);
  if (who) line("setp.{}.u32 %p, %t, {};", who == 1 ? "ge" : "eq", below(4));
  // The threads keep together, so that one and the same traps first in every order of threads.
  line("{}{}\n  bar.warp.sync 0xffffffff;", who ? "@%p " : "", out);
  for (u32 i = 0; i < 4; ++i) line("cvt.u64.u32 %x, %d{};\n  xor.b64 %sum, %sum, %x;", i);
  line("xor.b64 %sum, %sum, %w0;\n  xor.b64 %sum, %sum, %w1;");
  line("cvt.u64.u16 %x, %h0;\n  xor.b64 %sum, %sum, %x;");
}

Kernel ObjectGenerator::run() {
  kernel_.is_legal = false;
  kernel_.ends_alike = true;
  kernel_.block = {32, 1, 1};
  const bool copies = one_in(2);
  if (copies) {
    for (u32 i = 0; i < kMaps; ++i) make_map(i);
    line("bar.sync 0;");
  }
  for (u64 left = 1 + below(4); left > 0; --left)
    instruction(copies ? any(kCopies) : one_in(2) ? any(kTextures) : any(kSurfaces));
  kernel_.text = fmt::format(
      R"(.version 8.7
.target sm_100a
.address_size 64
.visible .entry {}(.param .u64 p_global, .param .u64 p_host, .param .u64 p_mine, .param .u32 p_zero,
    .param .align 16 .b8 p_block[{}])
{{
  .shared .align 1024 .b8 tile[{}];
  .local .align 64 .b8 own[128];
  .reg .b64 %global, %host, %mine, %shared, %local, %param, %a, %b, %g, %m, %s, %x, %sum, %w<2>;
  .reg .b32 %t, %c<5>, %d<4>;
  .reg .b16 %h<4>;
  .reg .pred %p;
  ld.param.u64 %global, [p_global];
  ld.param.u64 %host, [p_host];
  ld.param.u64 %mine, [p_mine];
  mov.u64 %shared, tile;
  cvta.shared.u64 %shared, %shared;
  mov.u64 %local, own;
  cvta.local.u64 %local, %local;
  mov.u64 %param, p_block;
  cvta.param.u64 %param, %param;
  mov.u32 %t, %tid.x;
  mov.u64 %sum, 0;
  mov.u64 %w0, 5;
  mov.u64 %w1, 6;
  mov.u32 %d0, %t;
  mov.u32 %d1, 2;
  mov.u32 %d2, 3;
  mov.u32 %d3, 4;
  mad.wide.u32 %x, %t, 4, 0;
  mov.u64 %a, tile;
  add.u64 %a, %a, %x;
)",
      Kernel::kName, kBlockBytes, kSharedBytes);
  for (u32 i = 0; i < kSharedBytes; i += 128)
    kernel_.text += fmt::format("  st.shared.u32 [%a+{}], %t;\n", i);
  kernel_.text +=
      fmt::format("  bar.sync 0;\n  mbarrier.init.shared.b64 [tile+{}], 64;\n  bar.sync 0;\n",
                  kSharedBytes - 8);
  kernel_.text += body_;
  // Stores the results, and what is in shared memory.
  kernel_.text += "  bar.sync 0;\n  mad.wide.u32 %x, %t, 8, %global;\n";
  kernel_.text += fmt::format("  st.global.u64 [%x+{}], %sum;\n", kGlobalBytes);
  kernel_.text +=
      "  mad.wide.u32 %x, %t, 4, 0;\n  mov.u64 %a, tile;\n  add.u64 %a, %a, %x;\n  "
      "add.u64 %x, %x, %global;\n";
  for (u32 i = 0; i + 128 < kSharedBytes; i += 128)
    kernel_.text += fmt::format("  ld.shared.u32 %d0, [%a+{}];\n  st.global.u32 [%x+{}], %d0;\n", i,
                                kGlobalBytes + 1024 + i);
  kernel_.text += "  ret;\n}\n";
  return std::move(kernel_);
}

}  // namespace

Kernel generate_objects(u64 seed) { return ObjectGenerator(seed).run(); }

}  // namespace heddle::hostile
