// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Features of sm_90: clusters and their distributed shared memory, bulk copies whose bytes barrier
// objects count, and stores and reductions with such counts.
#include "barrier_object.h"

HEDDLE_INLINE unsigned cluster_rank() {
  unsigned rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}
HEDDLE_INLINE unsigned cluster_size() {
  unsigned size;
  asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
  return size;
}
HEDDLE_INLINE void cluster_sync() {
  asm volatile(
      "barrier.cluster.arrive.aligned;\n\t"
      "barrier.cluster.wait.aligned;"
      :
      :
      : "memory");
}
template <class T>
HEDDLE_INLINE T* in_block(T* pointer, unsigned rank) {
  unsigned long long result;
  asm volatile("mapa.u64 %0, %1, %2;" : "=l"(result) : "l"(pointer), "r"(rank));
  return (T*)result;
}
HEDDLE_INLINE unsigned shared_in_block(const void* pointer, unsigned rank) {
  unsigned result;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
               : "=r"(result)
               : "r"(shared_address(pointer)), "r"(rank));
  return result;
}
HEDDLE_INLINE void expect_bytes(unsigned long long* barrier, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
               :
               : "r"(shared_address(barrier)), "r"(bytes)
               : "memory");
}
HEDDLE_INLINE void barrier_wait(unsigned long long* barrier, unsigned parity) {
  unsigned done;
  do {
    asm volatile(
        "{\n\t"
        ".reg .pred p;\n\t"
        "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n\t"
        "selp.b32 %0, 1, 0, p;\n\t"
        "}"
        : "=r"(done)
        : "r"(shared_address(barrier)), "r"(parity)
        : "memory");
  } while (!done);
}
HEDDLE_INLINE void bulk_load(void* to, const void* from, unsigned bytes,
                             unsigned long long* barrier) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
      :
      : "r"(shared_address(to)), "l"(from), "r"(bytes), "r"(shared_address(barrier))
      : "memory");
}

// out[i] = 3 * in[i] through a ring of three buffers of 256 words, filled by bulk copies that
// thread 0 issues as buffers become free, and written back by bulk copies.
extern "C" __global__ void bulk_stream(const unsigned* in, unsigned* out, int chunks) {
  alignas(128) __shared__ unsigned buffer[3][256];
  alignas(128) __shared__ unsigned result[256];
  __shared__ unsigned long long full[3], empty[3];
  unsigned thread = threadIdx.x;
  if (thread == 0) {
    for (int i = 0; i < 3; ++i) {
      barrier_init(&full[i], 1);
      barrier_init(&empty[i], 256);
    }
    asm volatile("fence.mbarrier_init.release.cluster;" : : : "memory");
  }
  __syncthreads();
  in += blockIdx.x * chunks * 256;
  out += blockIdx.x * chunks * 256;
  auto fetch = [&](int chunk) {
    int slot = chunk % 3;
    barrier_wait(&empty[slot], (chunk / 3 & 1) ^ 1);
    expect_bytes(&full[slot], 1024);
    bulk_load(buffer[slot], in + chunk * 256, 512, &full[slot]);
    bulk_load(buffer[slot] + 128, in + chunk * 256 + 128, 512, &full[slot]);
  };
  if (thread == 0) {
    for (int chunk = 0; chunk < 2 && chunk < chunks; ++chunk) fetch(chunk);
  }
  for (int chunk = 0; chunk < chunks; ++chunk) {
    if (thread == 0 && chunk + 2 < chunks) fetch(chunk + 2);
    int slot = chunk % 3;
    barrier_wait(&full[slot], chunk / 3 & 1);
    result[thread] = 3 * buffer[slot][thread];
    barrier_arrive(&empty[slot]);
    asm volatile("fence.proxy.async.shared::cta;" : : : "memory");
    __syncthreads();
    if (thread == 0) {
      asm volatile(
          "cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 1024;\n\t"
          "cp.async.bulk.commit_group;\n\t"
          "cp.async.bulk.wait_group.read 0;"
          :
          : "l"(out + chunk * 256), "r"(shared_address(result))
          : "memory");
    }
    __syncthreads();
  }
  if (thread == 0) asm volatile("cp.async.bulk.wait_group 0;" : : : "memory");
}

#define REDUCE(operation, to)                                                                     \
  asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group." operation " [%0], [%1], 64;" \
               :                                                                                  \
               : "l"(to), "r"(shared_address(words))                                              \
               : "memory")

