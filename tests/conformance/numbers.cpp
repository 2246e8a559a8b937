// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "numbers.h"

namespace heddle::conformance {

u64 Numbers::number(const Format& format) {
  const u64 random = bits();
  const u64 mask = format.sign() | (format.sign() - 1);
  const u64 fraction = (u64{1} << (format.precision - 1)) - 1;
  const u64 sign = random >> 8 & 1 ? format.sign() : 0;
  switch (random & 7) {
    case 0: {  // a corner value or one of its neighbours
      const u64 corners[] = {0,
                             fraction + 1,
                             format.one(),
                             format.infinity(),
                             format.one() + fraction + 1,
                             format.one() - (fraction + 1),
                             u64(2 * format.max_exponent - 1) << (format.precision - 1),
                             u64(format.max_exponent + format.precision) << (format.precision - 1)};
      return ((corners[random >> 16 & 7] + (random >> 20 & 3) - 1) & (format.sign() - 1)) | sign;
    }
    case 1:
    case 2:
      return random >> 3 & mask;
    case 3: {  // few bits
      const u64 shift = (random >> 16) % u64(format.precision);
      return (random >> 24 & format.infinity()) | (bits() & fraction) >> shift << shift | sign;
    }
    case 4:  // subnormal
      return ((bits() & fraction) >> (random >> 16) % u64(format.precision)) | sign;
    default: {  // near 1
      const u64 exponent = u64(format.max_exponent) - 8 + (random >> 16 & 15);
      return exponent << (format.precision - 1) | (bits() & fraction) | sign;
    }
  }
}

u64 Numbers::number_near(const Format& format, u64 other) {
  const u64 random = bits();
  if (random & 7) return number(format);
  const u64 changed = (other ^ (random >> 8 & 0xff)) + (random >> 16 & 3);
  return (changed ^ (random >> 32 & 1 ? format.sign() : 0)) & (format.sign() | (format.sign() - 1));
}

u64 Numbers::integer(int width) {
  const u64 random = bits();
  const u64 mask = width == 64 ? ~u64{0} : (u64{1} << width) - 1;
  const u64 magnitude = bits() >> (random >> 8) % 64;
  switch (random & 3) {
    case 0:
      return ((u64{1} << (random >> 8) % 64) + (random >> 16 & 3) - 1) & mask;
    case 1:
      return (u64{0} - magnitude) & mask;
    default:
      return magnitude & mask;
  }
}

}  // namespace heddle::conformance
