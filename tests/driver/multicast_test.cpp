// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Multicast objects over three devices and every multimem operation on them. Driver API 6.16, PTX
// ISA 8.2.3, 9.7.9.14, 9.7.9.26, 9.7.9.27.
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <string>
#include <vector>

#include "client.h"

namespace {

using testing::HasSubstr;

constexpr int kDevices = 3;
constexpr const char* kHeader = ".version 9.1\n.target sm_100a\n.address_size 64\n";

class Multicast : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    setenv("HEDDLE_DEVICES", "3", 1);
    ASSERT_OK(cuInit(0));
  }
  void SetUp() override {
    ASSERT_OK(cuCtxCreate_v2(&context, 0, 0));
    properties.numDevices = kDevices;
    ASSERT_OK(cuMulticastGetGranularity(&unit, &properties, CU_MULTICAST_GRANULARITY_RECOMMENDED));
    properties.size = 2 * unit;
  }
  void TearDown() override {
    EXPECT_OK(cuCtxDestroy_v2(context));
    for (const auto& [address, bytes] : mapped) {
      EXPECT_OK(cuMemUnmap(address, bytes));
      EXPECT_OK(cuMemAddressFree(address, bytes));
    }
    for (const auto handle : handles) EXPECT_OK(cuMemRelease(handle));
  }

  CUmemGenericAllocationHandle memory_of(int device, size_t units = 1) {
    CUmemAllocationProp wanted{};
    wanted.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    wanted.location = {CU_MEM_LOCATION_TYPE_DEVICE, device};
    CUmemGenericAllocationHandle handle = 0;
    EXPECT_OK(cuMemCreate(&handle, units * unit, &wanted, 0));
    handles.push_back(handle);
    return handle;
  }
  void give_access(CUdeviceptr to, size_t bytes, CUmemAccess_flags flags) {
    const CUmemAccessDesc access{{CU_MEM_LOCATION_TYPE_DEVICE, 0}, flags};
    EXPECT_OK(cuMemSetAccess(to, bytes, &access, 1));
  }
  CUdeviceptr map(CUmemGenericAllocationHandle handle, size_t units = 1, size_t first = 0,
                  CUmemAccess_flags flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE) {
    CUdeviceptr range = 0;
    EXPECT_OK(cuMemAddressReserve(&range, units * unit, 0, 0, 0));
    EXPECT_OK(cuMemMap(range, units * unit, first * unit, handle, 0));
    if (flags) give_access(range, units * unit, flags);
    mapped.emplace_back(range, units * unit);
    return range;
  }
  CUmemGenericAllocationHandle create_empty() {
    CUmemGenericAllocationHandle handle = 0;
    EXPECT_OK(cuMulticastCreate(&handle, &properties));
    handles.push_back(handle);
    return handle;
  }
  CUmemGenericAllocationHandle create() {
    const auto handle = create_empty();
    // In a different order from that of the reductions.
    for (const int device : {2, 0, 1}) EXPECT_OK(cuMulticastAddDevice(handle, device));
    return handle;
  }
  /// An object with memory of each device bound to its first unit: `object`, its address `team`,
  /// and each device's memory `own`.
  void make_team() {
    object = create();
    for (int device = 0; device < kDevices; ++device) {
      const auto memory = memory_of(device);
      own[device] = map(memory);
      EXPECT_OK(cuMemsetD8_v2(own[device], 0, unit));
      EXPECT_OK(cuMulticastBindMem(object, 0, memory, 0, unit, 0));
    }
    team = map(object);
    EXPECT_OK(cuCtxSynchronize());  // other contexts do not wait for these memsets
  }

  /// Runs `body` in a kernel of `threads` threads: `a` and `o` hold the parameters.
  CUresult run(const std::string& body, CUdeviceptr a, CUdeviceptr o = 0, unsigned threads = 1) {
    const std::string text = std::string(kHeader) +
                             ".visible .entry main(.param .u64 pa, .param .u64 po) {\n"
                             ".reg .b64 a, o;\nld.param.u64 a, [pa];\nld.param.u64 o, [po];\n" +
                             body + "\nret;\n}\n";
    CUmodule module = nullptr;
    CUfunction function = nullptr;
    if (const CUresult bad = cuModuleLoadData(&module, text.c_str())) return bad;
    EXPECT_OK(cuModuleGetFunction(&function, module, "main"));
    void* params[] = {&a, &o};
    EXPECT_OK(cuLaunchKernel(function, 1, 1, 1, threads, 1, 1, 0, nullptr, params, nullptr));
    return cuCtxSynchronize();
  }
  /// As run(), for kernels that must fail; returns the message.
  std::string trap(const std::string& body, CUdeviceptr a, CUdeviceptr o = 0,
                   CUresult error = CUDA_ERROR_ILLEGAL_ADDRESS) {
    testing::internal::CaptureStderr();
    const CUresult result = run(body, a, o);
    const std::string text = testing::internal::GetCapturedStderr();
    EXPECT_EQ(result, error) << text;
    return text;
  }
  template <class T>
  std::vector<T> read(CUdeviceptr from, size_t count) {
    std::vector<T> got(count);
    EXPECT_OK(cuMemcpyDtoH_v2(got.data(), from, count * sizeof(T)));
    return got;
  }
  template <class T>
  void write(CUdeviceptr to, const std::vector<T>& values) {
    EXPECT_OK(cuMemcpyHtoD_v2(to, values.data(), values.size() * sizeof(T)));
  }

  CUcontext context = nullptr;
  CUmulticastObjectProp properties{};
  size_t unit = 0;
  std::vector<CUmemGenericAllocationHandle> handles;
  std::vector<std::pair<CUdeviceptr, size_t>> mapped;
  CUmemGenericAllocationHandle object = 0;
  CUdeviceptr team = 0, own[kDevices] = {};
};