// Every block reduces its 64 bytes of `in` into each row of `out`, in a different way.
extern "C" __global__ void bulk_reduce(const unsigned* in, unsigned* out) {
  alignas(128) __shared__ unsigned words[16];
  if (threadIdx.x < 16) words[threadIdx.x] = in[blockIdx.x * 16 + threadIdx.x];
  asm volatile("fence.proxy.async.shared::cta;" : : : "memory");
  __syncthreads();
  if (threadIdx.x != 0) return;
  REDUCE("add.u32", out);
  REDUCE("min.s32", out + 16);
  REDUCE("max.u32", out + 32);
  REDUCE("and.b32", out + 48);
  REDUCE("or.b32", out + 64);
  REDUCE("xor.b64", out + 80);
  REDUCE("add.u64", out + 96);
  REDUCE("inc.u32", out + 112);
  asm volatile(
      "cp.async.bulk.commit_group;\n\t"
      "cp.async.bulk.wait_group 0;"
      :
      :
      : "memory");
}

// The sum of a cluster's inputs, in every thread of block 0 of the cluster: each block adds up its
// inputs, then block 0 reads the sums in the other blocks' shared memory.
extern "C" __global__ void cluster_reduce(const unsigned* in, unsigned* out) {
  __shared__ unsigned sum;
  unsigned cluster;
  asm volatile("mov.u32 %0, %%clusterid.x;" : "=r"(cluster));
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, in[blockIdx.x * blockDim.x + threadIdx.x]);
  cluster_sync();
  if (cluster_rank() == 0) {
    unsigned total = 0;
    for (unsigned rank = 0; rank < cluster_size(); ++rank) total += *in_block(&sum, rank);
    out[cluster * blockDim.x + threadIdx.x] = total;
  }
  cluster_sync();
}

// A histogram of bytes whose bins are spread over the blocks of the cluster.
extern "C" __global__ void cluster_histogram(const unsigned char* in, unsigned* bins, int count) {
  __shared__ unsigned mine[256];
  unsigned size = cluster_size(), each = 256 / size;
  for (unsigned i = threadIdx.x; i < each; i += blockDim.x) mine[i] = 0;
  cluster_sync();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
    unsigned bin = in[i];
    atomicAdd(in_block(&mine[bin % each], bin / each), 1u);
  }
  cluster_sync();
  for (unsigned i = threadIdx.x; i < each; i += blockDim.x) {
    atomicAdd(&bins[cluster_rank() * each + i], mine[i]);
  }
}

// Every block of the cluster sends each thread's word to the next block with st.async, and adds it
// to a word of the block after that one with red.async; barriers there count the bytes.
// out: the received words, then the sums.
extern "C" __global__ void send_around(const unsigned* in, unsigned* out) {
  __shared__ unsigned inbox[128], total;
  __shared__ unsigned long long stored, added;
  unsigned thread = threadIdx.x, rank = cluster_rank(), size = cluster_size();
  if (thread == 0) {
    total = 0;
    barrier_init(&stored, 1);
    barrier_init(&added, 1);
    expect_bytes(&stored, blockDim.x * 4);
    expect_bytes(&added, blockDim.x * 4);
  }
  cluster_sync();
  unsigned value = in[blockIdx.x * blockDim.x + thread];
  unsigned next = (rank + 1) % size, later = (rank + 2) % size;
  asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];"
               :
               : "r"(shared_in_block(&inbox[thread], next)), "r"(value),
                 "r"(shared_in_block(&stored, next))
               : "memory");
  asm volatile(
      "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%0], %1, "
      "[%2];"
      :
      : "r"(shared_in_block(&total, later)), "r"(value), "r"(shared_in_block(&added, later))
      : "memory");
  barrier_wait(&stored, 0);
  barrier_wait(&added, 0);
  out[2 * (blockIdx.x * blockDim.x + thread)] = inbox[thread];
  out[2 * (blockIdx.x * blockDim.x + thread) + 1] = total;
  cluster_sync();
}

