// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// OpenACC: reductions over gangs, workers and vectors; atomics; routines of each level.
//
// options: -fopenacc -foffload-options=-lm
// launches: 6
#include <limits.h>
#include <openacc.h>

#include "check.h"

enum { kCount = 3000, kBins = 11 };

static int numbers[kCount];

static void operators(void) {
  int sum = 0, lowest = INT_MAX, highest = INT_MIN, elsewhere = 0;
  unsigned ored = 0, xored = 0, anded = ~0u;
  long long product = 1;
  int every = 1, some = 0;
#pragma acc parallel loop gang worker vector num_gangs(4) num_workers(2) vector_length(32)         \
    copyin(numbers) reduction(+ : sum, elsewhere) reduction(min : lowest) reduction(max : highest) \
        reduction(| : ored) reduction(^ : xored) reduction(& : anded) reduction(* : product)       \
            reduction(&& : every) reduction(|| : some)
  for (int i = 0; i < kCount; ++i) {
    elsewhere += !acc_on_device(acc_device_nvidia);
    sum += numbers[i];
    lowest = numbers[i] < lowest ? numbers[i] : lowest;
    highest = numbers[i] > highest ? numbers[i] : highest;
    ored |= 1u << (i % 30);
    xored ^= (unsigned)numbers[i];
    anded &= ~(1u << (i % 3));
    product *= 2 * (i % 5) + 1;
    every = every && numbers[i] < 1000000;
    some = some || i == 2999;
  }
  int want_sum = 0, want_lowest = INT_MAX, want_highest = INT_MIN;
  unsigned want_xored = 0;
  unsigned long long want_product = 1;
  for (int i = 0; i < kCount; ++i) {
    want_sum += numbers[i];
    want_lowest = numbers[i] < want_lowest ? numbers[i] : want_lowest;
    want_highest = numbers[i] > want_highest ? numbers[i] : want_highest;
    want_xored ^= (unsigned)numbers[i];
    want_product *= (unsigned)(2 * (i % 5) + 1);
  }
  CHECK_EQUAL(elsewhere, 0);
  CHECK_EQUAL(sum, want_sum);
  CHECK_EQUAL(lowest, want_lowest);
  CHECK_EQUAL(highest, want_highest);
  CHECK_EQUAL(ored, 0x3fffffff);
  CHECK_EQUAL(xored, want_xored);
  CHECK_EQUAL(anded, ~7u);
  CHECK_EQUAL(product, want_product);
  CHECK_EQUAL(every, 1);
  CHECK_EQUAL(some, 1);
}

static void levels(void) {
  static double rows[20];
  double total = 0;
  float highest = 0;
#pragma acc parallel num_gangs(5) num_workers(4) vector_length(32) copyin(numbers) copyout(rows) \
    copy(total)
  {
#pragma acc loop gang reduction(+ : total)
    for (int i = 0; i < 20; ++i) {
      double row = 0;
#pragma acc loop worker reduction(+ : row)
      for (int j = 0; j < 5; ++j) {
        double part = 0;
#pragma acc loop vector reduction(+ : part)
        for (int k = 0; k < 30; ++k) part += numbers[(i * 5 + j) * 30 + k] / 4.0;
        row += part;
      }
      rows[i] = row;
      total += row;
    }
  }
#pragma acc parallel loop reduction(max : highest) num_gangs(3)
  for (int i = 0; i < kCount; ++i) highest = fmaxf(highest, sqrtf(i));
  double want_total = 0;
  for (int i = 0; i < 20; ++i) {
    double row = 0;
    for (int k = 0; k < 150; ++k) row += numbers[i * 150 + k] / 4.0;
    CHECK_CLOSE(rows[i], row);
    want_total += row;
  }
  CHECK_CLOSE(total, want_total);
  CHECK_CLOSE(highest, sqrtf(kCount - 1));
}

static void atomics(void) {
  int bins[kBins] = {0}, drawn[kCount] = {0}, next = 0;
  double sum = 0;
#pragma acc parallel loop gang vector num_gangs(4) copy(bins, drawn, next, sum)
  for (int i = 0; i < kCount; ++i) {
    int ticket;
#pragma acc atomic update
    bins[i % kBins] += i;
#pragma acc atomic capture
    ticket = next++;
#pragma acc atomic
    sum += 0.5;
    ++drawn[ticket];
  }
  for (int bin = 0; bin < kBins; ++bin) {
    int want = 0;
    for (int i = bin; i < kCount; i += kBins) want += i;
    CHECK_EQUAL(bins[bin], want);
  }
  for (int i = 0; i < kCount; ++i) CHECK_EQUAL(drawn[i], 1);
  CHECK_CLOSE(sum, kCount / 2.0);
}

#pragma acc routine seq
static int collatz(int n) {
  int steps = 0;
  for (; n != 1; ++steps) n = n % 2 ? 3 * n + 1 : n / 2;
  return steps;
}

#pragma acc routine vector
static void fill(int* row, int length, int value) {
#pragma acc loop vector
  for (int i = 0; i < length; ++i) row[i] = value + i;
}

#pragma acc routine worker
static void fill_rows(int* rows, int count, int length, int value) {
#pragma acc loop worker
  for (int i = 0; i < count; ++i) fill(rows + i * length, length, value + 1000 * i);
}

static void routines(void) {
  static int steps[kCount], rows[6][7][45];
#pragma acc parallel loop num_gangs(4) copyout(steps)
  for (int i = 0; i < kCount; ++i) steps[i] = collatz(i + 1);
#pragma acc parallel num_gangs(3) num_workers(4) vector_length(32) copyout(rows)
#pragma acc loop gang
  for (int i = 0; i < 6; ++i) fill_rows(&rows[i][0][0], 7, 45, 100000 * i);
  for (int i = 0; i < kCount; ++i) CHECK_EQUAL(steps[i], collatz(i + 1));
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 7; ++j)
      for (int k = 0; k < 45; ++k) CHECK_EQUAL(rows[i][j][k], 100000 * i + 1000 * j + k);
}

int main(void) {
  for (int i = 0; i < kCount; ++i) numbers[i] = (i * 7919 + 13) % 10007 - 5000;
  operators();
  levels();
  atomics();
  routines();
  return verdict();
}
