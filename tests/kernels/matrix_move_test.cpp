// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ldmatrix, stmatrix, movmatrix, wmma.load and wmma.store: every shape, type and number of
// matrices, each in a kernel that is made here. What a lane has to get is written down from the
// manual's figures; of wmma, whose fragments the manual leaves open, it is where
// isa/sem/matrix_fragments.h says.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>

#include "harness/context.h"
#include "harness/kernel_test.h"
#include "isa/sem/matrix_fragments.h"

namespace heddle::kernels {
namespace {

using Bytes = std::vector<uint8_t>;
using Words = std::vector<uint32_t>;

constexpr unsigned kWarp = 32, kRow = 16, kRows = 32, kTile = kRows * kRow;
constexpr const char* kHead = ".version 8.8\n.target sm_120f\n.address_size 64\n";

/// Runs the entry `move` of a module on two buffers, by `warps` warps of one block.
void run(const std::string& ptx, unsigned warps, CUdeviceptr in, CUdeviceptr out) {
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  ASSERT_TRUE(succeeded(cuModuleLoadData(&module, ptx.c_str()), "cuModuleLoadData")) << ptx;
  if (succeeded(cuModuleGetFunction(&function, module, "move"), "cuModuleGetFunction")) {
    void* parameters[] = {&in, &out};
    succeeded(
        cuLaunchKernel(function, 1, 1, 1, warps * kWarp, 1, 1, 0, nullptr, parameters, nullptr),
        "cuLaunchKernel");
    succeeded(cuCtxSynchronize(), ptx.c_str());
  }
  succeeded(cuModuleUnload(module), "cuModuleUnload");
}

std::string registers(const char* name, unsigned count) {
  std::string list;
  for (unsigned i = 0; i < count; ++i) list += fmt::format("{}{}{}", i ? ", " : "{", name, i);
  return list + "}";
}

class MatrixMove : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(ensure_context());
    if (device_compute_capability() < 120) GTEST_SKIP() << "the device is older than sm_120";
  }
};

// --- ldmatrix and stmatrix ---

/// The row of the tile that a lane names.
constexpr unsigned row_of(unsigned lane) { return (lane * 5 + 3) % kRows; }

/// One byte of a register, and where it lies: in which row that lanes name, and where in that.
struct Form {
  const char* mnemonic;
  unsigned registers;
  unsigned (*row)(unsigned lane, unsigned index, unsigned byte);
  unsigned (*byte)(unsigned lane, unsigned index, unsigned byte);
  unsigned bits = 8;  // of an element that is packed in its row
};

// Where things lie, by lane, register and byte.
constexpr auto kRowOfRows = [](unsigned l, unsigned i, unsigned) { return 8 * i + l / 4; };
constexpr auto kByteOfRows = [](unsigned l, unsigned, unsigned b) { return 4 * (l % 4) + b; };
constexpr auto kRowOfHalves = [](unsigned l, unsigned i, unsigned b) {
  return 8 * i + 2 * (l % 4) + b / 2;
};
constexpr auto kByteOfHalves = [](unsigned l, unsigned, unsigned b) { return 2 * (l / 4) + b % 2; };
constexpr auto kRowOf16 = [](unsigned l, unsigned i, unsigned b) {
  return 16 * (i / 2) + 4 * (l % 4) + b;
};
constexpr auto kByteOf16 = [](unsigned l, unsigned i, unsigned) { return l / 4 + 8 * (i % 2); };
constexpr auto kRowOfStored = [](unsigned l, unsigned i, unsigned b) {
  return 8 * i + 2 * (l % 4) + b % 2;
};
constexpr auto kByteOfStored = [](unsigned l, unsigned, unsigned b) { return l / 4 + 8 * (b / 2); };

