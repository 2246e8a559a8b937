// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// OpenACC: data on the device and the time of copies; queues (async, wait).
//
// options: -fopenacc
// launches: 15
#include <openacc.h>
#include <stdlib.h>

#include "check.h"

enum { kCount = 2000 };

static void region(void) {
  int in[kCount], out[kCount], both[kCount], scratch[kCount];
  for (int i = 0; i < kCount; ++i) in[i] = i, out[i] = -1, both[i] = 2 * i, scratch[i] = -7;
#pragma acc data copyin(in) copyout(out) copy(both) create(scratch)
  {
#pragma acc parallel loop present(in, both, scratch) num_gangs(2)
    for (int i = 0; i < kCount; ++i) scratch[i] = in[i] + both[i];
#pragma acc parallel loop present(out, both, scratch) num_gangs(2)
    for (int i = 0; i < kCount; ++i) {
      out[i] = scratch[i];
      both[i] = -scratch[i] + !acc_on_device(acc_device_nvidia);
    }
    CHECK_EQUAL(out[5], -1);
#pragma acc update self(out[0 : 10])
    CHECK_EQUAL(out[5], 15);
    CHECK_EQUAL(out[10], -1);
    for (int i = 0; i < kCount; ++i) in[i] = 1;
#pragma acc update device(in[100 : 50])
#pragma acc parallel loop present(in, out) num_gangs(2)
    for (int i = 0; i < kCount; ++i) out[i] += in[i];
  }
  for (int i = 0; i < kCount; ++i) {
    CHECK_EQUAL(out[i], 3 * i + (i >= 100 && i < 150 ? 1 : i));
    CHECK_EQUAL(both[i], -3 * i);
    CHECK_EQUAL(scratch[i], -7);
  }
}

static void unstructured(void) {
  float* x = malloc(kCount * sizeof *x);
  for (int i = 0; i < kCount; ++i) x[i] = i;
  CHECK_EQUAL(acc_is_present(x, kCount * sizeof *x), 0);
#pragma acc enter data copyin(x[0 : kCount])
  CHECK_EQUAL(acc_is_present(x, kCount * sizeof *x), 1);
#pragma acc parallel loop present(x[0 : kCount]) num_gangs(2)
  for (int i = 0; i < kCount; ++i) x[i] *= 3;
  CHECK_CLOSE(x[10], 10);
#pragma acc exit data copyout(x[0 : kCount])
  CHECK_EQUAL(acc_is_present(x, kCount * sizeof *x), 0);
  for (int i = 0; i < kCount; ++i) CHECK_CLOSE(x[i], 3 * i);
#pragma acc enter data create(x[0 : kCount])
#pragma acc exit data delete (x[0 : kCount])
  CHECK_CLOSE(x[10], 30);
  free(x);
}

static int global[64];
#pragma acc declare create(global)

// By calls: GCC 12 drops the directive `update` of such a variable.
static void declared(void) {
  for (int i = 0; i < 64; ++i) global[i] = i;
  acc_update_device(global, sizeof global);
#pragma acc parallel loop num_gangs(1)
  for (int i = 0; i < 64; ++i) global[i] += 100;
  CHECK_EQUAL(global[63], 63);
  acc_update_self(global, sizeof global);
  for (int i = 0; i < 64; ++i) CHECK_EQUAL(global[i], i + 100);
}

static void by_hand(void) {
  int here[kCount], back[kCount];
  for (int i = 0; i < kCount; ++i) here[i] = i;
  int* there = acc_malloc(sizeof here);
  acc_memcpy_to_device(there, here, sizeof here);
#pragma acc parallel loop deviceptr(there) num_gangs(2)
  for (int i = 0; i < kCount; ++i) there[i] = kCount - there[i];
  acc_memcpy_from_device(back, there, sizeof here);
  for (int i = 0; i < kCount; ++i) CHECK_EQUAL(back[i], kCount - i);
#pragma acc data copy(here)
  {
    int* mapped = acc_deviceptr(here);
#pragma acc host_data use_device(here)
    CHECK_EQUAL(here == mapped, 1);
    CHECK_EQUAL(acc_hostptr(mapped) == here, 1);
    acc_memcpy_to_device(mapped, back, sizeof here / 2);
  }
  for (int i = 0; i < kCount; ++i) CHECK_EQUAL(here[i], i < kCount / 2 ? kCount - i : i);
  acc_free(there);
}

// Queues run in parallel; `wait` makes a queue wait for others.
static void queues(void) {
  static int x[4][kCount], total[kCount];
#pragma acc data create(x) copyout(total)
  {
    for (int queue = 0; queue < 4; ++queue) {
#pragma acc parallel loop async(queue) present(x) num_gangs(2)
      for (int i = 0; i < kCount; ++i) x[queue][i] = i;
#pragma acc parallel loop async(queue) present(x) num_gangs(2)
      for (int i = 0; i < kCount; ++i) x[queue][i] *= queue + 1;
    }
#pragma acc parallel loop async(5) wait(0, 1, 2, 3) present(x, total) num_gangs(2)
    for (int i = 0; i < kCount; ++i) total[i] = x[0][i] + x[1][i] + x[2][i] + x[3][i];
#pragma acc update self(x[2 : 1]) async(2)
#pragma acc wait(2)
    CHECK_EQUAL(acc_async_test(2), 1);
    for (int i = 0; i < kCount; ++i) CHECK_EQUAL(x[2][i], 3 * i);
#pragma acc wait
    CHECK_EQUAL(acc_async_test_all(), 1);
  }
  for (int i = 0; i < kCount; ++i) CHECK_EQUAL(total[i], 10 * i);
}

int main(void) {
  region();
  unstructured();
  declared();
  by_hand();
  queues();
  return verdict();
}
