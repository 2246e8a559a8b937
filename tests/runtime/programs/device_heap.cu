// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// new and delete in kernels, virtual functions, recursion, function pointers, dynamic shared memory
// beyond the default limit.
//
// compiler: nvcc clang-cuda
// expect: shapes 34, factorial 3628800, pointer 49, shared 25000
#include <cstdio>
#include <new>

#define CHECK(call)                                                    \
  if (cudaError_t error = (call)) {                                    \
    std::printf("line %d: %s\n", __LINE__, cudaGetErrorString(error)); \
    return 1;                                                          \
  }

struct Shape {
  __device__ virtual int area() const = 0;
  __device__ virtual ~Shape() {}
};
struct Square : Shape {
  int side;
  __device__ explicit Square(int side) : side(side) {}
  __device__ int area() const override { return side * side; }
};
struct Box : Shape {
  int a, b;
  __device__ Box(int a, int b) : a(a), b(b) {}
  __device__ int area() const override { return a * b; }
};

__device__ __noinline__ int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }
__device__ int square(int x) { return x * x; }
__device__ int (*function)(int) = square;

__global__ void work(int* out) {
  Shape* shapes[2] = {new Square(2), new Box(5, 6)};
  int sum = 0;
  for (Shape* shape : shapes) {
    sum += shape->area();
    delete shape;
  }
  atomicMax(&out[0], sum);
  out[1] = factorial(10);
  out[2] = function(7);
}

__global__ void large(int* out) {
  extern __shared__ int shared[];
  for (int i = threadIdx.x; i < 25000; i += blockDim.x) shared[i] = 1;
  __syncthreads();
  int sum = 0;
  for (int i = threadIdx.x; i < 25000; i += blockDim.x) sum += shared[24999 - i];
  atomicAdd(&out[3], sum);
}

int main() {
  int* out = nullptr;
  CHECK(cudaMallocManaged(&out, 4 * sizeof(int)));
  CHECK(cudaMemset(out, 0, 4 * sizeof(int)));
  CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 32 << 20));
  work<<<2, 64>>>(out);
  CHECK(cudaFuncSetAttribute(large, cudaFuncAttributeMaxDynamicSharedMemorySize, 100000));
  if (cudaFuncSetAttribute(large, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 30) ==
      cudaSuccess)
    return 1;
  cudaGetLastError();
  large<<<1, 256, 100000>>>(out);
  CHECK(cudaDeviceSynchronize());
  std::printf("shapes %d, factorial %d, pointer %d, shared %d\n", out[0], out[1], out[2], out[3]);
}