const Form kLoads[] = {
    {"m8n8.x1.shared.b16", 1, kRowOfRows, kByteOfRows},
    {"m8n8.x2.shared.b16", 2, kRowOfRows, kByteOfRows},
    {"m8n8.x4.shared.b16", 4, kRowOfRows, kByteOfRows},
    {"m8n8.x4.b16", 4, kRowOfRows, kByteOfRows},
    {"m8n8.x1.trans.shared.b16", 1, kRowOfHalves, kByteOfHalves},
    {"m8n8.x2.trans.shared.b16", 2, kRowOfHalves, kByteOfHalves},
    {"m8n8.x4.trans.shared.b16", 4, kRowOfHalves, kByteOfHalves},
    {"m8n8.x2.trans.b16", 2, kRowOfHalves, kByteOfHalves},
    {"m16n16.x1.trans.shared.b8", 2, kRowOf16, kByteOf16},
    {"m16n16.x2.trans.shared.b8", 4, kRowOf16, kByteOf16},
    {"m8n16.x1.shared.b8x16.b6x16_p32", 1, kRowOfRows, kByteOfRows, 6},
    {"m8n16.x2.shared.b8x16.b6x16_p32", 2, kRowOfRows, kByteOfRows, 6},
    {"m8n16.x4.b8x16.b6x16_p32", 4, kRowOfRows, kByteOfRows, 6},
    {"m8n16.x1.shared.b8x16.b4x16_p64", 1, kRowOfRows, kByteOfRows, 4},
    {"m8n16.x4.shared.b8x16.b4x16_p64", 4, kRowOfRows, kByteOfRows, 4},
    {"m16n16.x1.trans.shared.b8x16.b6x16_p32", 2, kRowOf16, kByteOf16, 6},
    {"m16n16.x2.trans.shared.b8x16.b4x16_p64", 4, kRowOf16, kByteOf16, 4},
};

const Form kStores[] = {
    {"m8n8.x1.shared.b16", 1, kRowOfRows, kByteOfRows},
    {"m8n8.x2.shared.b16", 2, kRowOfRows, kByteOfRows},
    {"m8n8.x4.shared.b16", 4, kRowOfRows, kByteOfRows},
    {"m8n8.x4.b16", 4, kRowOfRows, kByteOfRows},
    {"m8n8.x1.trans.shared.b16", 1, kRowOfHalves, kByteOfHalves},
    {"m8n8.x2.trans.b16", 2, kRowOfHalves, kByteOfHalves},
    {"m8n8.x4.trans.shared.b16", 4, kRowOfHalves, kByteOfHalves},
    {"m16n8.x1.trans.shared.b8", 1, kRowOfStored, kByteOfStored},
    {"m16n8.x2.trans.shared.b8", 2, kRowOfStored, kByteOfStored},
    {"m16n8.x4.trans.shared.b8", 4, kRowOfStored, kByteOfStored},
};

