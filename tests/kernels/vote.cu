// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Votes, matches and shuffles, by whole warps and under divergence with explicit masks.
#include "device.h"

constexpr int kResults = 6;

extern "C" __global__ void vote_whole_warp(const int* values, unsigned* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = values[i];
  unsigned* result = out + i * kResults;
  result[0] = __ballot_sync(~0u, v & 1);
  result[1] = __any_sync(~0u, v == 5) != 0;
  result[2] = __all_sync(~0u, v < 100) != 0;
  result[3] = __match_any_sync(~0u, (unsigned)(v & 7));
  result[4] = __match_any_sync(~0u, (unsigned long long)(v & 3) << 40);
  int all;
  unsigned mask = __match_all_sync(~0u, (unsigned)(v < 100), &all);
  result[5] = all ? mask : 0;
}

// Odd and even lanes vote separately; the mask comes from a ballot before the branch.
extern "C" __global__ void vote_in_branches(const int* values, unsigned* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned lane = threadIdx.x % 32;
  unsigned odd = __ballot_sync(~0u, lane & 1);
  unsigned result;
  if (lane & 1) {
    result = __ballot_sync(odd, values[i] > 50);
    result ^= __shfl_sync(odd, values[i], 31);
  } else if (lane % 4 == 0) {
    result = __match_any_sync(0x11111111u, (unsigned)values[i] % 3);
  } else {
    result = __shfl_down_sync(0x44444444u, values[i], 4);
  }
  out[i] = result;
}

// Lanes drop out of a loop one after the other; the last ones still vote among themselves.
extern "C" __global__ void vote_while_leaving(const int* rounds, unsigned* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned lane = threadIdx.x % 32;
  unsigned mask = ~0u;
  unsigned hash = 0;
  for (int round = 0;; ++round) {
    mask = __ballot_sync(mask, round < rounds[i]);
    if ((mask >> lane & 1) == 0) break;
    hash = hash * 31 + mask;
  }
  out[i] = hash;
}

// Shuffles of all modes with a lane operand that differs per lane, and within sub-warps.
extern "C" __global__ void shuffle_modes(const int* values, int* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int lane = threadIdx.x % 32;
  int v = values[i];
  out[i * 6 + 0] = __shfl_sync(~0u, v, lane * 5 + 1);
  out[i * 6 + 1] = __shfl_up_sync(~0u, v, lane % 4);
  out[i * 6 + 2] = __shfl_down_sync(~0u, v, 3);
  out[i * 6 + 3] = __shfl_xor_sync(~0u, v, 9, 16);
  out[i * 6 + 4] = __shfl_sync(~0u, v, 2, 8);
  out[i * 6 + 5] = __shfl_down_sync(~0u, v, 3, 8);
}

// One atomic per warp and distinct key: the leader of each group of equal keys adds for all.
extern "C" __global__ void aggregated_atomics(const unsigned* keys, unsigned* bins, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned present = __ballot_sync(~0u, i < n);
  if (i >= n) return;
  unsigned peers = __match_any_sync(present, keys[i]);
  unsigned lane = threadIdx.x % 32;
  if (lane == __ffs(peers) - 1) atomicAdd(&bins[keys[i]], (unsigned)__popc(peers));
}

// The active mask in uniform code is the whole warp; after the branch all lanes reconverge.
extern "C" __global__ void active_masks(unsigned* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned before = __activemask();
  unsigned inside = 0;
  if (threadIdx.x % 32 < 7) inside = __activemask();
  __syncwarp();
  out[i] = before ^ (inside << 1);
}
