// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program's GPU code, registered by hand in the way compilers register it: PTX in a fat binary in
// a wrapper, and host symbols that stand for kernels and variables. Any address will do as a
// symbol.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "runtime/api.h"

#define EXPECT_OK(call) EXPECT_EQ((call), cudaSuccess)
#define ASSERT_OK(call) ASSERT_EQ((call), cudaSuccess)

/// One entry of a fat binary: PTX (kind 1) or, to be ignored, GPU code (kind 2).
struct FatEntry {
  std::uint16_t kind = 1, version = 0x0101;
  std::uint32_t header_bytes = 64;
  std::uint64_t payload_bytes = 0;
  std::uint32_t compressed_bytes = 0, options = 0;
  std::uint16_t minor = 8, major = 7;
  std::uint32_t sm = 75, name = 0, name_bytes = 0;
  std::uint64_t flags = 0x11, zero = 0, text_bytes = 0;
};

class FatBinary {
 public:
  FatBinary& ptx(std::string text) { return add({}, std::move(text)); }
  FatBinary& gpu_code() { return add({.kind = 2}, "\177ELF"); }
  const void* data() {
    const struct {
      std::uint32_t magic = 0xba55ed50;
      std::uint16_t version = 1, header_bytes = 16;
      std::uint64_t content_bytes;
    } header{.content_bytes = content_.size()};
    bytes_.assign(reinterpret_cast<const char*>(&header), sizeof header);
    bytes_ += content_;
    return bytes_.data();
  }

 private:
  FatBinary& add(FatEntry entry, std::string payload) {
    payload.resize((payload.size() + 8) / 8 * 8);
    entry.payload_bytes = entry.text_bytes = payload.size();
    content_.append(reinterpret_cast<const char*>(&entry), sizeof entry);
    content_ += payload;
    return *this;
  }
  std::string content_, bytes_;
};

class Program {
 public:
  explicit Program(FatBinary binary, std::vector<FatBinary> relocatable = {})
      : binary_(std::move(binary)), relocatable_(std::move(relocatable)) {
    wrapper_.data = binary_.data();
    if (!relocatable_.empty()) {
      for (FatBinary& each : relocatable_) pointers_.push_back(each.data());
      pointers_.push_back(nullptr);
      wrapper_.version = 2;
      wrapper_.relocatable = pointers_.data();
    }
    handle_ = __cudaRegisterFatBinary(&wrapper_);
  }
  explicit Program(const char* ptx) : Program(FatBinary().ptx(ptx)) {}
  Program(const Program&) = delete;
  ~Program() { __cudaUnregisterFatBinary(handle_); }

  /// Registers a kernel and returns its symbol.
  const void* kernel(const char* name) {
    char* symbol = new_symbol();
    __cudaRegisterFunction(handle_, symbol, symbol, name, -1, nullptr, nullptr, nullptr, nullptr,
                           nullptr);
    return symbol;
  }
  const void* variable(const char* name, size_t size) {
    char* symbol = new_symbol();
    __cudaRegisterVar(handle_, symbol, symbol, name, 0, size, 0, 1);
    return symbol;
  }
  void managed(void** pointer, const char* name, size_t size) {
    __cudaRegisterManagedVar(handle_, pointer, new_symbol(), name, 0, size, 0, 1);
  }
  bool init() { return __cudaInitModule(handle_) != 0; }

 private:
  char* new_symbol() { return &symbols_[count_++]; }

  struct {
    std::uint32_t magic = 0x466243b1, version = 1;
    const void* data = nullptr;
    const void* const* relocatable = nullptr;
  } wrapper_;
  FatBinary binary_;
  std::vector<FatBinary> relocatable_;
  std::vector<const void*> pointers_;
  void** handle_ = nullptr;
  char symbols_[32] = {};
  int count_ = 0;
};

/// `n` ints on the device.
inline int* device_ints(const std::vector<int>& values) {
  void* memory = nullptr;
  EXPECT_OK(cudaMalloc(&memory, values.size() * 4));
  EXPECT_OK(cudaMemcpy(memory, values.data(), values.size() * 4, cudaMemcpyHostToDevice));
  return static_cast<int*>(memory);
}

inline std::vector<int> host_ints(const void* device, size_t count) {
  std::vector<int> values(count);
  EXPECT_OK(cudaMemcpy(values.data(), device, count * 4, cudaMemcpyDeviceToHost));
  return values;
}

/// Blocks a stream until open(): later work in the stream is pending until then.
class Gate {
 public:
  explicit Gate(cudaStream_t stream) {
    EXPECT_OK(
        cudaLaunchHostFunc(stream, [](void* self) { static_cast<Gate*>(self)->pass(); }, this));
  }
  ~Gate() {
    open();
    while (!passed_) std::this_thread::yield();
  }
  void open() { open_ = true; }

 private:
  void pass() {
    while (!open_) std::this_thread::yield();
    passed_ = true;
  }
  std::atomic<bool> open_{false}, passed_{false};
};
