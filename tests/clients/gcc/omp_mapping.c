// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// OpenMP: copies to the device and back.
//
// options: -fopenmp
// launches: 12
#include <omp.h>
#include <stdlib.h>

#include "check.h"

enum { kCount = 1000 };

static void map_types(void) {
  int to[kCount], from[kCount], both[kCount], scratch[kCount];
  for (int i = 0; i < kCount; ++i) to[i] = i, from[i] = -1, both[i] = 2 * i, scratch[i] = -7;
#pragma omp target map(to : to) map(from : from) map(tofrom : both) map(alloc : scratch)
  {
    const int on_host = omp_is_initial_device();
    for (int i = 0; i < kCount; ++i) {
      scratch[i] = to[i] + both[i] + on_host;
      to[i] = 0;
      from[i] = scratch[i];
      both[i] = -scratch[i];
    }
  }
  for (int i = 0; i < kCount; ++i) {
    CHECK_EQUAL(to[i], i);
    CHECK_EQUAL(from[i], 3 * i);
    CHECK_EQUAL(both[i], -3 * i);
    CHECK_EQUAL(scratch[i], -7);
  }
}

// Data stay on the device between regions; `update` copies what it names.
static void data_region(void) {
  double* x = malloc(kCount * sizeof *x);
  for (int i = 0; i < kCount; ++i) x[i] = i;
#pragma omp target data map(tofrom : x[0 : kCount])
  {
#pragma omp target teams distribute parallel for num_teams(2)
    for (int i = 0; i < kCount; ++i) x[i] += 1;
    CHECK_CLOSE(x[10], 10);
#pragma omp target update from(x[10 : 5])
    CHECK_CLOSE(x[9], 9);
    CHECK_CLOSE(x[10], 11);
    CHECK_CLOSE(x[14], 15);
    CHECK_CLOSE(x[15], 15);
    for (int i = 20; i < 30; ++i) x[i] = 1000;
#pragma omp target update to(x[20 : 5])
#pragma omp target teams distribute parallel for num_teams(2)
    for (int i = 0; i < kCount; ++i) x[i] *= 2;
  }
  for (int i = 0; i < kCount; ++i) CHECK_CLOSE(x[i], i >= 20 && i < 25 ? 2000 : 2 * (i + 1));
  free(x);
}

// Reference counts: the last `exit data` copies back.
static void enter_and_exit(void) {
  int *x = malloc(kCount * sizeof *x), total = 0, device = omp_get_default_device();
  for (int i = 0; i < kCount; ++i) x[i] = i;
  CHECK_EQUAL(omp_target_is_present(x, device), 0);
#pragma omp target enter data map(to : x[0 : kCount])
#pragma omp target enter data map(to : x[100 : 10])
  CHECK_EQUAL(omp_target_is_present(x + 999, device), 1);
  x[0] = 500;
#pragma omp target map(tofrom : x[0 : 10]) map(from : total)
  {
    total = x[0] + x[999];
    x[1] = 77;
  }
  CHECK_EQUAL(total, 999);
  CHECK_EQUAL(x[1], 1);
#pragma omp target map(always, tofrom : x[0 : 10]) map(from : total)
  total = x[0] + x[1]++;
  CHECK_EQUAL(total, 501);
  CHECK_EQUAL(x[1], 2);
#pragma omp target exit data map(from : x[100 : 10])
  CHECK_EQUAL(omp_target_is_present(x, device), 1);
#pragma omp target
  x[2] = 88;
#pragma omp target exit data map(from : x[0 : kCount])
  CHECK_EQUAL(omp_target_is_present(x, device), 0);
  CHECK_EQUAL(x[2], 88);
#pragma omp target enter data map(alloc : x[0 : kCount])
#pragma omp target exit data map(delete : x[0 : kCount])
  CHECK_EQUAL(omp_target_is_present(x, device), 0);
  free(x);
}

struct Node {
  int value;
  struct Node* next;
  int count;
  float* items;
};

