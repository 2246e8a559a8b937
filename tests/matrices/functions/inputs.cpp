// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "inputs.h"

#include <algorithm>
#include <cmath>

namespace heddle::matrices {
namespace {

/// The exponents of the least results, about.
constexpr int kTinyF32 = -150, kTinyF16 = -25;

u32 below(Random& random, u32 limit) { return static_cast<u32>(random() >> 32) % limit; }

/// Nearly normally distributed, with variance 1.
double normal(Random& random) {
  const u64 bits = random();
  double sum = 0;
  for (u32 i = 0; i < 4; ++i) sum += static_cast<double>(bits >> (16 * i) & 0xffff) / 0x10000;
  return (sum - 2) * std::sqrt(3.0);
}

/// Of elements of a format.
class Codes {
 public:
  /// `tiny`: about the exponent of tiny elements.
  Codes(const Format& format, int tiny, Random& random)
      : f_(format),
        random_(random),
        top_((1 << format.exponent) - (format.has_infinity ? 2 : 1)),
        tiny_(tiny) {}

  u64 make(Inputs inputs) {
    switch (inputs) {
      case Inputs::any_bits:
        return random_() >> (64 - f_.bits);
      case Inputs::spread:
        return normal_number(4);
      case Inputs::wide_spread:
        return normal_number(16);
      case Inputs::full_spread:
        return normal_number(50);
      case Inputs::subnormal:
        return number(static_cast<int>(below(random_, 3)) - 1);
      case Inputs::tiny:
        return number(tiny_ + f_.bias + static_cast<int>(std::lround(normal(random_) * 3)));
      case Inputs::powers:
        return below(random_, 10) < 6 ? any_sign(0)
                                      : power(tiny_ + 3 - static_cast<int>(below(random_, 16)));
      case Inputs::zeros:
        return below(random_, 10) < 7 ? any_sign(0) : normal_number(2);
      case Inputs::huge:
        return number(top_ - static_cast<int>(below(random_, 3)));
      case Inputs::specials:
        return below(random_, 200) == 0 ? special() : normal_number(2);
      default:
        return normal_number(1);
    }
  }

 private:
  u64 any_sign(u64 magnitude) { return magnitude << f_.unused | (random_() & f_.sign()); }
  /// `field`: the exponent with its bias; too large or small a one is cut.
  u64 number(int field) {
    const u64 exponent = static_cast<u64>(std::clamp(field, 0, top_));
    const u64 mantissa = random_() & ((u64{1} << f_.mantissa) - 1);
    const u64 magnitude = exponent << f_.mantissa | mantissa;
    return any_sign(magnitude < f_.first_special ? magnitude : magnitude - 1);
  }
  u64 power(int exponent) {
    const int least = 1 - f_.bias, below_least = std::min(exponent - least, 0);
    if (below_least == 0)
      return any_sign(static_cast<u64>(std::min(exponent + f_.bias, top_)) << f_.mantissa);
    return any_sign((u64{1} << f_.mantissa) >> std::min(-below_least, 63));
  }
  u64 normal_number(double spread) {
    return number(std::min(f_.bias, top_) +
                  static_cast<int>(std::lround(normal(random_) * spread)));
  }
  u64 special() {
    if (f_.first_special == ~u64{0}) return number(top_);
    const u64 most = (f_.sign() - 1) >> f_.unused;
    if (below(random_, 2) == 0 || most == f_.first_special) return any_sign(f_.first_special);
    return any_sign(f_.first_special + random_() % (most - f_.first_special) + 1);
  }