// Block 0 of a cluster loads 256 bytes for the blocks that `mask` names; they wait for theirs, and
// then all arrive at a barrier of block 0, which waits for them with a time limit.
extern "C" __global__ void multicast(const unsigned* in, unsigned* out, unsigned short mask) {
  alignas(128) __shared__ unsigned words[64];
  __shared__ unsigned long long loaded, done;
  unsigned thread = threadIdx.x, rank = cluster_rank();
  words[thread] = 0xdead;
  if (thread == 0) {
    barrier_init(&loaded, 1);
    barrier_init(&done, cluster_size() * 64);
    if (mask >> rank & 1) expect_bytes(&loaded, 256);
  }
  cluster_sync();
  if (rank == 0 && thread == 0) {
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster"
        " [%0], [%1], 256, [%2], %3;"
        :
        : "r"(shared_address(words)), "l"(in + blockIdx.x / cluster_size() * 64),
          "r"(shared_address(&loaded)), "h"(mask)
        : "memory");
  }
  if (mask >> rank & 1) barrier_wait(&loaded, 0);
  out[blockIdx.x * 64 + thread] = words[thread];
  asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];"
               :
               : "r"(shared_in_block(&done, 0))
               : "memory");
  if (rank == 0) {
    unsigned waited;
    do {
      asm volatile(
          "{\n\t"
          ".reg .pred p;\n\t"
          "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], 0, 20;\n\t"
          "selp.b32 %0, 1, 0, p;\n\t"
          "}"
          : "=r"(waited)
          : "r"(shared_address(&done))
          : "memory");
    } while (!waited);
  }
  cluster_sync();
}

// The place of a block: all special registers of clusters, and the information of addresses.
extern "C" __global__ void where_am_i(unsigned* out) {
  __shared__ unsigned word;
  unsigned r[20];
  asm volatile("mov.u32 %0, %%clusterid.x;" : "=r"(r[0]));
  asm volatile("mov.u32 %0, %%clusterid.y;" : "=r"(r[1]));
  asm volatile("mov.u32 %0, %%nclusterid.x;" : "=r"(r[2]));
  asm volatile("mov.u32 %0, %%nclusterid.y;" : "=r"(r[3]));
  asm volatile("mov.u32 %0, %%cluster_ctaid.x;" : "=r"(r[4]));
  asm volatile("mov.u32 %0, %%cluster_ctaid.y;" : "=r"(r[5]));
  asm volatile("mov.u32 %0, %%cluster_nctaid.x;" : "=r"(r[6]));
  asm volatile("mov.u32 %0, %%cluster_nctaid.y;" : "=r"(r[7]));
  r[8] = cluster_rank();
  r[9] = cluster_size();
  asm volatile(
      "{\n\t"
      ".reg .pred p;\n\t"
      "mov.pred p, %%is_explicit_cluster;\n\t"
      "selp.b32 %0, 1, 0, p;\n\t"
      "}"
      : "=r"(r[10]));
  unsigned last = cluster_size() - 1;
  unsigned* remote = in_block(&word, last);
  asm volatile("getctarank.u64 %0, %1;" : "=r"(r[11]) : "l"(remote));
  asm volatile("getctarank.shared::cluster.u32 %0, %1;"
               : "=r"(r[12])
               : "r"(shared_in_block(&word, last)));
  asm volatile("getctarank.shared::cluster.u32 %0, %1;" : "=r"(r[13]) : "r"(shared_address(&word)));
#define IS(space, out, pointer)   \
  asm volatile(                   \
      "{\n\t"                     \
      ".reg .pred p;\n\t"         \
      "isspacep." space           \
      " p, %1;\n\t"               \
      "selp.b32 %0, 1, 0, p;\n\t" \
      "}"                         \
      : "=r"(out)                 \
      : "l"(pointer))
  IS("shared::cluster", r[14], remote);
  IS("shared::cta", r[15], remote);
  IS("shared::cluster", r[16], &word);
  IS("shared::cta", r[17], &word);
  IS("global", r[18], remote);
  // To the address in the cluster's window and back.
  unsigned long long generic;
  asm volatile(
      "{\n\t"
      ".reg .u64 a;\n\t"
      "cvta.to.shared::cluster.u64 a, %1;\n\t"
      "cvta.shared::cluster.u64 %0, a;\n\t"
      "}"
      : "=l"(generic)
      : "l"(remote));
  r[19] = generic == (unsigned long long)remote;
  unsigned block = blockIdx.x + gridDim.x * blockIdx.y;
  for (int i = 0; i < 20; ++i) out[block * 20 + i] = r[i];
}
