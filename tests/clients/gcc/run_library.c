// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C library and the maths library on the device, under nvptx-none-run. The expected
// lines are what a host prints.
//
// run: nvptx-none-run
// expect: sorted: -7 -1 0 2 3 9 11 20
// expect: words: the|quick|brown|fox
// expect: sum of squares 1 to 100: 338350, hex 0x529ae
// expect: 0.500000 1.4142135624 2.7182818285 -0.8390715291 1024.0
// expect: 123 -456 78
// expect: tree 1..31 in order, depth 5
// expect: exiting
// status: 3
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct Tree {
  struct Tree *left, *right;
  int key;
};

static int ascending(const void* a, const void* b) { return *(const int*)a - *(const int*)b; }

static struct Tree* build(int low, int high) {
  if (low > high) return NULL;
  struct Tree* tree = malloc(sizeof *tree);
  tree->key = (low + high) / 2;
  tree->left = build(low, tree->key - 1);
  tree->right = build(tree->key + 1, high);
  return tree;
}

static int depth(const struct Tree* tree) {
  if (!tree) return 0;
  const int left = depth(tree->left), right = depth(tree->right);
  return 1 + (left > right ? left : right);
}

static int in_order(const struct Tree* tree, int next) {
  if (!tree) return next;
  next = in_order(tree->left, next);
  if (next != tree->key) abort();
  return in_order(tree->right, next + 1);
}

int main(void) {
  int numbers[] = {3, -7, 20, 0, 11, -1, 9, 2};
  qsort(numbers, 8, sizeof numbers[0], ascending);
  printf("sorted:");
  for (int i = 0; i < 8; ++i) printf(" %d", numbers[i]);
  printf("\nwords: ");

  char text[] = "the quick brown fox";
  const char* separator = "";
  for (char* word = strtok(text, " "); word; word = strtok(NULL, " ")) {
    printf("%s%s", separator, word);
    separator = "|";
  }
  long sum = 0;
  for (int i = 1; i <= 100; ++i) sum += (long)i * i;
  printf("\nsum of squares 1 to 100: %ld, hex %#lx\n", sum, sum);

  volatile double two = 2;
  printf("%f %.10f %.10f %.10f %.1f\n", 1 / two, sqrt(two), exp(two / 2), cos(5 * two),
         pow(two, 10));

  char* end;
  const long first = strtol("123abc", &end, 10);
  printf("%ld %d %lu\n", first, atoi("-456"), strtoul("4e", NULL, 16));

  struct Tree* tree = build(1, 31);
  printf("tree 1..%d in order, depth %d\n", in_order(tree, 1) - 1, depth(tree));
  puts("exiting");
  exit(3);
}
