// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels in plain C for the nvptx64 target, with no CUDA at all: a kernel is a function with an
// attribute, special registers are builtins, shared memory is an address space.
#define KERNEL __attribute__((nvptx_kernel))
#define SHARED __attribute__((address_space(3)))
#define GLOBAL __attribute__((address_space(1)))

static int thread_index(void) {
  return __nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() +
         __nvvm_read_ptx_sreg_tid_x();
}

KERNEL void c_iota(int* out, int n, int start) {
  int i = thread_index();
  if (i < n) out[i] = start + i;
}

SHARED static unsigned tile[256];

// Each block of up to 256 threads rotates its part by `by`, through global pointers.
KERNEL void c_rotate(GLOBAL const unsigned* in, GLOBAL unsigned* out, unsigned by) {
  unsigned thread = __nvvm_read_ptx_sreg_tid_x();
  unsigned threads = __nvvm_read_ptx_sreg_ntid_x();
  tile[thread] = in[thread_index()];
  __syncthreads();
  out[thread_index()] = tile[(thread + by) % threads];
}

struct Complex {
  double re, im;
};

__attribute__((noinline)) static struct Complex multiplied(struct Complex a, struct Complex b) {
  struct Complex product = {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  return product;
}

// A structure by value as argument and as result of a function.
KERNEL void c_powers(struct Complex base, struct Complex* out, int n) {
  int i = thread_index();
  if (i >= n) return;
  struct Complex power = {1, 0};
  for (int k = 0; k < i % 10; ++k) power = multiplied(power, base);
  out[i] = power;
}