/// `body` between a tile of 32 rows for each of four warps, whose rows are `in` before and `out`
/// afterwards; lanes that name no row have an address far outside. Registers are in `out` behind
/// all tiles after a load, in `in` before a store.
std::string kernel_of(const Form& form, bool loads) {
  const bool generic = std::string_view(form.mnemonic).find("shared") == std::string_view::npos;
  std::string text = fmt::format(R"({}.visible .entry move(.param .u64 in, .param .u64 out)
{{
  .reg .b32 r<4>, v<4>, thread, lane, warp, offset, row;
  .reg .b64 from, to, wide, tile64, address;
  .reg .pred outside;
  .shared .align 16 .b8 tiles[{}];
  ld.param.u64 from, [in];
  ld.param.u64 to, [out];
  mov.u32 thread, %tid.x;
  and.b32 lane, thread, 31;
  shr.u32 warp, thread, 5;
  mov.u32 offset, tiles;
  mad.lo.u32 offset, thread, {}, offset;
  mad.wide.u32 from, thread, {}, from;
  mad.wide.u32 to, thread, {}, to;
  ld.global.v4.b32 {{v0, v1, v2, v3}}, [from];
  st.shared.v4.b32 [offset], {{v0, v1, v2, v3}};
  bar.sync 0;
  mad.lo.u32 row, lane, 5, 3;
  and.b32 row, row, 31;
  shl.b32 warp, warp, 5;
  add.u32 row, row, warp;
  mul.lo.u32 row, row, {};
  mov.u32 offset, tiles;
  add.u32 row, row, offset;
  setp.ge.u32 outside, lane, {};
  @outside mov.u32 row, 0xfffffff0;
  cvt.u64.u32 address, row;
)",
                                 kHead, 4 * kTile, kRow, kRow, kRow, kRow, 8 * form.registers);
  if (generic) text += "  cvta.shared.u64 address, address;\n";
  const std::string list = registers("r", form.registers);
  if (loads) {
    text += fmt::format("  ldmatrix.sync.aligned.{} {}, [address];\n", form.mnemonic, list);
    for (unsigned i = 0; i < 4; ++i)
      text += fmt::format("  {} [to+{}], r{};\n", i < form.registers ? "st.global.b32" : "// ",
                          4 * kTile + 4 * i, i);
  } else {
    for (unsigned i = 0; i < 4; ++i)
      text += fmt::format("  ld.global.b32 r{}, [from+{}];\n", i, 4 * kTile + 4 * i);
    text += fmt::format("  stmatrix.sync.aligned.{} [address], {};\n  bar.sync 0;\n", form.mnemonic,
                        list);
    text +=
        fmt::format("  mov.u32 offset, tiles;\n  mad.lo.u32 offset, thread, {}, offset;\n", kRow);
    text += "  ld.shared.v4.b32 {v0, v1, v2, v3}, [offset];\n";
    text += "  st.global.v4.b32 [to], {v0, v1, v2, v3};\n";
  }
  return text + "  ret;\n}\n";
}

/// Tiles of four warps, and behind them four registers of each lane.
constexpr unsigned kAllBytes = 2 * 4 * kTile;
/// Where byte `byte` of a register of a thread lies in that.
unsigned place_of(unsigned thread, unsigned index, unsigned byte) {
  return 4 * kTile + thread * kRow + 4 * index + byte;
}

/// Calls see(thread, register, byte, place of the row) for all bytes of registers.
void for_each_byte(const Form& form, unsigned warps,
                   const std::function<void(unsigned, unsigned, unsigned, unsigned)>& see) {
  for (unsigned thread = 0; thread < warps * kWarp; ++thread)
    for (unsigned index = 0; index < form.registers; ++index)
      for (unsigned byte = 0; byte < 4; ++byte) {
        const unsigned lane = thread % kWarp;
        const unsigned row = row_of(form.row(lane, index, byte));
        see(thread, index, byte, thread / kWarp * kTile + row * kRow);
      }
}

TEST_F(MatrixMove, Loads) {
  const Bytes in = random_values<uint8_t>(kAllBytes, 1);
  const Buffer<uint8_t> from(in);
  for (const Form& form : kLoads) {
    for (const unsigned warps : {1u, 4u}) {
      SCOPED_TRACE(form.mnemonic);
      Bytes expected(kAllBytes);
      for_each_byte(form, warps, [&](unsigned thread, unsigned index, unsigned byte, unsigned row) {
        const unsigned element = form.byte(thread % kWarp, index, byte);
        unsigned value = 0;
        for (unsigned bit = 0; bit < form.bits; ++bit) {
          const unsigned at = element * form.bits + bit;
          value |= (in[row + at / 8] >> at % 8 & 1u) << bit;
        }
        expected[place_of(thread, index, byte)] = static_cast<uint8_t>(value);
      });
      const Buffer<uint8_t> out(kAllBytes);
      run(kernel_of(form, true), warps, from.address(), out.address());
      EXPECT_SAME(out, expected);
    }
  }
}

TEST_F(MatrixMove, Stores) {
  const Bytes in = random_values<uint8_t>(kAllBytes, 2);
  const Buffer<uint8_t> from(in);
  for (const Form& form : kStores) {
    for (const unsigned warps : {1u, 4u}) {
      SCOPED_TRACE(form.mnemonic);
      Bytes expected(in.begin(), in.begin() + warps * kTile);
      expected.resize(kAllBytes);
      for_each_byte(form, warps, [&](unsigned thread, unsigned index, unsigned byte, unsigned row) {
        expected[row + form.byte(thread % kWarp, index, byte)] = in[place_of(thread, index, byte)];
      });
      const Buffer<uint8_t> out(kAllBytes);
      run(kernel_of(form, false), warps, from.address(), out.address());
      EXPECT_SAME(out, expected);
    }
  }
}

// --- movmatrix ---

TEST_F(MatrixMove, Transposes) {
  const auto in = random_values<uint16_t>(4 * 64, 3);
  const Buffer<uint16_t> from(in), out(in.size());
  run(fmt::format(R"({}.visible .entry move(.param .u64 in, .param .u64 out)
{{
  .reg .b32 r, thread;
  .reg .b64 from, to;
  ld.param.u64 from, [in];
  ld.param.u64 to, [out];
  mov.u32 thread, %tid.x;
  mad.wide.u32 from, thread, 4, from;
  mad.wide.u32 to, thread, 4, to;
  ld.global.b32 r, [from];
  movmatrix.sync.aligned.m8n8.trans.b16 r, r;
  st.global.b32 [to], r;
  ret;
}}
)",
                  kHead),
      4, from.address(), out.address());
  EXPECT_SAME(
      out, tabulate(in.size(), [&](size_t i) { return in[i / 64 * 64 + i % 8 * 8 + i / 8 % 8]; }));
}