// --- multimem operations ---

std::string list(const std::string& name, unsigned count) {
  std::string text;
  for (unsigned i = 0; i < count; ++i) text += (i ? ", " : "") + name + std::to_string(i);
  return count == 1 ? text : "{" + text + "}";
}

uint64_t bits(float x) {
  uint32_t word;
  std::memcpy(&word, &x, sizeof word);
  return word;
}
uint64_t bits(double x) {
  uint64_t word;
  std::memcpy(&word, &x, sizeof word);
  return word;
}

/// An instruction of `count` elements of `bytes` bytes, all alike.
struct Form {
  const char* words;
  const char* reg;
  unsigned count, bytes;
  uint64_t replicas[kDevices];
  uint64_t expected;
};

const Form kLoads[] = {
    {"add.u32", "b32", 1, 4, {1, 2, 0xffffffff}, 2},
    {"relaxed.sys.global.add.s32", "b32", 1, 4, {uint32_t(-5), 3, 1}, uint32_t(-1)},
    {"weak.add.u64", "b64", 1, 8, {uint64_t{1} << 40, 5, 6}, (uint64_t{1} << 40) + 11},
    {"acquire.gpu.and.b32", "b32", 1, 4, {0xff00ff, 0x0ff0f0, 0xffffff}, 0x0f00f0},
    {"and.b64",
     "b64",
     1,
     8,
     {~uint64_t{0}, uint64_t{7} << 60, uint64_t{5} << 60},
     uint64_t{5} << 60},
    {"or.b32", "b32", 1, 4, {1, 2, 8}, 11},
    {"or.b64", "b64", 1, 8, {1, uint64_t{1} << 63, 8}, (uint64_t{1} << 63) + 9},
    {"xor.b32", "b32", 1, 4, {7, 2, 8}, 13},
    {"xor.b64", "b64", 1, 8, {7, 2, uint64_t{1} << 50}, (uint64_t{1} << 50) + 5},
    {"min.u32", "b32", 1, 4, {7, 0xffffffff, 3}, 3},
    {"min.s32", "b32", 1, 4, {7, 0xffffffff, 3}, 0xffffffff},
    {"max.u32", "b32", 1, 4, {7, 0xffffffff, 3}, 0xffffffff},
    {"max.s32", "b32", 1, 4, {7, 0xffffffff, 3}, 7},
    {"min.u64", "b64", 1, 8, {7, ~uint64_t{0}, 3}, 3},
    {"min.s64", "b64", 1, 8, {7, ~uint64_t{0}, 3}, ~uint64_t{0}},
    {"max.u64", "b64", 1, 8, {7, ~uint64_t{0}, 3}, ~uint64_t{0}},
    {"max.s64", "b64", 1, 8, {7, ~uint64_t{0}, 3}, 7},
    {"add.f32", "f32", 1, 4, {bits(1.5f), bits(2.25f), bits(-0.5f)}, bits(3.25f)},
    // In the order of the devices: the 1 is lost in one order and stays in another.
    {"add.f32", "f32", 1, 4, {bits(1e8f), bits(1.0f), bits(-1e8f)}, bits(0.0f)},
    {"add.f32", "f32", 1, 4, {bits(1e8f), bits(-1e8f), bits(1.0f)}, bits(1.0f)},
    // A subnormal is kept.
    {"add.f32", "f32", 1, 4, {1, 2, 3}, 6},
    {"add.v2.f32", "b32", 2, 4, {bits(1.5f), bits(2.25f), bits(-0.5f)}, bits(3.25f)},
    {"add.v4.f32", "b32", 4, 4, {bits(1.5f), bits(2.25f), bits(-0.5f)}, bits(3.25f)},
    {"add.f64", "f64", 1, 8, {bits(1.5), bits(1e300), bits(-1e300)}, bits(0.0)},
    // 2048 + 1 + 1 and 256 + 1 + 1: rounded at each step, or once.
    {"add.f16x2", "b32", 1, 4, {0x68003c00, 0x3c003c00, 0x3c003c00}, 0x68004200},
    {"add.acc::f32.f16x2", "b32", 1, 4, {0x68003c00, 0x3c003c00, 0x3c003c00}, 0x68014200},
    {"add.bf16x2", "b32", 1, 4, {0x43803f80, 0x3f803f80, 0x3f803f80}, 0x43804040},
    {"add.acc::f32.bf16x2", "b32", 1, 4, {0x43803f80, 0x3f803f80, 0x3f803f80}, 0x43814040},
    {"add.v2.f16", "b16", 2, 2, {0x6800, 0x3c00, 0x3c00}, 0x6800},
    {"add.acc::f32.v4.f16", "b16", 4, 2, {0x6800, 0x3c00, 0x3c00}, 0x6801},
    {"add.v8.f16", "b16", 8, 2, {0x6800, 0x3c00, 0x3c00}, 0x6800},
    {"add.v2.f16x2", "b32", 2, 4, {0x3c00, 0x4000, 0x4200}, 0x4600},
    {"add.v4.f16x2", "b32", 4, 4, {0x3c00, 0x4000, 0x4200}, 0x4600},
    {"add.v2.bf16", "b16", 2, 2, {0x4380, 0x3f80, 0x3f80}, 0x4380},
    {"add.acc::f32.v4.bf16", "b16", 4, 2, {0x4380, 0x3f80, 0x3f80}, 0x4381},
    {"add.v8.bf16", "b16", 8, 2, {0x4380, 0x3f80, 0x3f80}, 0x4380},
    {"add.v4.bf16x2", "b32", 4, 4, {0x4380, 0x3f80, 0x3f80}, 0x4380},
    {"min.f16x2", "b32", 1, 4, {0x3c00bc00, 0x40004000, 0x42004200}, 0x3c00bc00},
    {"max.v4.f16x2", "b32", 4, 4, {0x3c00bc00, 0x40004000, 0x42004200}, 0x42004200},
    {"min.v8.bf16", "b16", 8, 2, {0x3f80, 0xbf80, 0x4000}, 0xbf80},
    {"max.v2.bf16x2", "b32", 2, 4, {0x3f80, 0xbf80, 0x4000}, 0x4000},
    {"max.v2.f16", "b16", 2, 2, {0x7fff, 0x3c00, 0xbc00}, 0x3c00},  // NaN is passed over
    // 16 + 1 + 1 and 8 + 1 + 1.
    {"add.e4m3x4", "b32", 1, 4, {0x58383858, 0x38383838, 0x38383838}, 0x58444458},
    {"add.acc::f16.e4m3x4", "b32", 1, 4, {0x58383858, 0x38383838, 0x38383838}, 0x59444459},
    {"add.e5m2x4", "b32", 1, 4, {0x483c3c48, 0x3c3c3c3c, 0x3c3c3c3c}, 0x48424248},
    {"add.acc::f16.v4.e5m2x4", "b32", 4, 4, {0x483c3c48, 0x3c3c3c3c, 0x3c3c3c3c}, 0x49424249},
    {"add.v2.e4m3x2", "b16", 2, 2, {0x5838, 0x3838, 0x3838}, 0x5844},
    {"add.v8.e4m3x2", "b16", 8, 2, {0x7e7e, 0x7e38, 0x7e38}, 0x7e7e},  // 448 is the largest
    {"add.v4.e4m3", "b8", 4, 1, {0x58, 0x38, 0x38}, 0x58},
    {"add.acc::f16.v8.e5m2", "b8", 8, 1, {0x48, 0x3c, 0x3c}, 0x49},
    {"min.v4.e4m3x4", "b32", 4, 4, {0x58b83858, 0x38383838, 0x38383838}, 0x38b83838},
    {"max.v8.e5m2x2", "b16", 8, 2, {0x483c, 0x3cbc, 0x3cbc}, 0x483c},
};

