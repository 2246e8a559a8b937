// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A stand-in for the vendor's driver, which finds no device.
int cuInit(unsigned flags) {
  (void)flags;
  return 100;
}
