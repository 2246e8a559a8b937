// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// OpenMP: functions and variables on the device; the C library on the device; printf.
//
// options: -fopenmp -foffload-options=-lm
// launches: 6
// expect: from the device: 17 abc 2.50
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

#pragma omp declare target
static int calls;
static const int kPrimes[] = {2, 3, 5, 7, 11, 13};
static double table[64];

static int ackermann(int m, int n) {
#pragma omp atomic
  ++calls;
  if (m == 0) return n + 1;
  return n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

__attribute__((noinline)) static int add(int a, int b) { return a + b; }
__attribute__((noinline)) static int multiply(int a, int b) { return a * b; }

struct Big {
  long values[12];
};
__attribute__((noinline)) static struct Big twice(struct Big big) {
  for (int i = 0; i < 12; ++i) big.values[i] *= 2;
  return big;
}

static int ascending(const void* a, const void* b) {
  const int x = *(const int*)a, y = *(const int*)b;
  return (x > y) - (x < y);
}
#pragma omp end declare target

static void recursion(void) {
  int result = 0, on_device = 0;
#pragma omp target map(from : result, on_device)
  {
    calls = 0;
    result = ackermann(2, 5);
    on_device = calls;
  }
  calls = 0;
  CHECK_EQUAL(result, ackermann(2, 5));
  CHECK_EQUAL(on_device, calls);
}

// Host and device each have the variable; only `update` copies its value.
static void global_variables(void) {
  for (int i = 0; i < 64; ++i) table[i] = i;
#pragma omp target update to(table)
#pragma omp target teams distribute parallel for num_teams(2)
  for (int i = 0; i < 64; ++i) table[i] = sqrt(table[i]) + kPrimes[i % 6];
  CHECK_CLOSE(table[9], 9);
#pragma omp target update from(table)
  for (int i = 0; i < 64; ++i) CHECK_CLOSE(table[i], sqrt(i) + kPrimes[i % 6]);
}

static void through_pointers(void) {
  int results[2];
#pragma omp target map(from : results)
  {
    int (*const functions[2])(int, int) = {add, multiply};
    for (int i = 0; i < 2; ++i) results[i] = functions[omp_is_initial_device() ? 0 : i](6, 7);
  }
  CHECK_EQUAL(results[0], 13);
  CHECK_EQUAL(results[1], 42);
}

static void structures(void) {
  struct Big big;
  for (int i = 0; i < 12; ++i) big.values[i] = i;
#pragma omp target map(tofrom : big)
  big = twice(twice(big));
  for (int i = 0; i < 12; ++i) CHECK_EQUAL(big.values[i], 4 * i);
}

static void library(void) {
  int numbers[40];
  char text[64] = "";
  double values[40][6];
  for (int i = 0; i < 40; ++i) numbers[i] = i * 17 % 40;
#pragma omp target map(tofrom : numbers, text) map(from : values)
  {
    qsort(numbers, 40, sizeof numbers[0], ascending);
    strcpy(text, "on ");
    strcat(text, "device");
    snprintf(text + strlen(text), 20, " %d%c", (int)strlen(text), '!');
    for (int i = 0; i < 40; ++i) {
      const double x = i / 8.0 + 0.1;
      values[i][0] = sin(x);
      values[i][1] = exp(-x);
      values[i][2] = log(x);
      values[i][3] = pow(x, 1.5);
      values[i][4] = atan2(x, 2);
      values[i][5] = fmod(10, x) + floor(x) + fabs(-x);
    }
    printf("from the device: %d %s %.2f\n", 17, "abc", 2.5);
  }
  CHECK_EQUAL(strcmp(text, "on device 9!"), 0);
  for (int i = 0; i < 40; ++i) {
    const double x = i / 8.0 + 0.1;
    CHECK_EQUAL(numbers[i], i);
    CHECK_CLOSE(values[i][0], sin(x));
    CHECK_CLOSE(values[i][1], exp(-x));
    CHECK_CLOSE(values[i][2], log(x));
    CHECK_CLOSE(values[i][3], pow(x, 1.5));
    CHECK_CLOSE(values[i][4], atan2(x, 2));
    CHECK_CLOSE(values[i][5], fmod(10, x) + floor(x) + fabs(-x));
  }
}

// GCC's instructions for integers: 64 bits of product, carries, shifts by variable amounts, 128
// bits.
static void arithmetic(void) {
  unsigned __int128 product = 1;
  unsigned long mixed = 1;
  int bits = 0;
#pragma omp target map(tofrom : product, mixed, bits)
  for (int i = 1; i <= 30; ++i) {
    product = product * 0x123456789abcdefull + (unsigned)i;
    mixed = (mixed << (i % 7) | mixed >> (64 - i)) ^ __builtin_bswap64(mixed + (unsigned)i);
    bits += __builtin_popcountl(mixed) + __builtin_clzl(mixed) - __builtin_ctzl(mixed);
  }
  unsigned __int128 want = 1;
  unsigned long want_mixed = 1;
  int want_bits = 0;
  for (int i = 1; i <= 30; ++i) {
    want = want * 0x123456789abcdefull + (unsigned)i;
    want_mixed = (want_mixed << (i % 7) | want_mixed >> (64 - i)) ^
                 __builtin_bswap64(want_mixed + (unsigned)i);
    want_bits +=
        __builtin_popcountl(want_mixed) + __builtin_clzl(want_mixed) - __builtin_ctzl(want_mixed);
  }
  CHECK_EQUAL(product, want);
  CHECK_EQUAL(product >> 64, want >> 64);
  CHECK_EQUAL(mixed, want_mixed);
  CHECK_EQUAL(bits, want_bits);
}

int main(void) {
  recursion();
  global_variables();
  through_pointers();
  structures();
  library();
  arithmetic();
  return verdict();
}