TEST_F(Multicast, LoadsReduceAllReplicas) {
  make_team();
  CUdeviceptr out = 0;
  ASSERT_OK(cuMemAlloc_v2(&out, 64));
  for (const Form& form : kLoads) {
    for (int device = 0; device < kDevices; ++device) {
      std::vector<uint8_t> bytes;
      for (unsigned i = 0; i < form.count; ++i) {
        for (unsigned byte = 0; byte < form.bytes; ++byte)
          bytes.push_back(static_cast<uint8_t>(form.replicas[device] >> 8 * byte));
      }
      write(own[device] + 48, bytes);
    }
    std::string body = ".reg ." + std::string(form.reg) + " d<8>;\nmultimem.ld_reduce." +
                       form.words + " " + list("d", form.count) + ", [a + 48];\n";
    for (unsigned i = 0; i < form.count; ++i) {
      body += "st.global.b" + std::to_string(8 * form.bytes) + " [o + " +
              std::to_string(i * form.bytes) + "], d" + std::to_string(i) + ";\n";
    }
    ASSERT_OK(run(body, team, out)) << form.words;
    const auto got = read<uint8_t>(out, form.count * form.bytes);
    for (unsigned i = 0; i < form.count; ++i) {
      uint64_t element = 0;
      std::memcpy(&element, got.data() + i * form.bytes, form.bytes);
      EXPECT_EQ(element, form.expected) << form.words << " element " << i << std::hex << " got "
                                        << element << " wanted " << form.expected;
    }
  }
}

