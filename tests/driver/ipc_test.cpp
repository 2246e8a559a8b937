// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory, events and pools of another process. Driver API 6.13 (cuIpc*), 6.15. The other process is
// forked before this one has used the driver, and receives commands through a pipe.
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

#include "client.h"
#include "sockets.h"

namespace {

/// The answer of the exporting process: its handles.
struct Offer {
  CUipcMemHandle memory;
  CUipcEventHandle event;
  CUmemPoolPtrExportData pool_pointer;
  CUmemPoolPtrExportData host_pointer;  ///< of a pool of host memory
  bool good;
};

/// The exporting process. Its memory holds 1, 2, 3...; at 'w' it records its event after a wait
/// until word 0 becomes 100; at 'r' it sends word 1.
[[noreturn]] void serve(int socket) {
  CUcontext context = nullptr;
  CUdeviceptr memory = 0, pooled = 0;
  CUevent event = nullptr;
  CUmemoryPool pool = nullptr, host_pool = nullptr;
  CUdeviceptr on_host = 0;
  CUmemPoolProps properties{};
  properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.handleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  CUmemPoolProps host_properties = properties;
  host_properties.location = {CU_MEM_LOCATION_TYPE_HOST_NUMA, 0};
  int file = -1, host_file = -1;
  Offer offer{};
  offer.good =
      cuInit(0) == CUDA_SUCCESS && cuCtxCreate_v2(&context, 0, 0) == CUDA_SUCCESS &&
      cuMemAlloc_v2(&memory, 4096) == CUDA_SUCCESS &&
      cuEventCreate(&event, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING) == CUDA_SUCCESS &&
      cuMemPoolCreate(&pool, &properties) == CUDA_SUCCESS &&
      cuMemAllocFromPoolAsync(&pooled, 256, pool, nullptr) == CUDA_SUCCESS &&
      cuMemsetD32_v2(pooled, 42, 64) == CUDA_SUCCESS &&
      cuIpcGetMemHandle(&offer.memory, memory + 16) == CUDA_SUCCESS &&
      cuIpcGetEventHandle(&offer.event, event) == CUDA_SUCCESS &&
      cuMemPoolExportToShareableHandle(&file, pool, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0) ==
          CUDA_SUCCESS &&
      cuMemPoolExportPointer(&offer.pool_pointer, pooled + 4) == CUDA_SUCCESS &&
      cuMemPoolCreate(&host_pool, &host_properties) == CUDA_SUCCESS &&
      cuMemAllocFromPoolAsync(&on_host, 256, host_pool, nullptr) == CUDA_SUCCESS &&
      cuMemsetD32_v2(on_host, 43, 64) == CUDA_SUCCESS &&
      cuMemPoolExportToShareableHandle(
          &host_file, host_pool, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0) == CUDA_SUCCESS &&
      cuMemPoolExportPointer(&offer.host_pointer, on_host) == CUDA_SUCCESS;
  for (unsigned i = 0; i < 4; ++i) cuMemsetD32_v2(memory + 4 * i, i + 1, 1);
  cuCtxSynchronize();
  write(socket, &offer, sizeof offer);
  send_file(socket, file);
  send_file(socket, host_file);
  for (char command = 0; read(socket, &command, 1) == 1;) {
    unsigned word = 0;
    if (command == 'w') {
      cuStreamWaitValue32_v2(nullptr, memory, 100, CU_STREAM_WAIT_VALUE_EQ);
      cuEventRecord(event, nullptr);
    } else {
      cuMemcpyDtoH_v2(&word, memory + 4, 4);
    }
    write(socket, &word, sizeof word);
  }
  _exit(0);
}

class Ipc : public InContext {
 protected:
  static void SetUpTestSuite() {
    int sockets[2];
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
    child = fork();
    if (child == 0) {
      close(sockets[0]);
      serve(sockets[1]);
    }
    close(sockets[1]);
    peer = sockets[0];
    ASSERT_EQ(recv(peer, &offer, sizeof offer, MSG_WAITALL), static_cast<ssize_t>(sizeof offer));
    ASSERT_TRUE(offer.good);
    pool_file = receive_file(peer);
    host_pool_file = receive_file(peer);
  }
  static void TearDownTestSuite() {
    close(peer);
    waitpid(child, nullptr, 0);
  }
  static unsigned ask(char command) {
    unsigned answer = 0;
    EXPECT_EQ(write(peer, &command, 1), 1);
    EXPECT_EQ(read(peer, &answer, sizeof answer), static_cast<ssize_t>(sizeof answer));
    return answer;
  }