// --- wmma ---

struct Wmma {
  char matrix;  // a, b, c
  unsigned m, n, k;
  const char* type;
  unsigned registers;
  bool row = true, column = true;  // layouts that there are
};

const Wmma kWmma[] = {
    {'a', 16, 16, 16, "f16", 8},
    {'a', 8, 32, 16, "f16", 8},
    {'a', 32, 8, 16, "f16", 8},
    {'b', 16, 16, 16, "f16", 8},
    {'b', 8, 32, 16, "f16", 8},
    {'b', 32, 8, 16, "f16", 8},
    {'c', 16, 16, 16, "f16", 4},
    {'c', 8, 32, 16, "f16", 4},
    {'c', 32, 8, 16, "f16", 4},
    {'c', 16, 16, 16, "f32", 8},
    {'c', 8, 32, 16, "f32", 8},
    {'c', 32, 8, 16, "f32", 8},
    {'a', 16, 16, 16, "u8", 2},
    {'a', 8, 32, 16, "s8", 1},
    {'a', 32, 8, 16, "u8", 4},
    {'b', 16, 16, 16, "s8", 2},
    {'b', 8, 32, 16, "u8", 4},
    {'b', 32, 8, 16, "s8", 1},
    {'c', 16, 16, 16, "s32", 8},
    {'c', 8, 32, 16, "s32", 8},
    {'c', 32, 8, 16, "s32", 8},
    {'c', 8, 8, 32, "s32", 2},
    {'c', 8, 8, 128, "s32", 2},
    {'a', 16, 16, 16, "bf16", 4},
    {'a', 8, 32, 16, "bf16", 2},
    {'a', 32, 8, 16, "bf16", 8},
    {'b', 16, 16, 16, "bf16", 4},
    {'b', 8, 32, 16, "bf16", 8},
    {'b', 32, 8, 16, "bf16", 2},
    {'a', 16, 16, 8, "tf32", 4},
    {'b', 16, 16, 8, "tf32", 4},
    {'c', 16, 16, 8, "f32", 8},
    {'a', 8, 8, 4, "f64", 1},
    {'b', 8, 8, 4, "f64", 1},
    {'c', 8, 8, 4, "f64", 2},
    {'a', 8, 8, 32, "u4", 1, true, false},
    {'b', 8, 8, 32, "s4", 1, false, true},
    {'a', 8, 8, 128, "b1", 1, true, false},
    {'b', 8, 8, 128, "b1", 1, false, true},
};

unsigned bits_of(std::string_view type) {
  return type == "bf16"
             ? 16
             : static_cast<unsigned>(std::atoi(type.data() + type.find_first_of("123468")));
}

