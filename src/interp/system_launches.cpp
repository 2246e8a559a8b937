// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of CUDA's device run-time: launches, copies and queries by kernels
// (machine/device_launch.h).
#include "interp/system_calls.h"

#include <cstring>

#include "base/check.h"

namespace heddle::interp {

using machine::DeviceError;
using machine::DeviceWork;
using machine::Dim3;
using machine::SystemFunction;

namespace {

/// The interface is that of CUDA 13.0.
constexpr u32 kRuntimeVersion = 13000;

u32 low(u64 word) { return static_cast<u32>(word); }
/// A dim3 is two words.
Dim3 dim3(const u64* words) {
  return {low(words[0]), static_cast<u32>(words[0] >> 32), low(words[1])};
}

DeviceWork copy(u64 to, u64 from, u64 width) {
  DeviceWork work;
  work.kind = DeviceWork::Kind::copy;
  work.to.address = to;
  work.from.address = from;
  work.width = width;
  return work;
}
DeviceWork fill(u64 to, u64 value, u64 width) {
  DeviceWork work = copy(to, 0, width);
  work.kind = DeviceWork::Kind::fill;
  work.value = static_cast<u8>(value);
  return work;
}

/// cudaMemset3DAsync: a cudaPitchedPtr (address, pitch, columns, rows), a
/// value, an extent.
DeviceWork fill_box(const u64* words) {
  DeviceWork work = fill(words[0], words[4], words[5]);
  work.to.pitch = words[1];
  work.to.slice = words[1] * words[3];
  work.height = words[6];
  work.slices = words[7];
  return work;
}

/// cudaMemcpy3DParms, in words: an array and a position (3), and a
/// cudaPitchedPtr (4), for the source and for the destination; then the extent
/// (3) and the kind.
constexpr u32 kCopyWords = 20;
/// False: the copy is of an array, which kernels cannot copy.
bool read_box(const u64* words, DeviceWork& work) {
  const auto side = [](const u64* from) {
    const u64 pitch = from[5], slice = pitch * from[7];
    return DeviceWork::Side{from[4] + from[1] + from[2] * pitch + from[3] * slice, pitch, slice};
  };
  if (words[0] || words[8]) return false;
  work = copy(0, 0, words[16]);
  work.from = side(words);
  work.to = side(words + 8);
  work.height = words[17];
  work.slices = words[18];
  return true;
}

}  // namespace

/// Writes the low bytes of `bits` at a generic address. Traps as read_bits()
/// does.
void SystemCalls::write_bits(u64 address, u64 bits, u32 bytes) {
  std::memcpy(reinterpret_cast<void*>(caller_.reach(address, bytes)), &bits, bytes);
}

/// The address in device memory of a text that lives as long as the context.
u64 SystemCalls::text_in_memory(std::string_view text) {
  return launch_.runtime->text(text, launch_.loaded->module().address_size == 32);
}

/// Calls the function, and returns its result: a cudaError_t, or an address.
u64 SystemCalls::call_runtime(u64 thread, SystemFunction function, const u64* words) {
  machine::DeviceLaunches& launches = *launch_.launches;
  machine::KernelHost* const host = launch_.config->kernels;
  const u32 address_bytes = launch_.loaded->module().address_size / 8;
  const auto give = [&](DeviceError error, u64 address, u64 bits, u32 bytes) {
    if (error == DeviceError::success) write_bits(address, bits, bytes);
    return static_cast<u64>(error);
  };
  /// Stores an answer of the host at the address in the first word.
  const auto tell = [&](auto found, u32 bytes) {
    const DeviceError error =
        found ? DeviceError::success : launches.fail(thread, DeviceError::invalid_value);
    return give(error, words[0], found ? static_cast<u64>(*found) : 0, bytes);
  };
  const auto done = [](DeviceError error) { return static_cast<u64>(error); };
  u64 handle = 0;
  switch (function) {
    case SystemFunction::take_buffer:
      return launches.take_buffer(thread, words[0], words[1]);
    case SystemFunction::take_buffer_v2:
      return launches.take_buffer(thread, words[0], dim3(words + 1), dim3(words + 3),
                                  low(words[5]));
    case SystemFunction::launch_device:
      return done(launches.launch(thread, words[0], words[1], dim3(words + 2), dim3(words + 4),
                                  low(words[6]), words[7]));
    case SystemFunction::launch_device_v2:
      return done(launches.launch(thread, words[0], words[1]));
    case SystemFunction::last_error:
      return done(launches.last_error(thread, true));
    case SystemFunction::peek_error:
      return done(launches.last_error(thread, false));
    case SystemFunction::error_name:
      return text_in_memory(machine::name_of(static_cast<DeviceError>(low(words[0]))));
    case SystemFunction::error_string:
      return text_in_memory(machine::describe(static_cast<DeviceError>(low(words[0]))));
    case SystemFunction::stream_create: {
      const DeviceError error = launches.create_stream(thread, low(words[1]), handle);
      return give(error, words[0], handle, address_bytes);
    }
    case SystemFunction::stream_destroy:
      return done(launches.destroy_stream(thread, words[0]));
    case SystemFunction::event_create: {
      const DeviceError error = launches.create_event(thread, low(words[1]), handle);
      return give(error, words[0], handle, address_bytes);
    }
    case SystemFunction::event_destroy:
      return done(launches.destroy_event(thread, words[0]));
    case SystemFunction::event_record:
      return done(launches.use_event(thread, words[0], words[1], low(words[2])));
    case SystemFunction::stream_wait_event:
      return done(launches.use_event(thread, words[1], words[0], low(words[2])));
    case SystemFunction::copy:
      return done(launches.add(thread, copy(words[0], words[1], words[2]), words[4]));
    case SystemFunction::copy_2d: {
      DeviceWork work = copy(words[0], words[2], words[4]);
      work.to.pitch = words[1];
      work.from.pitch = words[3];
      work.height = words[5];
      return done(launches.add(thread, std::move(work), words[7]));
    }
    case SystemFunction::copy_3d: {
      u64 box[kCopyWords];
      for (u32 i = 0; i < kCopyWords; ++i) box[i] = read_bits(words[0] + 8 * i, 8);
      DeviceWork work;
      if (!read_box(box, work)) return done(launches.fail(thread, DeviceError::invalid_value));
      return done(launches.add(thread, std::move(work), words[1]));
    }
    case SystemFunction::fill:
      return done(launches.add(thread, fill(words[0], words[1], words[2]), words[3]));
    case SystemFunction::fill_2d: {
      DeviceWork work = fill(words[0], words[2], words[3]);
      work.to.pitch = words[1];
      work.height = words[4];
      return done(launches.add(thread, std::move(work), words[5]));
    }
    case SystemFunction::fill_3d:
      return done(launches.add(thread, fill_box(words), words[8]));
    case SystemFunction::allocate: {
      const u64 address = launch_.runtime->allocate(words[1], address_bytes == 4);
      const DeviceError error =
          address ? DeviceError::success : launches.fail(thread, DeviceError::out_of_memory);
      return give(error, words[0], address, address_bytes);
    }
    case SystemFunction::release:
      return done(launch_.runtime->release(words[0])
                      ? DeviceError::success
                      : launches.fail(thread, DeviceError::invalid_value));
    case SystemFunction::device:
      return give(DeviceError::success, words[0], host ? host->device() : 0, 4);
    case SystemFunction::device_count:
      return give(DeviceError::success, words[0], host ? host->devices() : 1, 4);
    case SystemFunction::device_attribute:
      return tell(host ? host->attribute(low(words[1]), low(words[2])) : std::nullopt, 4);
    case SystemFunction::device_limit:
      return tell(host ? host->limit(low(words[1])) : std::nullopt, 8);
    case SystemFunction::preference:
      return give(DeviceError::success, words[0], 0, 4);
    case SystemFunction::runtime_version:
      return give(DeviceError::success, words[0], kRuntimeVersion, 4);
    case SystemFunction::occupancy: {
      const ir::FunctionId id = launch_.loaded->function_at(words[1]);
      if (!id || !launch_.loaded->module().functions[id.value].is_entry)
        return done(launches.fail(thread, DeviceError::invalid_function));
      return tell(host ? host->occupancy(id, low(words[2]), words[3]) : std::nullopt, 4);
    }
    default:
      HEDDLE_UNREACHABLE();
  }
}

}  // namespace heddle::interp
