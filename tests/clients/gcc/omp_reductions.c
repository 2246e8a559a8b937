// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// OpenMP: reductions of every operator over teams and threads.
//
// options: -fopenmp -foffload-options=-lm -foffload-options=-latomic
// launches: 6
#include <complex.h>
#include <limits.h>
#include <omp.h>

#include "check.h"

enum { kCount = 3000 };

static int numbers[kCount];
static double halves[kCount];

static void integers(void) {
  int sum = 5, lowest = INT_MAX, highest = INT_MIN, on_host = 0;
  unsigned ored = 0, anded = ~0u, xored = 0;
  long long product = 1;
  int every = 1, some = 0;
#pragma omp target teams distribute parallel for num_teams(7) map(to : numbers)          \
    reduction(+ : sum, on_host) reduction(min : lowest) reduction(max : highest)         \
    reduction(| : ored) reduction(& : anded) reduction(^ : xored) reduction(* : product) \
    reduction(&& : every) reduction(|| : some)
  for (int i = 0; i < kCount; ++i) {
    on_host += omp_is_initial_device();
    sum += numbers[i];
    if (numbers[i] < lowest) lowest = numbers[i];
    if (numbers[i] > highest) highest = numbers[i];
    ored |= 1u << (i % 31);
    anded &= ~(1u << (i % 5));
    xored ^= (unsigned)numbers[i];
    product *= 2 * numbers[i] + 1;
    every = every && numbers[i] != INT_MAX;
    some = some || numbers[i] == numbers[1234];
  }
  int want_sum = 5, want_lowest = INT_MAX, want_highest = INT_MIN;
  unsigned want_xored = 0;
  long long want_product = 1;
  for (int i = 0; i < kCount; ++i) {
    want_sum += numbers[i];
    if (numbers[i] < want_lowest) want_lowest = numbers[i];
    if (numbers[i] > want_highest) want_highest = numbers[i];
    want_xored ^= (unsigned)numbers[i];
    want_product =
        (long long)((unsigned long long)want_product * (unsigned long long)(2 * numbers[i] + 1));
  }
  CHECK_EQUAL(on_host, 0);
  CHECK_EQUAL(sum, want_sum);
  CHECK_EQUAL(lowest, want_lowest);
  CHECK_EQUAL(highest, want_highest);
  CHECK_EQUAL(ored, 0x7fffffff);
  CHECK_EQUAL(anded, ~31u);
  CHECK_EQUAL(xored, want_xored);
  CHECK_EQUAL(product, want_product);
  CHECK_EQUAL(every, 1);
  CHECK_EQUAL(some, 1);
}

static void floating(void) {
  float small = 0;
  double sum = 0, highest = -INFINITY;
  double complex turns = 0;
#pragma omp target teams distribute parallel for num_teams(3) map(to : halves) \
    reduction(+ : small, sum, turns) reduction(max : highest)
  for (int i = 0; i < kCount; ++i) {
    small += 0.25f;  // exact in any order
    sum += 1 / (1 + halves[i]);
    turns += halves[i] + 2 * halves[i] * I;
    highest = fmax(highest, sin(halves[i]));
  }
  double want_sum = 0, want_halves = 0, want_highest = -INFINITY;
  for (int i = 0; i < kCount; ++i) {
    want_sum += 1 / (1 + halves[i]);
    want_halves += halves[i];
    want_highest = fmax(want_highest, sin(halves[i]));
  }
  CHECK_CLOSE(small, kCount / 4.0);
  CHECK_CLOSE(sum, want_sum);
  CHECK_CLOSE(creal(turns), want_halves);
  CHECK_CLOSE(cimag(turns), 2 * want_halves);
  CHECK_CLOSE(highest, want_highest);
}

static void arrays(void) {
  int bins[16] = {0}, want[16] = {0};
#pragma omp target teams num_teams(2) map(to : numbers) map(tofrom : bins)
#pragma omp distribute parallel for reduction(+ : bins)
  for (int i = 0; i < kCount; ++i) ++bins[numbers[i] & 15];
  for (int i = 0; i < kCount; ++i) ++want[numbers[i] & 15];
  for (int i = 0; i < 16; ++i) CHECK_EQUAL(bins[i], want[i]);
}

struct Extreme {
  int value, place;
};

#pragma omp declare target
static struct Extreme larger(struct Extreme a, struct Extreme b) {
  if (a.value != b.value) return a.value > b.value ? a : b;
  return a.place < b.place ? a : b;
}
#pragma omp end declare target

#pragma omp declare reduction(largest : struct Extreme : omp_out = larger(omp_out, omp_in)) \
    initializer(omp_priv = (struct Extreme){INT_MIN, INT_MAX})

static void own_operator(void) {
  struct Extreme best = {INT_MIN, INT_MAX}, want = best;
#pragma omp target teams distribute parallel for num_teams(3) map(to : numbers) map(tofrom : best) \
    reduction(largest : best)
  for (int i = 0; i < kCount; ++i) best = larger(best, (struct Extreme){numbers[i], i});
  for (int i = 0; i < kCount; ++i) want = larger(want, (struct Extreme){numbers[i], i});
  CHECK_EQUAL(best.value, want.value);
  CHECK_EQUAL(best.place, want.place);
}

static void scan(void) {
  static long sums[kCount];
  long sum = 0;
#pragma omp target map(to : numbers) map(from : sums) map(tofrom : sum)
#pragma omp parallel for reduction(inscan, + : sum) num_threads(8)
  for (int i = 0; i < kCount; ++i) {
    sum += numbers[i];
#pragma omp scan inclusive(sum)
    sums[i] = sum;
  }
  long want = 0;
  for (int i = 0; i < kCount; ++i) {
    want += numbers[i];
    CHECK_EQUAL(sums[i], want);
  }
}

// A reduction within each team, another one over the teams.
static void nested(void) {
  long total = 0;
#pragma omp target teams num_teams(4) reduction(+ : total) map(tofrom : total)
  {
    long team = 0;
#pragma omp parallel for reduction(+ : team) num_threads(5)
    for (int i = 0; i < 100; ++i) team += i;
    total += team * (omp_get_team_num() + 1);
  }
  CHECK_EQUAL(total, 4950 * (1 + 2 + 3 + 4));
}

int main(void) {
  unsigned random = 1;
  for (int i = 0; i < kCount; ++i) {
    random = random * 1664525u + 1013904223u;
    numbers[i] = (int)(random >> 13) - 200000;
    halves[i] = i / 2.0;
  }
  integers();
  floating();
  arrays();
  own_operator();
  scan();
  nested();
  return verdict();
}
