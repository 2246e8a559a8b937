// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interp/matrix_ops.h"

#include <array>
#include <cstring>

#include "interp/windows.h"
#include "isa/sem/lanes.h"

#define HEDDLE_LEVEL baseline_ops
#include "interp/memory_ops.h"

namespace heddle::interp {

using sem::kRowBytes;

namespace {

u8* bytes_at(u64 address) { return reinterpret_cast<u8*>(address); }

// --- ldmatrix and stmatrix ---

/// The rows of the matrices, or the lanes of the registers, one behind the other.
struct Matrices {
  alignas(64) u8 bytes[sem::kMostMatrixBytes];
};

/// Host addresses of the rows, whose lanes become Warp::mask. Traps when one is not 16 bytes of
/// shared memory, aligned.
Addresses find_rows(Warp& warp, const Op& op) {
  const u32 rows = op.count * sem::kRowsOfRegister;
  warp.mask &= kAllLanes >> (kLanes - rows);
  Addresses addresses;
  form_lanes(warp, op, addresses);
  if (op.window == Window::shared) {
    check_lanes(warp, op, kRowBytes, kRowBytes, addresses);
    return addresses;
  }
  sem::for_each_lane(warp.mask, [&](u32 lane) {
    addresses.lane[lane] += window_start(warp, op, lane);
    check_shared(warp, lane, addresses.lane[lane], kRowBytes, kRowBytes);
  });
  return addresses;
}

// --- wmma ---

/// A piece of the matrix that lies in one register: an element, or all elements smaller than a
/// byte, which are neighbours in memory.
struct Piece {
  sem::MatrixElement first;  ///< of lane 0
  u32 index;                 ///< of the register
  u32 place;                 ///< in the register, in bytes
};

/// The pieces that a lane has.
struct Pieces {
  std::array<Piece, 16> all;
  u32 count = 0;
};
Pieces find_pieces(const Op& op, const sem::Fragment& f) {
  Pieces pieces;
  const u32 parts = f.bits < 8 ? 1 : sem::elements_of_register(f);
  for (u32 index = 0; index < op.count; ++index) {
    for (u32 part = 0; part < parts; ++part)
      pieces.all[pieces.count++] = {sem::element_of(f, 0, index, part), index, part * f.bits / 8};
  }
  return pieces;
}

/// Calls `use(host address, place in the frame)` for all pieces of the matrix, each of `bytes`
/// bytes, which are legal.
template <class Use>
void for_each_piece(Warp& warp, const Op& op, u32 bytes, Use use) {
  const sem::Fragment f = fragment_of(op);
  const Pieces pieces = find_pieces(op, f);
  const u32 register_bytes = f.bits == 64 ? 8 : 4;
  const bool shared = op.flags & kInShared, by_columns = op.flags & kColumnMajor;
  for_lane_by_lane(warp, [&](u32 lane) {
    const u64 base = warp.at<const u64>(op.src[0])[lane];
    const u64 stride = warp.at<const u32>(op.src[1])[lane];
    machine::AddressRange legal;  // of the piece before: most lie in the same one
    // From lane 0's element, in all pieces.
    const sem::MatrixElement apart = sem::element_of(f, lane, 0, 0);
    for (u32 i = 0; i < pieces.count; ++i) {
      const Piece& piece = pieces.all[i];
      const u64 row = piece.first.row + apart.row, column = piece.first.column + apart.column;
      const u64 element = by_columns ? column * stride + row : row * stride + column;
      const u64 address = base + element * f.bits / 8;
      if (!legal.contains(address, bytes)) {
        if (shared)
          check_shared(warp, lane, address, bytes, bytes);
        else
          check_global(warp, lane, address, bytes, bytes);
        legal = shared ? machine::AddressRange{warp.shared_base, warp.shared_size}
                       : warp.memory->accessible(address);
      }
      if (address % bytes) raise_trap(warp, machine::TrapKind::misaligned_address, lane, &address);
      use(bytes_at(address),
          warp.at<u8>(op.list[piece.index]) + lane * register_bytes + piece.place);
    }
  });
}

/// Calls `f` with the number of bytes of a piece as a constant.
template <class F>
void with_piece_bytes(const Op& op, F f) {
  const u32 bits = fragment_of(op).bits;
  switch (bits < 8 ? 32 : bits) {
    case 8:
      return f(std::integral_constant<u32, 1>());
    case 16:
      return f(std::integral_constant<u32, 2>());
    case 32:
      return f(std::integral_constant<u32, 4>());
    default:
      return f(std::integral_constant<u32, 8>());
  }
}

}  // namespace

void ldmatrix(Warp& warp, const Op& op) {
  const u32 lanes = warp.mask, bits = op.runtime[1];
  Matrices rows = {}, registers;
  const Addresses addresses = find_rows(warp, op);
  sem::for_each_lane(warp.mask, [&](u32 lane) {
    const u8* const from = bytes_at(addresses.lane[lane]);
    u8* const row = rows.bytes + lane * kRowBytes;
    if (bits)
      sem::unpack_row(bits, from, row);
    else
      std::memcpy(row, from, kRowBytes);
  });
  sem::registers_of_rows(static_cast<sem::MatrixOrder>(op.runtime[0]), op.count, rows.bytes,
                         registers.bytes);
  for (u32 i = 0; i < op.count; ++i) {
    u8* const to = warp.at<u8>(op.list[i]);
    const u8* const from = registers.bytes + i * sem::kRegisterBytes;
    sem::for_each_lane(lanes,
                       [&](u32 lane) { std::memcpy(to + lane * 4, from + lane * 4, sizeof(u32)); });
  }
  warp.mask = lanes;
}

/// Lanes that are missing supply zeros.
void stmatrix(Warp& warp, const Op& op) {
  const u32 lanes = warp.mask;
  Matrices rows, registers = {};
  for (u32 i = 0; i < op.count; ++i) {
    const u8* const from = warp.at<const u8>(op.list[i]);
    u8* const to = registers.bytes + i * sem::kRegisterBytes;
    sem::for_each_lane(lanes,
                       [&](u32 lane) { std::memcpy(to + lane * 4, from + lane * 4, sizeof(u32)); });
  }
  sem::rows_of_registers(static_cast<sem::MatrixOrder>(op.runtime[0]), op.count, registers.bytes,
                         rows.bytes);
  const Addresses addresses = find_rows(warp, op);
  sem::for_each_lane(warp.mask, [&](u32 lane) {
    std::memcpy(bytes_at(addresses.lane[lane]), rows.bytes + lane * kRowBytes, kRowBytes);
  });
  warp.mask = lanes;
}

void wmma_load(Warp& warp, const Op& op) {
  with_piece_bytes(op, [&]<class Bytes>(Bytes) {
    for_each_piece(warp, op, Bytes::value,
                   [](const u8* memory, u8* place) { std::memcpy(place, memory, Bytes::value); });
  });
}

void wmma_store(Warp& warp, const Op& op) {
  with_piece_bytes(op, [&]<class Bytes>(Bytes) {
    for_each_piece(warp, op, Bytes::value,
                   [](u8* memory, const u8* place) { std::memcpy(memory, place, Bytes::value); });
  });
}

}  // namespace heddle::interp
