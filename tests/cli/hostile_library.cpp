// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A library in folders where Heddle must not search for its own libraries: its constructor prints a
// message when it is loaded.
#include <unistd.h>

namespace {

[[gnu::constructor]] void run() {
  constexpr char kLine[] = "hostile code runs\n";
  if (write(STDERR_FILENO, kLine, sizeof kLine - 1) < 0) _exit(66);
}

}  // namespace