  const Format& f_;
  Random& random_;
  int top_, tiny_;  ///< `top_`: the exponent's largest field with numbers
};

u64 integer_code(isa::Type type, Inputs inputs, Random& random) {
  const u32 bits = isa::type_info(type).bits;
  const u64 all = ~u64{0} >> (64 - bits), sign = u64{1} << (bits - 1);
  if (inputs == Inputs::huge) {
    const u64 limits[] = {0, 1, sign, sign - 1, all};
    return limits[below(random, 5)] & all;
  }
  if (inputs == Inputs::zeros && below(random, 10) < 7) return 0;
  return random() & all;
}

std::vector<u64> codes(isa::Type type, std::size_t count, int tiny, Inputs inputs, Random& random) {
  std::vector<u64> all(count);
  if (const Format* const format = format_of(type)) {
    Codes of(*format, tiny, random);
    for (u64& code : all) code = of.make(inputs);
  } else {
    for (u64& code : all) code = integer_code(type, inputs, random);
  }
  return all;
}

/// The second half of each row of `line` elements becomes that of the first.
void repeat(std::vector<u64>& codes, u32 line, u64 sign, Random& random) {
  for (std::size_t first = 0; first < codes.size(); first += line) {
    for (std::size_t i = line / 2; i < line; ++i)
      codes[first + i] = codes[first + i - line / 2] ^ sign ^ (below(random, 10) == 0 ? 1 : 0);
  }
}

/// Four bits of a chunk: the places of two units of four, or which of two elements of tf32.
u64 legal_metadata(const Instruction& i, Random& random) {
  constexpr u64 kPairs[] = {0b0100, 0b1000, 0b1001, 0b1100, 0b1101, 0b1110},
                kOne[] = {0b0100, 0b1110};
  return i.chunk() == 2 ? kOne[below(random, 2)] : kPairs[below(random, 6)];
}

/// The dense A of a sparse one.
void expand_a(const Instruction& i, Case& of, Random& random) {
  const u32 chunk = i.chunk(), unit = std::max(chunk / 4, 1u);
  of.operands.a.assign(i.m * i.k, 0);
  of.operands.stored.assign(i.m * i.k, false);
  std::size_t next = 0;
  for (u32 first = 0; first < i.m * i.k; first += chunk) {
    const u64 places = legal_metadata(i, random);
    of.metadata.push_back(places);
    const auto store = [&](u32 at) {
      of.operands.a[at] = of.stored_a[next++];
      of.operands.stored[at] = true;
    };
    if (chunk == 2) {
      store(first + (places == 0b0100 ? 0 : 1));
      continue;
    }
    for (const u64 place : {places & 3, places >> 2})
      for (u32 part = 0; part < unit; ++part) store(first + static_cast<u32>(place) * unit + part);
  }
}

std::vector<u64> scale_factors(const Instruction& i, u32 lines, Inputs inputs, Random& random) {
  std::vector<u64> all(lines * i.scales);
  const double spread = inputs == Inputs::full_spread ? 40 : inputs == Inputs::wide_spread ? 12 : 2;
  for (u64& code : all) {
    // Elements of block-scaled products are not tiny, so their factors are.
    const int center =
        inputs == Inputs::tiny || inputs == Inputs::powers ? 127 + kTinyF32 / 2 : 127;
    if (inputs == Inputs::any_bits || i.scale == isa::Type::ue4m3)
      code = random() & 0xff;
    else
      code = static_cast<u64>(std::clamp(center + std::lround(normal(random) * spread), 0L, 254L));
    if (inputs == Inputs::specials && below(random, 100) == 0) code = 0xff;
  }
  return all;
}

/// The code of `value` in the type of C, about.
u64 about(isa::Type type, double value) {
  const Format& f = *format_of(type);
  const double most = type == isa::Type::f16   ? 65504
                      : type == isa::Type::f32 ? 0x1.fffffep127
                                               : 1e300;
  const double cut = std::clamp(std::isnan(value) ? 0 : value, -most, most);
  const int exponent = cut == 0 ? 0 : std::max(std::ilogb(cut), 1 - f.bias);
  const double unit = std::ldexp(1.0, exponent - static_cast<int>(f.mantissa));
  return encode_exact(f, std::trunc(cut / unit) * unit);
}

void subtract_products(const Instruction& i, Operands& of) {
  for (u32 m = 0; m < i.m; ++m) {
    for (u32 n = 0; n < i.n; ++n) {
      double sum = 0;
      for (u32 k = 0; k < i.k; ++k) {
        sum += value_of(decode(*format_of(i.a), of.a[m * i.k + k])) *
               value_of(decode(*format_of(i.b), of.b[n * i.k + k]));
      }
      of.c[m * i.n + n] = about(i.c, -sum);
    }
  }
}

}  // namespace

Case make_case(const Instruction& i, Inputs inputs, Random& random) {
  Case made;
  Operands& of = made.operands;
  const int least = i.d == isa::Type::f16 ? kTinyF16 : kTinyF32;
  const int tiny = i.scales != 0 ? 0 : least / 2;
  std::vector<u64> a = codes(i.a, i.m * i.stored_k(), tiny, inputs, random);
  of.b = codes(i.b, i.n * i.k, tiny, inputs, random);
  of.c = codes(i.c, i.m * i.n, least, inputs, random);
  const Format* const format = format_of(i.a);
  if (format && inputs == Inputs::cancelling) {
    repeat(a, i.stored_k(), format->sign(), random);
    repeat(of.b, i.k, 0, random);
    of.c = codes(i.c, i.m * i.n, least, Inputs::zeros, random);
  }
  if (i.sparse) {
    made.stored_a = std::move(a);
    expand_a(i, made, random);
  } else {
    of.a = std::move(a);
  }
  if (format && inputs == Inputs::minus_sum) subtract_products(i, of);
  if (i.scales != 0) {
    of.scale_a = scale_factors(i, i.m, inputs, random);
    of.scale_b = scale_factors(i, i.n, inputs, random);
  }
  return made;
}

}  // namespace heddle::matrices