sem::Fragment fragment_of(const Wmma& form) {
  const auto operand = form.matrix == 'a'   ? sem::MatrixOperand::a
                       : form.matrix == 'b' ? sem::MatrixOperand::b
                                            : sem::MatrixOperand::accumulator;
  return {operand, form.m, form.n, form.k, bits_of(form.type)};
}

/// Of one warp. The matrix lies in `in` before a load, in `out` after a store, and in between in
/// shared memory if `space` says so; stride 0: none is written.
std::string kernel_of(const Wmma& form, bool loads, bool by_columns, const char* space,
                      unsigned stride, unsigned matrix_bytes) {
  const bool shared = std::string_view(space).find("shared") != std::string_view::npos;
  const unsigned bytes = bits_of(form.type) == 64 ? 8 : 4;
  const std::string_view type = form.type;
  std::string text = fmt::format(R"({}.visible .entry move(.param .u64 in, .param .u64 out)
{{
  .reg .{} r<8>;
  .reg .b32 v, lane, i, at;
  .reg .b64 from, to, matrix, wide;
  .reg .pred more;
  .shared .align 32 .b8 tile[{}];
  ld.param.u64 from, [in];
  ld.param.u64 to, [out];
  mov.u32 lane, %tid.x;
  mov.u64 matrix, {};
)",
                                 kHead,
                                 type == "f32"   ? "f32"
                                 : type == "f64" ? "f64"
                                                 : "b32",
                                 matrix_bytes,
                                 shared  ? "tile"
                                 : loads ? "from"
                                         : "to");
  // Words of a matrix between shared and global memory, by all lanes.
  const auto copy = [&](const char* label, const char* load, const char* store) {
    return fmt::format(R"(  shl.b32 i, lane, 2;
{}:
  cvt.u64.u32 wide, i;
  add.u64 wide, wide, {};
  mov.u32 at, tile;
  add.u32 at, at, i;
  {};
  {};
  add.u32 i, i, 128;
  setp.lt.u32 more, i, {};
  @more bra {};
  bar.sync 0;
)",
                       label, loads ? "from" : "to", load, store, matrix_bytes, label);
  };
  const std::string list = registers("r", form.registers);
  const std::string words =
      fmt::format("sync.aligned.{}.m{}n{}k{}{}.{}", by_columns ? "col" : "row", form.m, form.n,
                  form.k, space, form.type);
  const std::string step = stride ? fmt::format(", {}", stride) : "";
  const auto each = [&](const char* what) {
    std::string all;
    for (unsigned i = 0; i < form.registers; ++i)
      all += fmt::format(fmt::runtime(what), i, bytes * 8, i * bytes * kWarp);
    return all;
  };
  if (shared) text += copy("TO", "ld.global.b32 v, [wide]", "st.shared.b32 [at], v");
  if (loads) {
    text += fmt::format("  wmma.load.{}.{} {}, [matrix]{};\n", form.matrix, words, list, step);
    text += fmt::format("  mad.wide.u32 to, lane, {}, to;\n", bytes);
    text += each("  st.global.b{1} [to+{2}], r{0};\n");
  } else {
    text += fmt::format("  mad.wide.u32 from, lane, {}, from;\n", bytes);
    text += each("  ld.global.b{1} r{0}, [from+{2}];\n");
    text += fmt::format("  wmma.store.d.{} [matrix], {}{};\n", words, list, step);
    if (shared)
      text += "  bar.sync 0;\n" + copy("BACK", "ld.shared.b32 v, [at]", "st.global.b32 [wide], v");
  }
  return text + "  ret;\n}\n";
}

