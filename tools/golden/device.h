// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A GPU, or Heddle, through the CUDA driver API. The library is loaded at run time: one program
// records on both.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>

#include "base/result.h"
#include "base/types.h"

namespace heddle::golden {

class Device {
 public:
  /// A libcuda.so.1: a path, or a name that the loader finds.
  static Result<std::unique_ptr<Device>> open(const std::string& library);
  ~Device();

  /// The device's name and the driver's version: "NVIDIA H200, CUDA 13.0".
  const std::string& description() const { return description_; }

  /// Device memory, freed by the destructor; at least 8 bytes.
  class Buffer {
   public:
    Buffer() = default;
    Buffer(Buffer&& other) noexcept { *this = std::move(other); }
    Buffer& operator=(Buffer&& other) noexcept {
      std::swap(device_, other.device_);
      std::swap(address_, other.address_);
      std::swap(bytes_, other.bytes_);
      return *this;
    }
    ~Buffer();

    u64 address() const { return address_; }
    u64 bytes() const { return bytes_; }

   private:
    friend Device;
    Device* device_ = nullptr;
    u64 address_ = 0, bytes_ = 0;
  };
  Result<Buffer> allocate(u64 bytes);
  /// "", or the error.
  std::string write(u64 to, std::span<const u8> bytes);
  std::string read(std::span<u8> to, u64 from);
  std::string clear(u64 address, u64 bytes);

  using Module = void*;
  /// Error: the driver's log.
  Result<Module> load(const std::string& ptx);
  void unload(Module module);
  struct Outcome {
    std::string why;  ///< "", or what went wrong
    /// False: the driver does not support the kernel; there was no other error.
    bool supported = true;
  };
  /// Runs the entry with `ctas` CTAs and waits for it.
  Outcome run(Module module, const std::string& entry, u32 ctas, u32 threads,
              std::span<void* const> arguments);

 private:
  struct Driver;
  explicit Device(std::unique_ptr<Driver> driver);

  std::unique_ptr<Driver> driver_;
  std::string description_;
};

}  // namespace heddle::golden
