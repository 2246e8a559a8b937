// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// OpenMP: the ways to spread a loop over teams and threads.
//
// options: -fopenmp
// launches: 8
#include <omp.h>

#include "check.h"

enum { kCount = 5000, kRows = 37, kColumns = 53 };

static void whole_device(void) {
  static int squares[kCount], on_host[kCount];
#pragma omp target teams distribute parallel for map(from : squares, on_host)
  for (int i = 0; i < kCount; ++i) {
    squares[i] = i * i;
    on_host[i] = omp_is_initial_device();
  }
  for (int i = 0; i < kCount; ++i) {
    CHECK_EQUAL(squares[i], i * i);
    CHECK_EQUAL(on_host[i], 0);
  }
}

// Chunks are distributed to teams, their iterations cyclically to threads: each iteration is done
// once, by the right thread.
static void two_levels(void) {
  static int team[kCount], thread[kCount], done[kCount];
  int teams = 0, threads = 0;
#pragma omp target teams num_teams(5) thread_limit(4) map(from : team, thread, teams, threads) \
    map(tofrom : done)
  {
#pragma omp distribute dist_schedule(static, 1)
    for (int block = 0; block < kCount; block += 100) {
#pragma omp parallel for schedule(static, 1) num_threads(4)
      for (int i = block; i < block + 100; ++i) {
        team[i] = omp_get_team_num();
        thread[i] = omp_get_thread_num();
        ++done[i];
        if (i == 0) {
          teams = omp_get_num_teams();
          threads = omp_get_num_threads();
        }
      }
    }
  }
  CHECK_EQUAL(teams, 5);
  CHECK_EQUAL(threads, 4);
  int highest_team = 0;
  for (int i = 0; i < kCount; ++i) {
    CHECK_EQUAL(done[i], 1);
    CHECK_EQUAL(thread[i], i % 100 % 4);
    CHECK_EQUAL(team[i], team[i / 100 * 100]);
    if (team[i] > highest_team) highest_team = team[i];
  }
  CHECK_EQUAL(highest_team, 4);
}

static void collapsed(void) {
  static double a[kRows][kColumns], b[kColumns][kRows];
  for (int i = 0; i < kRows; ++i)
    for (int j = 0; j < kColumns; ++j) a[i][j] = i + j / 64.0;
#pragma omp target teams distribute parallel for simd collapse(2) num_teams(4) map(to : a) \
    map(from : b)
  for (int j = 0; j < kColumns; ++j)
    for (int i = 0; i < kRows; ++i) b[j][i] = 2 * a[i][j];
  for (int i = 0; i < kRows; ++i)
    for (int j = 0; j < kColumns; ++j) CHECK_CLOSE(b[j][i], 2 * (i + j / 64.0));
}

static long triangle(int n) { return (long)n * (n + 1) / 2; }
#pragma omp declare target to(triangle)

// Uneven work with dynamic schedules.
static void schedules(void) {
  static long sums[3][kCount];
#pragma omp target map(from : sums)
#pragma omp parallel num_threads(6)
  {
#pragma omp for schedule(dynamic, 7) nowait
    for (int i = 0; i < kCount; ++i) sums[0][i] = triangle(i);
#pragma omp for schedule(guided) nowait
    for (int i = kCount - 1; i >= 0; i -= 1) sums[1][i] = triangle(i);
#pragma omp for schedule(runtime)
    for (int i = 0; i < kCount; ++i) sums[2][i] = triangle(i);
  }
  for (int k = 0; k < 3; ++k)
    for (int i = 0; i < kCount; ++i) CHECK_EQUAL(sums[k][i], triangle(i));
}

static void ordered_and_lastprivate(void) {
  int order[100], next = 0, last = -1;
#pragma omp target map(from : order) map(tofrom : next, last)
#pragma omp parallel for ordered schedule(static, 1) lastprivate(last) num_threads(8)
  for (int i = 0; i < 100; ++i) {
    last = 3 * i;
#pragma omp ordered
    order[next++] = i;
  }
  CHECK_EQUAL(next, 100);
  CHECK_EQUAL(last, 297);
  for (int i = 0; i < 100; ++i) CHECK_EQUAL(order[i], i);
}

// Threads of a team exchange values through memory that the team shares.
static void barriers(void) {
  int sums[8], sections = 0, singles = 0;
#pragma omp target map(from : sums) map(tofrom : sections, singles)
  {
    int shared[8];
#pragma omp parallel num_threads(8)
    {
      const int me = omp_get_thread_num();
      shared[me] = me + 1;
      for (int step = 1; step < 8; step *= 2) {
#pragma omp barrier
        const int left = me >= step ? shared[me - step] : 0;
#pragma omp barrier
        shared[me] += left;
      }
      sums[me] = shared[me];
#pragma omp single
      ++singles;
#pragma omp sections
      {
#pragma omp section
#pragma omp atomic
        sections += 1;
#pragma omp section
#pragma omp atomic
        sections += 10;
      }
    }
  }
  for (int i = 0; i < 8; ++i) CHECK_EQUAL(sums[i], triangle(i + 1));
  CHECK_EQUAL(singles, 1);
  CHECK_EQUAL(sections, 11);
}

static void loop_construct(void) {
  static float x[kCount], y[kCount];
  for (int i = 0; i < kCount; ++i) x[i] = i, y[i] = 1;
#pragma omp target teams loop num_teams(3) map(to : x) map(tofrom : y)
  for (int i = 0; i < kCount; ++i) y[i] += 0.5f * x[i];
  for (int i = 0; i < kCount; ++i) CHECK_CLOSE(y[i], 1 + 0.5 * i);
}

static void conditional(void) {
  int where[2] = {-1, -1};
  for (int device = 0; device < 2; ++device) {
#pragma omp target if (device) map(from : where[device : 1])
    where[device] = omp_is_initial_device();
  }
  CHECK_EQUAL(where[0], 1);
  CHECK_EQUAL(where[1], 0);
}

int main(void) {
  whole_device();
  two_levels();
  collapsed();
  schedules();
  ordered_and_lastprivate();
  barriers();
  loop_construct();
  conditional();
  return verdict();
}