/// `replicas`: before it. The source's elements are all `value`.
struct Write {
  const char* words;
  const char* reg;
  unsigned count, bytes;
  uint64_t value;
  uint64_t before[kDevices], after[kDevices];
};

const Write kWrites[] = {
    {"st.b32", "b32", 1, 4, 5, {1, 2, 3}, {5, 5, 5}},
    {"st.relaxed.sys.global.s64", "b64", 1, 8, 1, {1, 2, 3}, {1, 1, 1}},
    {"st.release.gpu.f64", "f64", 1, 8, bits(2.5), {}, {bits(2.5), bits(2.5), bits(2.5)}},
    {"st.weak.v4.f32", "f32", 4, 4, 9, {1, 2, 3}, {9, 9, 9}},
    {"st.v8.f16", "b16", 8, 2, 9, {1, 2, 3}, {9, 9, 9}},
    {"st.v2.bf16x2", "b32", 2, 4, 9, {1, 2, 3}, {9, 9, 9}},
    {"st.v4.e4m3", "b8", 4, 1, 9, {1, 2, 3}, {9, 9, 9}},
    {"st.v8.e5m2x2", "b16", 8, 2, 0x909, {1, 2, 3}, {0x909, 0x909, 0x909}},
    {"red.add.u32", "b32", 1, 4, 5, {1, 2, 0xffffffff}, {6, 7, 4}},
    {"red.release.sys.global.add.s32", "b32", 1, 4, 5, {1, 2, 3}, {6, 7, 8}},
    {"red.add.u64", "b64", 1, 8, 5, {1, 2, uint64_t{1} << 40}, {6, 7, (uint64_t{1} << 40) + 5}},
    {"red.and.b32", "b32", 1, 4, 6, {1, 2, 7}, {0, 2, 6}},
    {"red.and.b64", "b64", 1, 8, 6, {1, 2, 7}, {0, 2, 6}},
    {"red.or.b32", "b32", 1, 4, 6, {1, 2, 8}, {7, 6, 14}},
    {"red.or.b64", "b64", 1, 8, 6, {1, 2, 8}, {7, 6, 14}},
    {"red.xor.b32", "b32", 1, 4, 6, {1, 2, 7}, {7, 4, 1}},
    {"red.xor.b64", "b64", 1, 8, 6, {1, 2, 7}, {7, 4, 1}},
    {"red.min.u32", "b32", 1, 4, 5, {1, 9, 0xffffffff}, {1, 5, 5}},
    {"red.min.s32", "b32", 1, 4, 5, {1, 9, 0xffffffff}, {1, 5, 0xffffffff}},
    {"red.max.u64", "b64", 1, 8, 5, {1, 9, ~uint64_t{0}}, {5, 9, ~uint64_t{0}}},
    {"red.max.s64", "b64", 1, 8, 5, {1, 9, ~uint64_t{0}}, {5, 9, 5}},
    {"red.add.f32",
     "f32",
     1,
     4,
     bits(1.5f),
     {bits(1.0f), 0, bits(-1.5f)},
     {bits(2.5f), bits(1.5f), 0}},
    {"red.add.f64", "f64", 1, 8, bits(1.5), {bits(1.0), 0, bits(-1.5)}, {bits(2.5), bits(1.5), 0}},
    {"red.add.v4.f32",
     "f32",
     4,
     4,
     bits(1.5f),
     {bits(1.0f), 0, bits(-1.5f)},
     {bits(2.5f), bits(1.5f), 0}},
    {"red.add.f16x2",
     "b32",
     1,
     4,
     0x3c003c00,
     {0x68003c00, 0, 0xbc00},
     {0x68004000, 0x3c003c00, 0x3c000000}},
    {"red.add.v8.f16", "b16", 8, 2, 0x3c00, {0x6800, 0, 0x3c00}, {0x6800, 0x3c00, 0x4000}},
    {"red.add.v4.bf16x2", "b32", 4, 4, 0x3f80, {0x4380, 0, 0x3f80}, {0x4380, 0x3f80, 0x4000}},
};

