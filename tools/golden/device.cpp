// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace heddle::golden {

using Status = int;
using Handle = void*;

/// The functions of the driver API that this program uses, with explicit types.
struct Device::Driver {
  Status (*init)(unsigned);
  Status (*device_get)(int*, int);
  Status (*device_get_name)(char*, int, int);
  Status (*driver_get_version)(int*);
  Status (*primary_context_retain)(Handle*, int);
  Status (*context_set_current)(Handle);
  Status (*context_synchronize)();
  Status (*memory_allocate)(unsigned long long*, std::size_t);
  Status (*memory_free)(unsigned long long);
  Status (*copy_to_device)(unsigned long long, const void*, std::size_t);
  Status (*copy_to_host)(void*, unsigned long long, std::size_t);
  Status (*set_bytes)(unsigned long long, unsigned char, std::size_t);
  Status (*module_load)(Handle*, const void*, unsigned, int*, void**);
  Status (*module_function)(Handle*, Handle, const char*);
  Status (*module_unload)(Handle);
  Status (*launch)(Handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                   Handle, void**, void**);
  Status (*error_name)(Status, const char**);

  /// The first function that the library lacks, or null.
  const char* find(Handle library) {
    const char* missing = nullptr;
    const auto get = [&](auto& function, const char* name) {
      function =
          reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
      if (!function && !missing) missing = name;
    };
    get(init, "cuInit");
    get(device_get, "cuDeviceGet");
    get(device_get_name, "cuDeviceGetName");
    get(driver_get_version, "cuDriverGetVersion");
    get(primary_context_retain, "cuDevicePrimaryCtxRetain");
    get(context_set_current, "cuCtxSetCurrent");
    get(context_synchronize, "cuCtxSynchronize");
    get(memory_allocate, "cuMemAlloc_v2");
    get(memory_free, "cuMemFree_v2");
    get(copy_to_device, "cuMemcpyHtoD_v2");
    get(copy_to_host, "cuMemcpyDtoH_v2");
    get(set_bytes, "cuMemsetD8_v2");
    get(module_load, "cuModuleLoadDataEx");
    get(module_function, "cuModuleGetFunction");
    get(module_unload, "cuModuleUnload");
    get(launch, "cuLaunchKernel");
    get(error_name, "cuGetErrorName");
    return missing;
  }

  /// "", or "what: the error's name".
  std::string check(Status status, const char* what) const {
    if (status == 0) return {};
    const char* name = nullptr;
    error_name(status, &name);
    return fmt::format("{}: {}", what, name ? name : fmt::format("error {}", status).c_str());
  }
};

Device::Device(std::unique_ptr<Driver> driver) : driver_(std::move(driver)) {}
Device::~Device() = default;

Result<std::unique_ptr<Device>> Device::open(const std::string& library) {
  const Handle handle = dlopen(library.c_str(), RTLD_NOW);
  if (!handle) return Error{dlerror()};
  auto driver = std::make_unique<Driver>();
  if (const char* missing = driver->find(handle))
    return Error{fmt::format("{} has no {}", library, missing)};
  std::unique_ptr<Device> device(new Device(std::move(driver)));
  const Driver& d = *device->driver_;
  int number = 0, version = 0;
  char name[128] = {};
  Handle context = nullptr;
  for (const std::string& why :
       {d.check(d.init(0), "cuInit"), d.check(d.device_get(&number, 0), "cuDeviceGet"),
        d.check(d.device_get_name(name, sizeof name - 1, number), "cuDeviceGetName"),
        d.check(d.driver_get_version(&version), "cuDriverGetVersion"),
        d.check(d.primary_context_retain(&context, number), "cuDevicePrimaryCtxRetain"),
        d.check(d.context_set_current(context), "cuCtxSetCurrent")}) {
    if (!why.empty()) return Error{why};
  }
  device->description_ = fmt::format("{}, CUDA {}.{}", name, version / 1000, version % 1000 / 10);
  return device;
}

Device::Buffer::~Buffer() {
  if (device_) device_->driver_->memory_free(address_);
}

Result<Device::Buffer> Device::allocate(u64 bytes) {
  unsigned long long address = 0;
  const u64 size = std::max<u64>(bytes, 8);
  const std::string why = driver_->check(driver_->memory_allocate(&address, size), "cuMemAlloc");
  if (!why.empty()) return Error{why};
  Buffer buffer;
  buffer.device_ = this;
  buffer.address_ = address;
  buffer.bytes_ = size;
  return buffer;
}

std::string Device::write(u64 to, std::span<const u8> bytes) {
  return driver_->check(driver_->copy_to_device(to, bytes.data(), bytes.size()), "cuMemcpyHtoD");
}

std::string Device::read(std::span<u8> to, u64 from) {
  return driver_->check(driver_->copy_to_host(to.data(), from, to.size()), "cuMemcpyDtoH");
}

std::string Device::clear(u64 address, u64 bytes) {
  return driver_->check(driver_->set_bytes(address, 0, bytes), "cuMemsetD8");
}

Result<Device::Module> Device::load(const std::string& ptx) {
  constexpr int kErrorLog = 5, kErrorLogBytes = 6;  // CU_JIT_ERROR_LOG_BUFFER and its size
  std::string log(16384, '\0');
  int options[] = {kErrorLog, kErrorLogBytes};
  void* values[] = {log.data(), reinterpret_cast<void*>(log.size())};
  Handle module = nullptr;
  const Status status = driver_->module_load(&module, ptx.c_str(), 2, options, values);
  if (status == 0) return module;
  return Error{driver_->check(status, "cuModuleLoadDataEx") + "\n" + log.c_str()};
}

void Device::unload(Module module) { driver_->module_unload(module); }

Device::Outcome Device::run(Module module, const std::string& entry, u32 ctas, u32 threads,
                            std::span<void* const> arguments) {
  constexpr Status kNotSupported = 801;  // CUDA_ERROR_NOT_SUPPORTED
  Handle function = nullptr;
  std::string why = driver_->check(driver_->module_function(&function, module, entry.c_str()),
                                   "cuModuleGetFunction");
  if (!why.empty()) return {why};
  std::vector<void*> places(arguments.begin(), arguments.end());
  const Status status =
      driver_->launch(function, ctas, 1, 1, threads, 1, 1, 0, nullptr, places.data(), nullptr);
  if (status != 0) return {driver_->check(status, "cuLaunchKernel"), status != kNotSupported};
  return {driver_->check(driver_->context_synchronize(), "cuCtxSynchronize")};
}

}  // namespace heddle::golden
