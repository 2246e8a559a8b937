// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stands where Heddle's libraries might be looked for by mistake: to load it is to run it.
#include <unistd.h>

namespace {

[[gnu::constructor]] void run() {
  constexpr char kLine[] = "hostile code runs\n";
  if (write(STDERR_FILENO, kLine, sizeof kLine - 1) < 0) _exit(66);
}

}  // namespace