TEST_F(Multicast, StoresAndReductionsReachAllReplicas) {
  make_team();
  CUdeviceptr source = 0;
  ASSERT_OK(cuMemAlloc_v2(&source, 64));
  for (const Write& form : kWrites) {
    const auto elements = [&](uint64_t value) {
      std::vector<uint8_t> bytes;
      for (unsigned i = 0; i < form.count; ++i) {
        for (unsigned byte = 0; byte < form.bytes; ++byte)
          bytes.push_back(static_cast<uint8_t>(value >> 8 * byte));
      }
      return bytes;
    };
    for (int device = 0; device < kDevices; ++device)
      write(own[device] + 16, elements(form.before[device]));
    write(source, elements(form.value));
    std::string body = ".reg ." + std::string(form.reg) + " b<8>;\n";
    for (unsigned i = 0; i < form.count; ++i) {
      body += "ld.global.b" + std::to_string(8 * form.bytes) + " b" + std::to_string(i) +
              ", [o + " + std::to_string(i * form.bytes) + "];\n";
    }
    body += "multimem." + std::string(form.words) + " [a + 16], " + list("b", form.count) + ";\n";
    ASSERT_OK(run(body, team, source)) << form.words;
    for (int device = 0; device < kDevices; ++device) {
      EXPECT_EQ(read<uint8_t>(own[device] + 16, form.count * form.bytes),
                elements(form.after[device]))
          << form.words << " on device " << device;
    }
  }
}

// Threads of all devices at once: no addition is lost, whatever address a replica is reached by.
TEST_F(Multicast, ReductionsAreAtomic) {
  make_team();
  const std::string body =
      ".reg .b32 n;\n.reg .pred p;\nmov.u32 n, 0;\n"
      "L: multimem.red.add.u32 [a], 1;\nred.global.add.u32 [o], 1;\n"
      "add.u32 n, n, 1;\nsetp.lt.u32 p, n, 50;\n@p bra L;";
  std::vector<std::thread> threads;
  for (int device = 0; device < kDevices; ++device) {
    threads.emplace_back([&, device] {
      CUcontext there = nullptr;
      EXPECT_OK(cuCtxCreate_v2(&there, 0, device));
      EXPECT_OK(run(body, team, own[device], 256));
      EXPECT_OK(cuCtxDestroy_v2(there));
    });
  }
  for (auto& thread : threads) thread.join();
  for (const CUdeviceptr address : own) {
    EXPECT_EQ(read<uint32_t>(address, 1)[0], (kDevices + 1) * 256u * 50u);
  }
}

// --- bulk operations ---

constexpr const char* kFillShared =
    ".shared .align 16 .b8 s[64];\n.reg .b32 v;\n.reg .b16 m;\nmov.b16 m, 0x00f1;\n"
    "mov.u32 v, 0x3c003c00;\nst.shared.v4.b32 [s], {v, v, v, v};\n"
    "st.shared.v4.b32 [s + 16], {v, v, v, v};\nfence.proxy.async.shared::cta;\n";

TEST_F(Multicast, BulkCopiesReachAllReplicas) {
  make_team();
  ASSERT_OK(run(std::string(kFillShared) +
                    "multimem.cp.async.bulk.global.shared::cta.bulk_group [a], [s], 32;\n"
                    "multimem.cp.async.bulk.global.shared::cta.bulk_group.cp_mask [a + 64], [s], "
                    "16, m;\n"
                    "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;",
                team));
  for (const CUdeviceptr address : own) {
    EXPECT_EQ(read<uint32_t>(address, 9),
              (std::vector<uint32_t>{0x3c003c00, 0x3c003c00, 0x3c003c00, 0x3c003c00, 0x3c003c00,
                                     0x3c003c00, 0x3c003c00, 0x3c003c00, 0}));
    EXPECT_EQ(read<uint32_t>(address + 64, 4), (std::vector<uint32_t>{0, 0x3c003c00, 0, 0}));
  }
}

TEST_F(Multicast, BulkReductionsReachAllReplicas) {
  make_team();
  for (int device = 0; device < kDevices; ++device) {
    ASSERT_OK(cuMemsetD32_v2(own[device], static_cast<unsigned>(device), 16));
    ASSERT_OK(cuMemsetD16_v2(own[device] + 32, 0x4000, 8));
  }
  ASSERT_OK(run(std::string(kFillShared) +
                    "multimem.cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [a], [s], "
                    "16;\n"
                    "multimem.cp.reduce.async.bulk.global.shared::cta.bulk_group.max.s32 [a + 16], "
                    "[s], 16;\n"
                    "multimem.cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.f16 "
                    "[a + 32], [s], 16;\n"
                    "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;",
                team));
  for (unsigned device = 0; device < kDevices; ++device) {
    EXPECT_EQ(read<uint32_t>(own[device], 4), std::vector<uint32_t>(4, 0x3c003c00 + device));
    EXPECT_EQ(read<uint32_t>(own[device] + 16, 4), std::vector<uint32_t>(4, 0x3c003c00));
    EXPECT_EQ(read<uint16_t>(own[device] + 32, 8), std::vector<uint16_t>(8, 0x4200));
  }
}

