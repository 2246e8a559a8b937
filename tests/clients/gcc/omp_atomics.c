// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// OpenMP: atomic construct, critical sections, locks.
//
// options: -fopenmp -foffload-options=-lm -foffload-options=-latomic
// launches: 5
#include <omp.h>

#include "check.h"

enum { kCount = 4000, kBins = 13 };

static void histogram(void) {
  int bins[kBins] = {0}, on_host = 0;
  double sums[kBins] = {0};
  unsigned char bytes[kBins] = {0};
#pragma omp target teams distribute parallel for num_teams(6) \
    map(tofrom : bins, sums, bytes, on_host)
  for (int i = 0; i < kCount; ++i) {
    const int bin = i * 7 % kBins;
#pragma omp atomic
    ++bins[bin];
#pragma omp atomic update
    sums[bin] += 0.5 * i;
#pragma omp atomic
    bytes[bin] ^= (unsigned char)i;
#pragma omp atomic
    on_host += omp_is_initial_device();
  }
  CHECK_EQUAL(on_host, 0);
  for (int bin = 0; bin < kBins; ++bin) {
    int count = 0, byte = 0;
    double sum = 0;
    for (int i = 0; i < kCount; ++i) {
      if (i * 7 % kBins != bin) continue;
      ++count, sum += 0.5 * i, byte ^= i & 255;
    }
    CHECK_EQUAL(bins[bin], count);
    CHECK_CLOSE(sums[bin], sum);
    CHECK_EQUAL(bytes[bin], byte);
  }
}

// Each ticket is drawn once.
static void capture(void) {
  static int drawn[kCount];
  int next = 0;
  long long wide = 1;
#pragma omp target teams distribute parallel for num_teams(4) map(tofrom : drawn, next, wide)
  for (int i = 0; i < kCount; ++i) {
    int ticket;
#pragma omp atomic capture
    ticket = next++;
    ++drawn[ticket];
#pragma omp atomic
    wide += 1ll << 32;
  }
  CHECK_EQUAL(next, kCount);
  CHECK_EQUAL(wide, ((long long)kCount << 32) + 1);
  for (int i = 0; i < kCount; ++i) CHECK_EQUAL(drawn[i], 1);
}

static void compare(void) {
  int lowest = 1 << 30, highest = -1, taken = 0;
#pragma omp target teams distribute parallel for num_teams(3) map(tofrom : lowest, highest, taken)
  for (int i = 0; i < kCount; ++i) {
    const int value = (i * 37 + 11) % 4001;
#pragma omp atomic compare
    lowest = value < lowest ? value : lowest;
#pragma omp atomic compare
    highest = value > highest ? value : highest;
#pragma omp atomic compare
    if (taken == 0) {
      taken = 1000 + i;
    }
  }
  int want_lowest = 1 << 30, want_highest = -1;
  for (int i = 0; i < kCount; ++i) {
    const int value = (i * 37 + 11) % 4001;
    if (value < want_lowest) want_lowest = value;
    if (value > want_highest) want_highest = value;
  }
  CHECK_EQUAL(lowest, want_lowest);
  CHECK_EQUAL(highest, want_highest);
  CHECK_EQUAL(taken >= 1000 && taken < 1000 + kCount, 1);
}

// A value and its flag, from one thread of a team to another.
static void message(void) {
  int data = 0, flag = 0, seen = 0;
#pragma omp target map(tofrom : data, flag, seen)
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 0) {
      data = 42;
#pragma omp atomic write release
      flag = 1;
    } else {
      int ready = 0;
      while (!ready) {
#pragma omp atomic read acquire
        ready = flag;
      }
      seen = data;
    }
  }
  CHECK_EQUAL(seen, 42);
}

static void exclusion(void) {
  long a = 1, b = 0, counted = 0;
#pragma omp target map(tofrom : a, b, counted)
  {
    omp_lock_t lock;
    omp_init_lock(&lock);
#pragma omp parallel num_threads(8)
    for (int i = 0; i < 10; ++i) {
#pragma omp critical
      {
        const long next = (a + b) % 1000003;
        b = a;
        a = next;
      }
      omp_set_lock(&lock);
      counted += 3;
      omp_unset_lock(&lock);
    }
    omp_destroy_lock(&lock);
  }
  long want_a = 1, want_b = 0;
  for (int i = 0; i < 80; ++i) {
    const long next = (want_a + want_b) % 1000003;
    want_b = want_a;
    want_a = next;
  }
  CHECK_EQUAL(a, want_a);
  CHECK_EQUAL(b, want_b);
  CHECK_EQUAL(counted, 240);
}

int main(void) {
  histogram();
  capture();
  compare();
  message();
  exclusion();
  return verdict();
}