// Structures whose pointers are to become the device's.
static void pointers_inside(void) {
  float items[20];
  struct Node node = {5, NULL, 20, items};
  for (int i = 0; i < 20; ++i) items[i] = i;
  float sum = 0;
#pragma omp target map(to : node) map(tofrom : node.items[0 : 20], sum)
  for (int i = 0; i < node.count; ++i) {
    sum += node.items[i];
    node.items[i] += node.value;
  }
  CHECK_CLOSE(sum, 190);
  for (int i = 0; i < 20; ++i) CHECK_CLOSE(items[i], i + 5);
}

// A list that is built on the device, in memory allocated there, and read in another region.
static void device_heap(void) {
  struct Node* list = NULL;
  long sum = 0;
#pragma omp target map(tofrom : list)
  for (int i = 1; i <= 50; ++i) {
    struct Node* node = malloc(sizeof *node);
    *node = (struct Node){i, list, 0, NULL};
    list = node;
  }
#pragma omp target map(from : sum) firstprivate(list)
  {
    sum = 0;
    while (list) {
      struct Node* next = list->next;
      sum = 3 * sum + list->value;
      free(list);
      list = next;
    }
    sum &= 0xffffff;
  }
  long want = 0;
  for (int i = 50; i > 0; --i) want = 3 * want + i;
  CHECK_EQUAL(sum, want & 0xffffff);
}

static void scalars(void) {
  int copied = 7, private = 9, mapped = 11, result = 0;
  int length = 5, variable[length];
  for (int i = 0; i < length; ++i) variable[i] = i;
#pragma omp target firstprivate(copied) private(private) map(tofrom : mapped, result)
  {
    private = copied + 1;
    copied = 100;
    mapped += private;
    result = variable[4] * 1000 + omp_get_device_num() - omp_get_default_device();
  }
  CHECK_EQUAL(copied, 7);
  CHECK_EQUAL(private, 9);
  CHECK_EQUAL(mapped, 19);
  CHECK_EQUAL(result, 4000);
#pragma omp target defaultmap(tofrom : scalar)
  copied += 1;
  CHECK_EQUAL(copied, 8);
}

// Device pointers: explicit allocation, and addresses of mapped data.
static void device_pointers(void) {
  const int device = omp_get_default_device(), host = omp_get_initial_device();
  int here[kCount], back[kCount];
  for (int i = 0; i < kCount; ++i) here[i] = 3 * i, back[i] = 0;
  int* there = omp_target_alloc(sizeof here, device);
  CHECK_EQUAL(omp_target_memcpy(there, here, sizeof here, 0, 0, device, host), 0);
#pragma omp target teams distribute parallel for is_device_ptr(there) num_teams(2)
  for (int i = 0; i < kCount; ++i) there[i] += i;
  CHECK_EQUAL(omp_target_memcpy(back, there, sizeof here / 2, 0, sizeof here / 2, host, device), 0);
  for (int i = 0; i < kCount / 2; ++i) CHECK_EQUAL(back[i], 4 * (i + kCount / 2));
  CHECK_EQUAL(back[kCount / 2], 0);
  const size_t volume[2] = {3, 2}, zero[2] = {0, 1}, shape[2] = {10, 10}, narrow[2] = {3, 4};
  CHECK_EQUAL(omp_target_memcpy_rect(back, there, sizeof(int), 2, volume, zero, zero, narrow, shape,
                                     host, device),
              0);
  CHECK_EQUAL(back[1], 4);
  CHECK_EQUAL(back[6], 4 * 12);
  CHECK_EQUAL(back[10], 4 * 22);
  omp_target_free(there, device);
#pragma omp target data map(tofrom : here) use_device_addr(here)
  {
    int* const address = here;
    CHECK_EQUAL(omp_target_memcpy(address, back, 4 * sizeof(int), 8, 0, device, host), 0);
  }
  CHECK_EQUAL(here[1], 3);
  CHECK_EQUAL(here[2], back[0]);
  CHECK_EQUAL(here[3], back[1]);
}

int main(void) {
  map_types();
  data_region();
  enter_and_exit();
  pointers_inside();
  device_heap();
  scalars();
  device_pointers();
  return verdict();
}