// The second unit is bound to different memory.
TEST_F(Multicast, BulkCopyCrossesFromOneBindingToTheNext) {
  make_team();
  CUdeviceptr second[kDevices];
  for (int device = 0; device < kDevices; ++device) {
    const auto memory = memory_of(device, 2);
    second[device] = map(memory, 2);
    ASSERT_OK(cuMemsetD8_v2(second[device], 0, 2 * unit));
    ASSERT_OK(cuMulticastBindMem(object, unit, memory, unit, unit, 0));
  }
  const CUdeviceptr both = map(object, 2);
  ASSERT_OK(run(std::string(kFillShared) +
                    "multimem.cp.async.bulk.global.shared::cta.bulk_group [a], [s], 32;\n"
                    "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;",
                both + unit - 16));
  for (int device = 0; device < kDevices; ++device) {
    EXPECT_EQ(read<uint32_t>(own[device] + unit - 20, 5),
              (std::vector<uint32_t>{0, 0x3c003c00, 0x3c003c00, 0x3c003c00, 0x3c003c00}));
    EXPECT_EQ(read<uint32_t>(second[device] + unit, 5),
              (std::vector<uint32_t>{0x3c003c00, 0x3c003c00, 0x3c003c00, 0x3c003c00, 0}));
    EXPECT_EQ(read<uint32_t>(second[device], 1)[0], 0u);
  }
}

// --- objects ---

