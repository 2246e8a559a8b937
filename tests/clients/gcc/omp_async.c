// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// OpenMP: regions that run in parallel with the host (nowait) and wait for each other (depend);
// several host threads that use the device at once; tasks on the device.
//
// options: -fopenmp
// launches: 13
#include <omp.h>

#include "check.h"

enum { kCount = 256 };

static void chain(void) {
  static int x[kCount], y[kCount], sum;
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp target enter data map(alloc : x, y) nowait depend(out : x, y)
#pragma omp target nowait depend(inout : x)
    for (int i = 0; i < kCount; ++i) x[i] = i + omp_is_initial_device();
#pragma omp target nowait depend(in : x) depend(out : y)
    for (int i = 0; i < kCount; ++i) y[i] = 2 * x[i];
#pragma omp target nowait depend(in : y) depend(out : sum) map(from : sum)
    {
      sum = 0;
      for (int i = 0; i < kCount; ++i) sum += y[i];
    }
#pragma omp task depend(inout : sum)
    sum += 1;
#pragma omp target exit data map(from : x, y) nowait depend(inout : x, y, sum)
#pragma omp taskwait
  }
  CHECK_EQUAL(sum, kCount * (kCount - 1) + 1);
  for (int i = 0; i < kCount; ++i) CHECK_EQUAL(y[i], 2 * i);
}

static void many_host_threads(void) {
  int results[8];
#pragma omp parallel for num_threads(4)
  for (int k = 0; k < 8; ++k) {
    int sum = 0;
#pragma omp target teams distribute parallel for reduction(+ : sum) map(tofrom : sum) num_teams(2)
    for (int i = 0; i < kCount; ++i) sum += k * i + 1000 * omp_is_initial_device();
    results[k] = sum;
  }
  for (int k = 0; k < 8; ++k) CHECK_EQUAL(results[k], k * kCount * (kCount - 1) / 2);
}

#pragma omp declare target
static int fibonacci(int n) {
  int a, b;
  if (n < 2) return n;
#pragma omp task shared(a) if (n > 5)
  a = fibonacci(n - 1);
  b = fibonacci(n - 2);
#pragma omp taskwait
  return a + b;
}
#pragma omp end declare target

static void device_tasks(void) {
  int result = 0, loop = 0;
#pragma omp target map(from : result) map(tofrom : loop)
#pragma omp parallel num_threads(4)
#pragma omp single
  {
    result = fibonacci(10);
#pragma omp taskloop grainsize(8)
    for (int i = 0; i < 64; ++i) {
#pragma omp atomic
      loop += i;
    }
  }
  CHECK_EQUAL(result, 55);
  CHECK_EQUAL(loop, 2016);
}

static void beside_the_host(void) {
  int theirs = 0, ours = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp target nowait map(tofrom : theirs)
    for (int i = 0; i < kCount; ++i) theirs += i;
    for (int i = 0; i < kCount; ++i) ours += i;
#pragma omp taskwait
  }
  CHECK_EQUAL(theirs, ours);
}

int main(void) {
  chain();
  many_host_threads();
  device_tasks();
  beside_the_host();
  return verdict();
}
