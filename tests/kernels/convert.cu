// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions between floating point and integers, written as PTX so that out-of-range values have
// a defined result: cvt saturates, NaN becomes 0 (or the top bit, for f64 and for 64-bit results).
#include "device.h"

#define CONVERT(instruction, out_constraint, out_value, in_constraint, in_value) \
  asm(instruction " %0, %1;" : out_constraint(out_value) : in_constraint(in_value))

struct FromFloat {
  int nearest, down, up, zero;
  unsigned unsigned_zero, unsigned_nearest;
  long long wide_zero;
  unsigned long long wide_unsigned_nearest;
  short narrow;
  unsigned short unsigned_narrow;
  int byte;  // cvt.rzi.s8 sign-extended
  unsigned unsigned_byte;
};

extern "C" __global__ void from_float(const float* in, FromFloat* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = in[i];
  FromFloat r = {};
  CONVERT("cvt.rni.s32.f32", "=r", r.nearest, "f", v);
  CONVERT("cvt.rmi.s32.f32", "=r", r.down, "f", v);
  CONVERT("cvt.rpi.s32.f32", "=r", r.up, "f", v);
  CONVERT("cvt.rzi.s32.f32", "=r", r.zero, "f", v);
  CONVERT("cvt.rzi.u32.f32", "=r", r.unsigned_zero, "f", v);
  CONVERT("cvt.rni.u32.f32", "=r", r.unsigned_nearest, "f", v);
  CONVERT("cvt.rzi.s64.f32", "=l", r.wide_zero, "f", v);
  CONVERT("cvt.rni.u64.f32", "=l", r.wide_unsigned_nearest, "f", v);
  CONVERT("cvt.rzi.s16.f32", "=h", r.narrow, "f", v);
  CONVERT("cvt.rzi.u16.f32", "=h", r.unsigned_narrow, "f", v);
  CONVERT("cvt.rzi.s8.f32", "=r", r.byte, "f", v);
  CONVERT("cvt.rzi.u8.f32", "=r", r.unsigned_byte, "f", v);
  out[i] = r;
}

struct FromDouble {
  int zero;
  unsigned unsigned_nearest;
  long long wide_down;
  unsigned long long wide_unsigned_zero;
  float single, single_toward_zero;
};

extern "C" __global__ void from_double(const double* in, FromDouble* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double v = in[i];
  FromDouble r = {};
  CONVERT("cvt.rzi.s32.f64", "=r", r.zero, "d", v);
  CONVERT("cvt.rni.u32.f64", "=r", r.unsigned_nearest, "d", v);
  CONVERT("cvt.rmi.s64.f64", "=l", r.wide_down, "d", v);
  CONVERT("cvt.rzi.u64.f64", "=l", r.wide_unsigned_zero, "d", v);
  CONVERT("cvt.rn.f32.f64", "=f", r.single, "d", v);
  CONVERT("cvt.rz.f32.f64", "=f", r.single_toward_zero, "d", v);
  out[i] = r;
}

struct FromInteger {
  float s32, u32, s64, u64, u32_up;
  double wide_s32, wide_u64, wide_s64;
  int saturated_s8;  // cvt.sat.s8.s32 in a 32-bit register
  unsigned saturated_u16;
};

extern "C" __global__ void from_integer(const unsigned long long* in, FromInteger* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned long long v = in[i];
  unsigned low = v;
  FromInteger r = {};
  CONVERT("cvt.rn.f32.s32", "=f", r.s32, "r", low);
  CONVERT("cvt.rn.f32.u32", "=f", r.u32, "r", low);
  CONVERT("cvt.rn.f32.s64", "=f", r.s64, "l", v);
  CONVERT("cvt.rn.f32.u64", "=f", r.u64, "l", v);
  CONVERT("cvt.rp.f32.u32", "=f", r.u32_up, "r", low);
  CONVERT("cvt.rn.f64.s32", "=d", r.wide_s32, "r", low);
  CONVERT("cvt.rn.f64.u64", "=d", r.wide_u64, "l", v);
  CONVERT("cvt.rn.f64.s64", "=d", r.wide_s64, "l", v);
  CONVERT("cvt.sat.s8.s32", "=r", r.saturated_s8, "r", low);
  CONVERT("cvt.sat.u16.s32", "=r", r.saturated_u16, "r", low);
  out[i] = r;
}