TEST_F(Multicast, IsSupported) {
  int supported = 0;
  EXPECT_OK(cuDeviceGetAttribute(&supported, CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED, 2));
  EXPECT_EQ(supported, 1);
  size_t least = 0;
  EXPECT_OK(cuMulticastGetGranularity(&least, &properties, CU_MULTICAST_GRANULARITY_MINIMUM));
  EXPECT_EQ(unit % least, 0u);
  EXPECT_EQ(
      cuMulticastGetGranularity(&least, &properties, static_cast<CUmulticastGranularity_flags>(7)),
      CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMulticastGetGranularity(nullptr, &properties, CU_MULTICAST_GRANULARITY_MINIMUM),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMulticastGetGranularity(&least, nullptr, CU_MULTICAST_GRANULARITY_MINIMUM),
            CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Multicast, PropertiesAreChecked) {
  CUmemGenericAllocationHandle handle = 0;
  const auto attempt = [&](auto change) {
    CUmulticastObjectProp other = properties;
    change(other);
    return cuMulticastCreate(&handle, &other);
  };
  EXPECT_EQ(attempt([](auto& p) { p.numDevices = 0; }), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(attempt([](auto& p) { p.numDevices = kDevices + 1; }), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(attempt([](auto& p) { p.size = 0; }), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(attempt([](auto& p) { p.size += 4096; }), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(attempt([](auto& p) { p.flags = 1; }), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(attempt([](auto& p) { p.handleTypes = CU_MEM_HANDLE_TYPE_FABRIC; }),
            CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(cuMulticastCreate(nullptr, &properties), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMulticastCreate(&handle, nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Multicast, TeamIsOfItsSize) {
  properties.numDevices = 2;
  const auto handle = create_empty();
  EXPECT_EQ(cuMulticastAddDevice(handle, kDevices), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(cuMulticastAddDevice(12345, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(cuMulticastAddDevice(handle, 1));
  EXPECT_EQ(cuMulticastAddDevice(handle, 1), CUDA_ERROR_INVALID_VALUE) << "it is in already";
  EXPECT_OK(cuMulticastAddDevice(handle, 0));
  EXPECT_EQ(cuMulticastAddDevice(handle, 2), CUDA_ERROR_INVALID_VALUE) << "there are two";
  EXPECT_EQ(cuMulticastBindMem(handle, 0, memory_of(2), 0, unit, 0), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(cuMulticastUnbind(handle, 2, 0, unit), CUDA_ERROR_INVALID_DEVICE);
}

TEST_F(Multicast, BindingWaitsForTheTeam) {
  const auto handle = create_empty();
  const auto memory = memory_of(0);
  EXPECT_OK(cuMulticastAddDevice(handle, 0));
  EXPECT_OK(cuMulticastAddDevice(handle, 1));
  std::atomic<bool> bound = false;
  testing::internal::CaptureStderr();
  std::thread waits([&] {
    EXPECT_OK(cuMulticastBindMem(handle, 0, memory, 0, unit, 0));
    bound = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(1300));
  EXPECT_FALSE(bound);
  EXPECT_OK(cuMulticastAddDevice(handle, 2));
  waits.join();
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("cuMulticastBindMem waits until all 3 devices"));
}

// The device may be named; then the memory must be its.
TEST_F(Multicast, BindingsOfANamedDevice) {
  const auto handle = create();
  const auto memory = memory_of(1);
  EXPECT_EQ(cuMulticastBindMem_v2(handle, 0, 0, memory, 0, unit, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMulticastBindMem_v2(handle, 9, 0, memory, 0, unit, 0), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(cuMulticastBindMem_v2(handle, 1, 0, memory, 0, unit, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(cuMulticastBindMem_v2(handle, 1, 0, memory, 0, unit, 0));
  EXPECT_OK(cuMulticastUnbind(handle, 1, 0, unit));
  const CUdeviceptr address = map(memory);
  EXPECT_EQ(cuMulticastBindAddr_v2(handle, 2, 0, address, unit, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMulticastBindAddr_v2(handle, -1, 0, address, unit, 0), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_OK(cuMulticastBindAddr_v2(handle, 1, 0, address, unit, 0));
  EXPECT_OK(cuMulticastUnbind(handle, 1, 0, unit));
}

TEST_F(Multicast, BindingsAreChecked) {
  const auto handle = create();
  const auto memory = memory_of(1, 2);
  const auto bind = [&](size_t at, size_t from, size_t bytes, unsigned long long flags = 0) {
    return cuMulticastBindMem(handle, at, memory, from, bytes, flags);
  };
  EXPECT_EQ(bind(0, 0, unit, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(bind(4096, 0, unit), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(bind(0, 4096, unit), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(bind(0, 0, 4096), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(bind(0, 0, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(bind(unit, 0, 2 * unit), CUDA_ERROR_INVALID_VALUE) << "beyond the object";
  EXPECT_EQ(bind(0, unit, 2 * unit), CUDA_ERROR_INVALID_VALUE) << "beyond the memory";
  EXPECT_EQ(bind(0, 4 * unit, unit), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMulticastBindMem(handle, 0, 12345, 0, unit, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMulticastBindMem(handle, 0, handle, 0, unit, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_OK(bind(unit, 0, unit));
  EXPECT_EQ(bind(0, 0, 2 * unit), CUDA_ERROR_INVALID_VALUE) << "overlap";
  EXPECT_EQ(bind(unit, unit, unit), CUDA_ERROR_INVALID_VALUE) << "overlap";
  EXPECT_OK(bind(0, 0, unit)) << "the same memory twice";
  EXPECT_EQ(cuMulticastUnbind(handle, 1, 0, 2 * unit), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMulticastUnbind(handle, 0, 0, unit), CUDA_ERROR_INVALID_VALUE) << "another device's";
  EXPECT_EQ(cuMulticastUnbind(handle, 9, 0, unit), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_OK(cuMulticastUnbind(handle, 1, 0, unit));
  EXPECT_EQ(cuMulticastUnbind(handle, 1, 0, unit), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Multicast, AddressesAreBound) {
  object = create();
  properties.numDevices = kDevices;
  const auto memory = memory_of(0, 2);
  const CUdeviceptr mapped_memory = map(memory, 2);
  EXPECT_EQ(cuMulticastBindAddr(object, 0, mapped_memory + 4096, unit, 0),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMulticastBindAddr(object, 0, mapped_memory + unit, 2 * unit, 0),
            CUDA_ERROR_INVALID_VALUE);
  CUdeviceptr plain = 0;
  ASSERT_OK(cuMemAlloc_v2(&plain, 4 * unit));
  EXPECT_EQ(cuMulticastBindAddr(object, 0, (plain + unit - 1) / unit * unit, unit, 0),
            CUDA_ERROR_INVALID_VALUE)
      << "neither cuMemCreate nor cuMemAllocAsync";
  EXPECT_OK(cuMulticastBindAddr(object, 0, mapped_memory + unit, unit, 0));
  CUdeviceptr pooled[kDevices] = {};
  for (int device = 1; device < kDevices; ++device) {
    CUmemoryPool pool = nullptr;
    ASSERT_OK(cuDeviceGetDefaultMemPool(&pool, device));
    ASSERT_OK(cuMemAllocFromPoolAsync(&pooled[device], unit + 256, pool, nullptr));
    ASSERT_OK(cuMulticastBindAddr(object, 0, pooled[device], unit, 0));
    ASSERT_OK(cuMemsetD32_v2(pooled[device], 30, 1));
  }
  ASSERT_OK(cuMemsetD32_v2(mapped_memory + unit, 5, 1));
  team = map(object);
  EXPECT_OK(run("multimem.red.add.u32 [a], 1;", team));
  EXPECT_EQ(read<uint32_t>(mapped_memory + unit, 1)[0], 6u);
  EXPECT_EQ(read<uint32_t>(pooled[1], 1)[0], 31u);
  EXPECT_EQ(read<uint32_t>(pooled[2], 1)[0], 31u);
  for (int device = 1; device < kDevices; ++device) {
    EXPECT_OK(cuMulticastUnbind(object, device, 0, unit));
    EXPECT_OK(cuMemFreeAsync(pooled[device], nullptr));
  }
}

// Mapped and bound memory outlives its handle.
TEST_F(Multicast, MappingsOutliveHandles) {
  make_team();
  for (const auto handle : handles) EXPECT_OK(cuMemRelease(handle));
  EXPECT_EQ(cuMemRelease(object), CUDA_ERROR_INVALID_VALUE);
  handles.clear();
  EXPECT_OK(run("multimem.red.add.u32 [a], 7;", team));
  EXPECT_EQ(read<uint32_t>(own[2], 1)[0], 7u);
  EXPECT_EQ(cuMulticastAddDevice(object, 0), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Multicast, OneDeviceIsATeamToo) {
  properties.numDevices = 1;
  const auto handle = create_empty();
  const auto memory = memory_of(1);
  ASSERT_OK(cuMulticastAddDevice(handle, 1));
  ASSERT_OK(cuMulticastBindMem(handle, unit, memory, 0, unit, 0));
  const CUdeviceptr address = map(handle, 1, 1), plain = map(memory);
  ASSERT_OK(cuMemsetD32_v2(plain, 20, 1));
  EXPECT_OK(run(".reg .b32 d;\nmultimem.ld_reduce.add.u32 d, [a];\nmultimem.st.u32 [a + 4], d;",
                address));
  EXPECT_EQ(read<uint32_t>(plain, 2)[1], 20u);
}

// --- wrong uses ---

TEST_F(Multicast, OtherAccessesTrap) {
  make_team();
  EXPECT_EQ(cuMemsetD32_v2(team, 1, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_THAT(trap("st.global.u32 [a + 4], 1;", team),
              HasSubstr("only multimem operations may access it"));
}
TEST_F(Multicast, OtherBulkCopiesTrap) {
  make_team();
  EXPECT_THAT(
      trap(std::string(kFillShared) + "cp.async.bulk.global.shared::cta.bulk_group [a], [s], 16;",
           team),
      HasSubstr("only multimem operations may access it"));
}
TEST_F(Multicast, AtomicsTrap) {
  make_team();
  EXPECT_THAT(trap(".reg .b32 d;\natom.global.add.u32 d, [a], 1;", team),
              HasSubstr("only multimem operations may access it"));
}
TEST_F(Multicast, MemoryMissesOnADevice) {
  make_team();
  EXPECT_OK(cuMulticastUnbind(object, 1, 0, unit));
  EXPECT_THAT(trap(".reg .b32 d;\nmultimem.ld_reduce.add.u32 d, [a];", team),
              HasSubstr("device 1 has no memory bound to its multicast object at offset 0x0"));
}
TEST_F(Multicast, NothingIsBoundBehindTheFirstUnit) {
  make_team();
  const CUdeviceptr both = map(object, 2);
  EXPECT_OK(run("multimem.st.u32 [a], 1;", both));
  EXPECT_THAT(trap("multimem.st.u32 [a], 1;", both + unit + 64),
              HasSubstr("device 0 has no memory bound to its multicast object at offset 0x2"));
}
TEST_F(Multicast, NoAccess) {
  make_team();
  const CUdeviceptr other = map(object, 1, 0, CU_MEM_ACCESS_FLAGS_PROT_NONE);
  EXPECT_THAT(trap("multimem.st.u32 [a], 1;", other), HasSubstr("cuMemSetAccess"));
}
TEST_F(Multicast, ReadingOnly) {
  make_team();
  give_access(team, unit, CU_MEM_ACCESS_FLAGS_PROT_READ);
  EXPECT_OK(run(".reg .b32 d;\nmultimem.ld_reduce.add.u32 d, [a];", team));
  EXPECT_THAT(trap("multimem.red.add.u32 [a], 1;", team), HasSubstr("for reading only"));
}
TEST_F(Multicast, NotMapped) {
  make_team();
  EXPECT_OK(cuMemUnmap(team, unit));
  EXPECT_OK(cuMemAddressFree(team, unit));
  mapped.pop_back();
  trap("multimem.red.add.u32 [a], 1;", team);
}
TEST_F(Multicast, Misaligned) {
  make_team();
  trap(".reg .f32 d<4>;\nmultimem.ld_reduce.add.v4.f32 {d0, d1, d2, d3}, [a];", team + 8, 0,
       CUDA_ERROR_MISALIGNED_ADDRESS);
}

}  // namespace
