// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The checks of the programs of this folder: a line on stderr for each check that fails, and the
// exit status.
#ifndef CHECK_H
#define CHECK_H

#include <math.h>
#include <stdio.h>

static int failures = 0;

#define CHECK_EQUAL(got, want) \
  check_integer(__FILE__, __LINE__, #got, (long long)(got), (long long)(want))
#define CHECK_CLOSE(got, want) check_number(__FILE__, __LINE__, #got, (got), (want))

static inline void check_integer(const char* file, int line, const char* what, long long got,
                                 long long want) {
  if (got == want) return;
  if (++failures <= 10)
    fprintf(stderr, "%s:%d: %s is %lld, not %lld\n", file, line, what, got, want);
}

// Equal to twelve digits: the device adds in a different order.
static inline void check_number(const char* file, int line, const char* what, double got,
                                double want) {
  if (fabs(got - want) <= 1e-12 * fabs(want)) return;
  if (++failures <= 10)
    fprintf(stderr, "%s:%d: %s is %.17g, not %.17g\n", file, line, what, got, want);
}

// The exit status for main.
static inline int verdict(void) {
  puts(failures ? "wrong" : "right");
  return failures != 0;
}

#endif
