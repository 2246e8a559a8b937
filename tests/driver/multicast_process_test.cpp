// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A multicast object whose devices' memory is bound by two processes. Driver API 6.16. The other
// process is forked before this one has used the driver; each has one device of the team.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "client.h"
#include "sockets.h"

namespace {

using testing::HasSubstr;

constexpr const char* kAdd = R"ptx(
.version 8.2
.target sm_90
.address_size 64
.visible .entry add(.param .u64 to, .param .u32 value)
{
  .reg .b64 a;
  .reg .b32 v, sum;
  ld.param.u64 a, [to];
  ld.param.u32 v, [value];
  multimem.red.relaxed.sys.global.add.u32 [a], v;
  multimem.ld_reduce.relaxed.sys.global.add.u32 sum, [a];
  multimem.st.relaxed.sys.global.u32 [a + 4], sum;
  ret;
}
)ptx";

/// The operations of each process on its device.
struct Member {
  int device;
  size_t unit = 0;
  CUcontext context = nullptr;
  CUmemGenericAllocationHandle object = 0, memory = 0;
  CUdeviceptr own = 0, team = 0;

  explicit Member(int device) : device(device) {
    EXPECT_OK(cuInit(0));
    EXPECT_OK(cuCtxCreate_v2(&context, 0, device));
    CUmemAllocationProp wanted{};
    wanted.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    wanted.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    wanted.location = {CU_MEM_LOCATION_TYPE_DEVICE, device};
    EXPECT_OK(cuMemGetAllocationGranularity(&unit, &wanted, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    EXPECT_OK(cuMemCreate(&memory, unit, &wanted, 0));
    own = map(memory);
    EXPECT_OK(cuMemsetD32_v2(own, 10 * (static_cast<unsigned>(device) + 1), 2));
    EXPECT_OK(cuCtxSynchronize());
  }
  CUdeviceptr map(CUmemGenericAllocationHandle handle) const {
    CUdeviceptr range = 0;
    const CUmemAccessDesc access{{CU_MEM_LOCATION_TYPE_DEVICE, device},
                                 CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    EXPECT_OK(cuMemAddressReserve(&range, unit, 0, 0, 0));
    EXPECT_OK(cuMemMap(range, unit, 0, handle, 0));
    EXPECT_OK(cuMemSetAccess(range, unit, &access, 1));
    return range;
  }
  void import(int file) {
    EXPECT_OK(cuMemImportFromShareableHandle(&object, reinterpret_cast<void*>(intptr_t{file}),
                                             CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
    close(file);
  }
  void bind() const { EXPECT_OK(cuMulticastBindMem(object, 0, memory, 0, unit, 0)); }
  CUresult add(unsigned value) const {
    CUmodule module = nullptr;
    CUfunction function = nullptr;
    EXPECT_OK(cuModuleLoadData(&module, kAdd));
    EXPECT_OK(cuModuleGetFunction(&function, module, "add"));
    CUdeviceptr to = team;
    void* params[] = {&to, &value};
    EXPECT_OK(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, params, nullptr));
    return cuCtxSynchronize();
  }
  unsigned read(unsigned index) const {
    unsigned value = 0;
    EXPECT_OK(cuMemcpyDtoH_v2(&value, own + 4 * index, 4));
    return value;
  }
};

/// Executes commands: 'j'oin, 'b'ind, 'm'ap, 'a'dd 5, 'r'ead; answers with a number, and at the end
/// with its number of failures.
[[noreturn]] void serve(int socket) {
  {
    Member self(1);
    for (char command = 0; ::read(socket, &command, 1) == 1 && command != 'q';) {
      unsigned answer = 0;
      if (command == 'j') {
        self.import(receive_file(socket));
        EXPECT_OK(cuMulticastAddDevice(self.object, 1));
      } else if (command == 'b') {
        self.bind();
      } else if (command == 'm') {
        self.team = self.map(self.object);
      } else if (command == 'a') {
        EXPECT_OK(self.add(5));
      } else if (command == 'r') {
        answer = self.read(0);
      }
      EXPECT_EQ(write(socket, &answer, sizeof answer), static_cast<ssize_t>(sizeof answer));
    }
  }
  _exit(testing::UnitTest::GetInstance()->current_test_suite()->ad_hoc_test_result().Failed());
}

class TwoProcesses : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    setenv("HEDDLE_DEVICES", "2", 1);
    int sockets[2];
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
    child = fork();
    if (child == 0) {
      close(sockets[0]);
      serve(sockets[1]);
    }
    close(sockets[1]);
    peer = sockets[0];
  }
  static unsigned answer() {
    unsigned number = 0;
    EXPECT_EQ(recv(peer, &number, sizeof number, MSG_WAITALL), static_cast<ssize_t>(sizeof number));
    return number;
  }
  static unsigned ask(char command) {
    EXPECT_EQ(write(peer, &command, 1), 1);
    return answer();
  }
  static pid_t child;
  static int peer;
};
pid_t TwoProcesses::child = 0;
int TwoProcesses::peer = -1;

TEST_F(TwoProcesses, BindToOneObject) {
  Member self(0);
  CUmulticastObjectProp properties{};
  properties.numDevices = 2;
  properties.size = self.unit;
  properties.handleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  ASSERT_OK(cuMulticastCreate(&self.object, &properties));
  int file = -1;
  EXPECT_EQ(cuMemExportToShareableHandle(&file, self.object, CU_MEM_HANDLE_TYPE_FABRIC, 0),
            CUDA_ERROR_NOT_SUPPORTED);
  ASSERT_OK(cuMemExportToShareableHandle(&file, self.object,
                                         CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
  ASSERT_OK(cuMulticastAddDevice(self.object, 0));
  EXPECT_EQ(write(peer, "j", 1), 1);
  send_file(peer, file);
  close(file);
  self.bind();  // waits for the other process to join
  answer();

  // Memory that cannot be shared cannot be bound to a shareable object.
  CUmemAllocationProp wanted{};
  CUmemGenericAllocationHandle private_memory = 0;
  wanted.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  wanted.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  ASSERT_OK(cuMemCreate(&private_memory, self.unit, &wanted, 0));
  EXPECT_OK(cuMulticastUnbind(self.object, 0, 0, self.unit));
  EXPECT_EQ(cuMulticastBindMem(self.object, 0, private_memory, 0, self.unit, 0),
            CUDA_ERROR_INVALID_VALUE);
  self.bind();

  // This process maps before the other has bound; the other maps before this one uses the object.
  self.team = self.map(self.object);
  ask('b');
  ask('m');
  EXPECT_OK(self.add(1));
  EXPECT_EQ(self.read(0), 11u);
  EXPECT_EQ(ask('r'), 21u);
  EXPECT_EQ(self.read(1), 32u);
  ask('a');
  EXPECT_EQ(self.read(0), 16u);
  EXPECT_EQ(ask('r'), 26u);
  EXPECT_EQ(self.read(1), 42u);

  // Memory that the other process has bound outlives it while it is mapped here.
  EXPECT_EQ(write(peer, "q", 1), 1);
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0) << "the other process has found a mistake";
  EXPECT_OK(self.add(1));
  EXPECT_EQ(self.read(1), 44u);

  // It cannot be imported any more.
  CUmemGenericAllocationHandle again = 0;
  ASSERT_OK(cuMemExportToShareableHandle(&file, self.object,
                                         CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
  ASSERT_OK(cuMemImportFromShareableHandle(&again, reinterpret_cast<void*>(intptr_t{file}),
                                           CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
  close(file);
  self.team = self.map(again);
  testing::internal::CaptureStderr();
  EXPECT_EQ(self.add(1), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("device 1 has bound memory of a process that has ended"));
}

}  // namespace
