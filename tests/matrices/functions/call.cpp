// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "call.h"

#include <algorithm>
#include <cstring>

#include "shared_matrix.h"

namespace heddle::matrices {
namespace {

using Unit = Instruction::Unit;
using sem::MatrixOperand;

constexpr u32 kLanes = 32;

std::vector<Place> places_in(const sem::Fragment& fragment, u32 registers) {
  std::vector<Place> places;
  for (u32 index = 0; index < registers; ++index) {
    for (u32 lane = 0; lane < kLanes; ++lane) {
      for (u32 part = 0; part < sem::elements_of_register(fragment); ++part) {
        places.push_back(
            {0, sem::element_of(fragment, lane, index, part), index, lane, part * fragment.bits});
      }
    }
  }
  return places;
}

/// `element(lane, i)`: element i of a lane's fragment of quarters.
template <class Element>
std::vector<Place> places_of_quarters(u32 elements, u32 bits, Element element) {
  std::vector<Place> places;
  for (u32 lane = 0; lane < kLanes; ++lane) {
    for (u32 i = 0; i < elements; ++i)
      places.push_back(
          {sem::mma884_product(lane), element(lane, i), i * bits / 32, lane, i * bits % 32});
  }
  return places;
}

std::vector<Place> places_of_a(const Instruction& i) {
  if (i.is_quarters())
    return places_of_quarters(4, 16,
                              [&](u32 lane, u32 at) { return sem::mma884_a(i.row_a, lane, at); });
  const sem::Fragment fragment = {MatrixOperand::a, i.m, i.n, i.stored_k(), i.bits_of_a()};
  const bool copies = i.unit == Unit::wmma && i.a == isa::Type::f16;
  return places_in(fragment, copies ? 8 : sem::distinct_registers(fragment));
}
std::vector<Place> places_of_b(const Instruction& i) {
  if (i.is_quarters())
    return places_of_quarters(4, 16,
                              [&](u32 lane, u32 at) { return sem::mma884_b(i.row_b, lane, at); });
  const sem::Fragment fragment = {MatrixOperand::b, i.m, i.n, i.k, i.bits_of_b()};
  const bool copies = i.unit == Unit::wmma && i.b == isa::Type::f16;
  return places_in(fragment, copies ? 8 : sem::distinct_registers(fragment));
}
std::vector<Place> places_of_accumulator(const Instruction& i, isa::Type type) {
  const u32 bits = isa::type_info(type).bits;
  if (i.is_quarters())
    return places_of_quarters(
        8, bits, [&](u32 lane, u32 at) { return sem::mma884_accumulator(bits, lane, at); });
  const sem::Fragment fragment = {MatrixOperand::accumulator, i.m, i.n, i.k, bits};
  return places_in(fragment, sem::distinct_registers(fragment));
}

u32 registers_of(const std::vector<Place>& places) {
  u32 count = 0;
  for (const Place& place : places) count = std::max(count, place.index + 1);
  return count;
}

/// e2m1 in 8 bits begins at bit 2.
u32 first_bit(isa::Type type, u32 bits) { return type == isa::Type::e2m1 && bits == 8 ? 2 : 0; }

/// `code(product, row, column)` into each place.
template <class Code>
void put(RegisterFile& to, const std::vector<Place>& places, u32 first_bit, Code code) {
  to.fill(0);
  for (const Place& at : places) {
    const u64 bits = code(at.product, at.element.row, at.element.column) << (at.shift + first_bit);
    to.set(at.index, at.lane, to.get(at.index, at.lane) | bits);
  }
}

}  // namespace

u64 RegisterFile::get(u32 index, u32 lane) const {
  u64 value = 0;
  std::memcpy(&value, registers_[index].bytes + lane * bytes_, bytes_);
  return value;
}
void RegisterFile::set(u32 index, u32 lane, u64 value) {
  std::memcpy(registers_[index].bytes + lane * bytes_, &value, bytes_);
}
void RegisterFile::fill(u64 value) {
  for (u32 index = 0; index < count(); ++index)
    for (u32 lane = 0; lane < kLanes; ++lane) set(index, lane, value);
}

Caller::Caller(const Instruction& instruction)
    : of_(instruction),
      places_a_(places_of_a(of_)),
      places_b_(places_of_b(of_)),
      places_c_(places_of_accumulator(of_, of_.c)),
      places_d_(places_of_accumulator(of_, of_.d)),
      a_(registers_of(places_a_), of_.bits_of_a() == 64 ? 8 : 4),
      b_(registers_of(places_b_), of_.bits_of_b() == 64 ? 8 : 4),
      c_(registers_of(places_c_), of_.c == isa::Type::f64 ? 8 : 4),
      d_(registers_of(places_d_), of_.d == isa::Type::f64 ? 8 : 4),
      metadata_(1, 4),
      selector_(1, 4),
      scale_a_(1, 4),
      scale_b_(1, 4),
      select_a_(2, 2),
      select_b_(2, 2) {}

/// 9.7.14.6.1.
void Caller::load_sparsity(const Case& of, Random& random) {
  const u32 chunks = of_.k / of_.chunk();
  const bool wide = of_.bits_of_a() >= 16;
  const u32 threads = wide ? chunks / 4 : chunks / 8 * 2;  // of four
  const u32 selector = static_cast<u32>(random() % (4 / threads));
  selector_.fill(selector);
  for (u32 lane = 0; lane < kLanes; ++lane) metadata_.set(0, lane, random());
  for (u32 row = 0; row < of_.m; ++row) {
    for (u32 chunk = 0; chunk < chunks; ++chunk) {
      const u32 low = row / 8;
      const u32 lane = row % 8 * 4 + selector * threads + (wide ? chunk / 4 : low + chunk / 8 * 2);
      const u32 bit = wide ? low * 16 + chunk % 4 * 4 : chunk % 8 * 4;
      const u64 others = metadata_.get(0, lane) & ~(u64{15} << bit);
      metadata_.set(0, lane, others | of.metadata[row * chunks + chunk] << bit);
    }
  }
}

/// 9.7.14.3.
void Caller::load_scales(const Operands& of, Random& random) {
  const auto load = [&](RegisterFile& data, RegisterFile& select, const std::vector<u64>& factors,
                        u32 threads, auto lane_of) {
    const u32 byte = static_cast<u32>(random() % (4 / of_.scales)) * of_.scales;
    const u32 thread = static_cast<u32>(random() % threads);
    for (u32 lane = 0; lane < kLanes; ++lane) {
      data.set(0, lane, random());
      select.set(0, lane, byte);
      select.set(1, lane, thread);
    }
    for (u32 i = 0; i < factors.size(); ++i) {
      const u32 lane = lane_of(i / of_.scales, thread), bit = (byte + i % of_.scales) * 8;
      data.set(0, lane, (data.get(0, lane) & ~(u64{255} << bit)) | factors[i] << bit);
    }
  };
  load(scale_a_, select_a_, of.scale_a, 2,
       [](u32 row, u32 thread) { return row % 8 * 4 + thread * 2 + row / 8; });
  load(scale_b_, select_b_, of.scale_b, 4, [](u32 n, u32 thread) { return n * 4 + thread; });
}

std::optional<std::vector<Caller::Result>> Caller::call(const isa::TensorCore& core,
                                                        std::span<const Case> cases,
                                                        Random& random) {
  const auto first = [&](const Case& one) -> const std::vector<u64>& {
    return of_.sparse ? one.stored_a : one.operands.a;
  };
  put(a_, places_a_, first_bit(of_.a, of_.bits_of_a()),
      [&](u32 q, u32 row, u32 column) { return first(cases[q])[row * of_.stored_k() + column]; });
  put(c_, places_c_, 0,
      [&](u32 q, u32 row, u32 column) { return cases[q].operands.c[row * of_.n + column]; });
  const u32 active = random() % 4 == 0 ? static_cast<u32>(random()) : ~u32{0};
  // The registers of D are often those of C.
  const bool wgmma = of_.unit == Unit::wgmma;
  const bool in_place = c_.count() == d_.count() && (wgmma || random() % 2 == 0);
  RegisterFile& d = in_place ? c_ : d_;
  constexpr u64 kOld = 0xabcdef0123456789;
  if (!in_place) d.fill(kOld);
  const RegisterFile before = d;

  std::vector<u8> shared;
  RegisterFile descriptor(1, 8), one(1, 4), zero(1, 4);
  std::vector<void*> operands = {a_.operand()};
  if (wgmma) {
    append_matrix(cases[0].operands.b, of_.k, of_.bits_of_b(), shared);
    descriptor.fill(matrix_descriptor(0));
    one.fill(1), zero.fill(0);
    operands.push_back(descriptor.operand());
    for (u32 i = 0; i < 3; ++i) operands.push_back(one.operand());  // accumulate, negate A and B
    operands.push_back(zero.operand());                             // transpose B
  } else {
    put(b_, places_b_, first_bit(of_.b, of_.bits_of_b()),
        [&](u32 q, u32 row, u32 column) { return cases[q].operands.b[column * of_.k + row]; });
    operands.push_back(b_.operand());
    operands.push_back(c_.operand());
  }
  if (of_.sparse) {
    load_sparsity(cases[0], random);
    operands.push_back(metadata_.operand());
    operands.push_back(selector_.operand());
  }
  if (of_.scales != 0) {
    load_scales(cases[0].operands, random);
    for (RegisterFile* const more : {&scale_a_, &select_a_, &scale_b_, &select_b_})
      operands.push_back(more->operand());
  }
  operands.push_back(d.operand());
  isa::WarpContext context{core, 0, shared.data(), static_cast<u32>(shared.size())};
  of_.function->run(of_.modifiers.data(), context, {~u32{0}, active}, operands.data(),
                    static_cast<u32>(operands.size()));
  if (context.failed()) return std::nullopt;

  std::vector<Result> results;
  for (const Place& at : places_d_) {
    const u64 word = d.get(at.index, at.lane);
    if ((active >> at.lane & 1) == 0) {
      if (word != before.get(at.index, at.lane)) return std::nullopt;
      continue;
    }
    const u32 bits = isa::type_info(of_.d).bits;
    results.push_back({at.product, at.element.row, at.element.column,
                       word >> at.shift & (~u64{0} >> (64 - bits))});
  }
  return results;
}

}  // namespace heddle::matrices