  static inline pid_t child = -1;
  static CUmemoryPool import(int file) {
    CUmemoryPool pool = nullptr;
    EXPECT_OK(cuMemPoolImportFromShareableHandle(&pool, reinterpret_cast<void*>(intptr_t{file}),
                                                 CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    return pool;
  }

  static inline int peer = -1, pool_file = -1, host_pool_file = -1;
  static inline Offer offer;
};

TEST_F(Ipc, MemoryIsTheSameInBothProcesses) {
  CUdeviceptr memory = 0, again = 0;
  ASSERT_OK(cuIpcOpenMemHandle_v2(&memory, offer.memory, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
  unsigned words[4] = {};
  ASSERT_OK(cuMemcpyDtoH_v2(words, memory, sizeof words));
  EXPECT_THAT(words, testing::ElementsAre(1, 2, 3, 4)) << "the whole allocation, from its start";
  EXPECT_OK(cuMemsetD32_v2(memory + 4, 1234, 1));
  EXPECT_OK(cuCtxSynchronize());
  EXPECT_EQ(ask('r'), 1234u);
  EXPECT_OK(cuIpcOpenMemHandle_v2(&again, offer.memory, 0));
  EXPECT_EQ(again, memory);
  EXPECT_EQ(cuMemsetD8_v2(memory, 0, 4097), CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(cuIpcCloseMemHandle(memory));
  EXPECT_OK(cuMemcpyDtoH_v2(words, memory, 4)) << "opened twice";
  EXPECT_OK(cuIpcCloseMemHandle(memory));
  EXPECT_EQ(cuMemcpyDtoH_v2(words, memory, 4), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuIpcCloseMemHandle(memory), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Ipc, EventOrdersProcesses) {
  CUevent event = nullptr;
  CUdeviceptr memory = 0;
  ASSERT_OK(cuIpcOpenEventHandle(&event, offer.event));
  ASSERT_OK(cuIpcOpenMemHandle_v2(&memory, offer.memory, 0));
  EXPECT_OK(cuEventQuery(event)) << "not recorded yet";
  ask('w');
  EXPECT_EQ(cuEventQuery(event), CUDA_ERROR_NOT_READY);
  CUstream stream = nullptr;
  ASSERT_OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  EXPECT_OK(cuStreamWaitEvent(stream, event, 0));
  EXPECT_EQ(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
  EXPECT_OK(cuMemsetD32_v2(memory, 100, 1));
  EXPECT_OK(cuStreamSynchronize(stream));
  EXPECT_OK(cuEventSynchronize(event));
  EXPECT_OK(cuEventQuery(event));
  EXPECT_OK(cuIpcCloseMemHandle(memory));
  EXPECT_OK(cuEventDestroy_v2(event));
}

TEST_F(Ipc, PointerOfAPool) {
  CUmemoryPool pool = nullptr;
  CUdeviceptr memory = 0, none = 0;
  ASSERT_OK(cuMemPoolImportFromShareableHandle(&pool, reinterpret_cast<void*>(intptr_t{pool_file}),
                                               CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
  ASSERT_OK(cuMemPoolImportPointer(&memory, pool, &offer.pool_pointer));
  unsigned word = 0;
  EXPECT_OK(cuMemcpyDtoH_v2(&word, memory, 4));
  EXPECT_EQ(word, 42u);
  EXPECT_EQ(cuMemAllocFromPoolAsync(&none, 16, pool, nullptr), CUDA_ERROR_INVALID_VALUE)
      << "an imported pool gives nothing";
}

TEST_F(Ipc, PoolsOfTheHost) {
  const CUmemoryPool pool = import(host_pool_file);
  CUdeviceptr memory = 0;
  ASSERT_OK(cuMemPoolImportPointer(&memory, pool, &offer.host_pointer));
  EXPECT_EQ(*reinterpret_cast<unsigned*>(memory), 43u) << "the host's";
  unsigned type = 0;
  CUmemoryPool its = nullptr;
  EXPECT_OK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, memory));
  EXPECT_EQ(type, static_cast<unsigned>(CU_MEMORYTYPE_HOST));
  EXPECT_OK(cuPointerGetAttribute(&its, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, memory));
  EXPECT_EQ(its, pool);
  EXPECT_OK(cuMemFree_v2(memory));
  EXPECT_EQ(cuMemFree_v2(memory), CUDA_ERROR_INVALID_VALUE);
}

// Programs try data on all their pools, and handles of all kinds, until one fits.
TEST_F(Ipc, WhatIsOfSomethingElseIsRefused) {
  const CUmemoryPool pool = import(pool_file), host = import(host_pool_file);
  CUdeviceptr memory = 0;
  EXPECT_EQ(cuMemPoolImportPointer(&memory, host, &offer.pool_pointer), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemPoolImportPointer(&memory, pool, &offer.host_pointer), CUDA_ERROR_INVALID_VALUE);
  CUmemPoolPtrExportData data{};
  EXPECT_EQ(cuMemPoolImportPointer(&memory, pool, &data), CUDA_ERROR_INVALID_VALUE);
  std::memcpy(&data, &offer.memory, sizeof data);
  EXPECT_EQ(cuMemPoolImportPointer(&memory, pool, &data), CUDA_ERROR_INVALID_VALUE);
  CUipcMemHandle handle{};
  std::memcpy(&handle, &offer.event, sizeof handle);
  EXPECT_EQ(cuIpcOpenMemHandle_v2(&memory, handle, 0), CUDA_ERROR_INVALID_HANDLE);
  std::memcpy(&handle, &offer.pool_pointer, sizeof handle);
  EXPECT_EQ(cuIpcOpenMemHandle_v2(&memory, handle, 0), CUDA_ERROR_INVALID_HANDLE);
  CUipcEventHandle event_handle{};
  CUevent event = nullptr;
  std::memcpy(&event_handle, &offer.memory, sizeof event_handle);
  EXPECT_EQ(cuIpcOpenEventHandle(&event, event_handle), CUDA_ERROR_INVALID_HANDLE);
  // The same pool, imported a second time, is the same pool.
  EXPECT_OK(cuMemPoolImportPointer(&memory, import(pool_file), &offer.pool_pointer));
  EXPECT_OK(cuMemFree_v2(memory - 4)) << "where it begins";
}

// A process without a context: the pool knows its device.
TEST_F(Ipc, PoolsNeedNoContext) {
  ASSERT_OK(cuCtxSetCurrent(nullptr));
  CUdeviceptr memory = 0;
  EXPECT_OK(cuMemPoolImportPointer(&memory, import(pool_file), &offer.pool_pointer));
  int ordinal = -1;
  EXPECT_OK(cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, memory));
  EXPECT_EQ(ordinal, 0);
  ASSERT_OK(cuCtxSetCurrent(context));
  unsigned word = 0;
  EXPECT_OK(cuMemcpyDtoH_v2(&word, memory, 4));
  EXPECT_EQ(word, 42u);
}

TEST_F(Ipc, Errors) {
  CUipcMemHandle made_up{};
  CUdeviceptr memory = 0;
  EXPECT_EQ(cuIpcOpenMemHandle_v2(&memory, made_up, 0), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuIpcOpenMemHandle_v2(nullptr, offer.memory, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuIpcOpenMemHandle_v2(&memory, offer.memory, 8), CUDA_ERROR_INVALID_VALUE);
  CUipcMemHandle handle;
  EXPECT_EQ(cuIpcGetMemHandle(&handle, 4096), CUDA_ERROR_INVALID_VALUE);
  void* host = nullptr;
  ASSERT_OK(cuMemAllocHost_v2(&host, 64));
  EXPECT_EQ(cuIpcGetMemHandle(&handle, reinterpret_cast<CUdeviceptr>(host)),
            CUDA_ERROR_INVALID_VALUE);
  CUevent event = nullptr;
  CUipcEventHandle event_handle{};
  ASSERT_OK(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
  EXPECT_EQ(cuIpcGetEventHandle(&event_handle, event), CUDA_ERROR_INVALID_VALUE)
      << "not made for several processes";
  EXPECT_EQ(cuIpcOpenEventHandle(&event, event_handle), CUDA_ERROR_INVALID_HANDLE);
}

}  // namespace