/// Calls see(bit of the matrix in memory, bit of the registers) for all elements; registers lie one
/// behind the other, each with its 32 lanes.
void for_each_element(const Wmma& form, bool by_columns, unsigned stride,
                      const std::function<void(unsigned, unsigned)>& see) {
  const sem::Fragment f = fragment_of(form);
  const unsigned bits = f.bits, register_bits = bits == 64 ? 64 : 32;
  for (unsigned index = 0; index < form.registers; ++index)
    for (unsigned lane = 0; lane < kWarp; ++lane)
      for (unsigned part = 0; part < sem::elements_of_register(f); ++part) {
        const sem::MatrixElement e = sem::element_of(f, lane, index, part);
        const unsigned element = by_columns ? e.column * stride + e.row : e.row * stride + e.column;
        see(element * bits, (index * kWarp + lane) * register_bits + part * bits);
      }
}

void copy_bits(const Bytes& from, unsigned at, Bytes& to, unsigned there, unsigned bits) {
  for (unsigned i = 0; i < bits; ++i) {
    const unsigned bit = from[(at + i) / 8] >> (at + i) % 8 & 1u;
    uint8_t& byte = to[(there + i) / 8];
    byte = static_cast<uint8_t>((byte & ~(1u << (there + i) % 8)) | bit << (there + i) % 8);
  }
}

/// Calls use(by columns, state space, stride or 0) for all ways to write an access.
void for_each_way(const Wmma& form,
                  const std::function<void(bool, const char*, unsigned, unsigned)>& use) {
  const sem::Fragment f = fragment_of(form);
  for (const bool by_columns : {false, true}) {
    if (!(by_columns ? form.column : form.row)) continue;
    const unsigned least = by_columns ? sem::rows_of(f) : sem::columns_of(f);
    const unsigned unit = 256 / f.bits;  // keeps rows aligned
    const unsigned wider = (least + unit) / unit * unit + unit;
    use(by_columns, ".global", 0, least);
    use(by_columns, "", wider, wider);
    use(by_columns, ".shared", wider, wider);
  }
}

TEST_F(MatrixMove, WmmaLoads) {
  for (const Wmma& form : kWmma) {
    const sem::Fragment f = fragment_of(form);
    for_each_way(form, [&](bool by_columns, const char* space, unsigned written, unsigned stride) {
      const unsigned lines = by_columns ? sem::columns_of(f) : sem::rows_of(f);
      const unsigned matrix_bytes = (lines * stride * f.bits / 8 + 127) / 128 * 128;
      const Bytes in = random_values<uint8_t>(matrix_bytes, 4);
      const std::string text = kernel_of(form, true, by_columns, space, written, matrix_bytes);
      SCOPED_TRACE(text);
      Bytes expected(size_t{form.registers} * kWarp * (f.bits == 64 ? 8 : 4));
      for_each_element(form, by_columns, stride, [&](unsigned in_memory, unsigned in_registers) {
        copy_bits(in, in_memory, expected, in_registers, f.bits);
      });
      const Buffer<uint8_t> from(in), out(expected.size());
      run(text, 1, from.address(), out.address());
      EXPECT_SAME(out, expected);
    });
  }
}

TEST_F(MatrixMove, WmmaStores) {
  for (const Wmma& form : kWmma) {
    if (form.matrix != 'c') continue;
    const sem::Fragment f = fragment_of(form);
    for_each_way(form, [&](bool by_columns, const char* space, unsigned written, unsigned stride) {
      const unsigned lines = by_columns ? sem::columns_of(f) : sem::rows_of(f);
      const unsigned matrix_bytes = (lines * stride * f.bits / 8 + 127) / 128 * 128;
      const Bytes in =
          random_values<uint8_t>(size_t{form.registers} * kWarp * (f.bits == 64 ? 8 : 4), 5);
      const std::string text = kernel_of(form, false, by_columns, space, written, matrix_bytes);
      SCOPED_TRACE(text);
      Bytes expected(matrix_bytes);
      for_each_element(form, by_columns, stride, [&](unsigned in_memory, unsigned in_registers) {
        copy_bits(in, in_registers, expected, in_memory, f.bits);
      });
      const Buffer<uint8_t> from(in), out(expected.size());
      run(text, 1, from.address(), out.address());
      EXPECT_SAME(out, expected);
    });
  }
}

}  // namespace
}  // namespace heddle::kernels
