// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// OpenACC: parallel, kernels and serial regions; loops over gangs, workers and vectors.
//
// options: -fopenacc
// launches: 7
#include <openacc.h>

#include "check.h"

enum { kCount = 4000, kRows = 40, kColumns = 50 };

static void kernels(void) {
  static float a[kCount], b[kCount];
  for (int i = 0; i < kCount; ++i) a[i] = i;
#pragma acc kernels copyin(a) copyout(b)
  {
#pragma acc loop independent
    for (int i = 0; i < kCount; ++i) b[i] = 2 * a[i];
#pragma acc loop independent
    for (int i = 0; i < kCount; ++i) b[i] += 1;
  }
  for (int i = 0; i < kCount; ++i) CHECK_CLOSE(b[i], 2 * i + 1);
}

static void parallel(void) {
  static int squares[kCount], on_device[kCount];
#pragma acc parallel loop gang vector num_gangs(6) vector_length(64) copyout(squares, on_device)
  for (int i = 0; i < kCount; ++i) {
    squares[i] = i * i;
    on_device[i] = acc_on_device(acc_device_nvidia) && !acc_on_device(acc_device_host);
  }
  for (int i = 0; i < kCount; ++i) {
    CHECK_EQUAL(squares[i], i * i);
    CHECK_EQUAL(on_device[i], 1);
  }
}

static void three_levels(void) {
  static int x[8][16][70];
#pragma acc parallel num_gangs(5) num_workers(4) vector_length(32) copyout(x)
#pragma acc loop gang
  for (int i = 0; i < 8; ++i) {
    int base = 10000 * i;
#pragma acc loop worker
    for (int j = 0; j < 16; ++j) {
      const int row = base + 100 * j;
#pragma acc loop vector
      for (int k = 0; k < 70; ++k) x[i][j][k] = row + k;
    }
  }
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 16; ++j)
      for (int k = 0; k < 70; ++k) CHECK_EQUAL(x[i][j][k], 10000 * i + 100 * j + k);
}

static void matrices(void) {
  static double a[kRows][kColumns], b[kColumns][kRows], c[kRows][kRows];
  for (int i = 0; i < kRows; ++i)
    for (int j = 0; j < kColumns; ++j) a[i][j] = i - j, b[j][i] = i + 2 * j;
#pragma acc parallel loop collapse(2) copyin(a, b) copyout(c) num_gangs(8)
  for (int i = 0; i < kRows; ++i)
    for (int j = 0; j < kRows; ++j) {
      double sum = 0;
#pragma acc loop seq
      for (int k = 0; k < kColumns; ++k) sum += a[i][k] * b[k][j];
      c[i][j] = sum;
    }
  for (int i = 0; i < kRows; ++i)
    for (int j = 0; j < kRows; ++j) {
      double sum = 0;
      for (int k = 0; k < kColumns; ++k) sum += a[i][k] * b[k][j];
      CHECK_CLOSE(c[i][j], sum);
    }
}

static void serial(void) {
  int fibonacci[40];
#pragma acc serial copyout(fibonacci)
  {
    fibonacci[0] = 0;
    fibonacci[1] = 1;
    for (int i = 2; i < 40; ++i) fibonacci[i] = fibonacci[i - 1] + fibonacci[i - 2];
  }
  CHECK_EQUAL(fibonacci[39], 63245986);
}

// Variables that are private to a gang, a worker, a lane; firstprivate variables.
static void privacy(void) {
  static int out[32][64];
  int start = 5, buffer[4];
#pragma acc parallel num_gangs(4) num_workers(2) vector_length(32) firstprivate(start) copyout(out)
#pragma acc loop gang private(buffer)
  for (int i = 0; i < 32; ++i) {
    for (int k = 0; k < 4; ++k) buffer[k] = start + i * k;
    start += 0;
#pragma acc loop worker vector
    for (int j = 0; j < 64; ++j) {
      int mine = buffer[j % 4];
      mine += j;
      out[i][j] = mine;
    }
  }
  for (int i = 0; i < 32; ++i)
    for (int j = 0; j < 64; ++j) CHECK_EQUAL(out[i][j], 5 + i * (j % 4) + j);
}

static void conditional(void) {
  int where[2];
  for (int device = 0; device < 2; ++device) {
    int here = 0;
#pragma acc parallel if (device) copyout(here)
    here = acc_on_device(acc_device_nvidia) ? 1 : acc_on_device(acc_device_host) ? 2 : 3;
    where[device] = here;
  }
  CHECK_EQUAL(where[0], 2);
  CHECK_EQUAL(where[1], 1);
}

int main(void) {
  CHECK_EQUAL(acc_get_num_devices(acc_device_nvidia) > 0, 1);
  kernels();
  parallel();
  three_levels();
  matrices();
  serial();
  privacy();
  conditional();
  return verdict();
}
