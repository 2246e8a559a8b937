// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Multicast objects: memory of several devices behind one address. Driver API 6.16. An object is
// mapped as memory is (virtual_memory.h), but there is no memory at its addresses.
// machine::Multimem has the memory that an address stands for, and only multimem operations look it
// up.
//
// The devices and the bound memory of an object are listed in a file in memory, so that processes
// can share the object. Each process maps the bound memory for itself.
#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "driver/abi.h"
#include "driver/core/memory/virtual_memory.h"
#include "machine/memory.h"

namespace heddle::driver {

/// A device's memory to bind: a part of `memory`, or memory at `address`.
struct MulticastSource {
  Device* device = nullptr;
  PhysicalPtr memory = nullptr;
  u64 offset = 0;   ///< in `memory`
  u64 address = 0;  ///< used when `memory` is null
};

class Multicast {
 public:
  /// Null on an error of the host.
  static MulticastPtr create(const CUmulticastObjectProp& properties);
  /// Imports an object from a descriptor of export_file(), perhaps of another process. The caller
  /// keeps the descriptor. Null when it does not name an object.
  static MulticastPtr import(int file);
  ~Multicast();
  Multicast(const Multicast&) = delete;
  Multicast& operator=(const Multicast&) = delete;

  u64 size() const;
  /// Whether other processes may import the object.
  bool is_shareable() const;
  /// A new descriptor that names the object; -1 on an error of the host.
  int export_file() const;

  CUresult add(Device& device);
  /// Waits until all devices have been added. When that takes long, a message on stderr says so.
  void wait_for_team(const char* caller) const;

  CUresult bind(u64 offset, u64 bytes, const MulticastSource& source);
  /// Unbinds a range, which must be exactly that of a binding. Waits until no work can use the
  /// memory.
  CUresult unbind(Device& device, u64 offset, u64 bytes);

  // Mappings: addresses that stand for [offset, offset + bytes) of the object.
  void map(machine::AddressRange addresses, u64 offset);
  void set_access(u64 address, machine::Memory::Access access);
  void unmap(u64 address);
  /// Maps memory that other processes have bound since.
  void refresh();

 private:
  /// The state that all processes share.
  struct Shared;
  struct Binding;
  class Guard;
  /// A mapping of bound memory in this process.
  class View;

  struct Mapping {
    machine::AddressRange addresses;
    u64 offset;
    machine::Memory::Access access = machine::Memory::Access::none;
  };

  Multicast(int file, Shared* shared) : file_(file), shared_(shared) {}
  static Shared* attach(int file);

  bool in_object(u64 offset, u64 bytes) const;
  machine::Multimem::Part part(const Mapping& mapping, u64 begin, u64 end) const;
  void publish(const Mapping& mapping) const;
  void publish_all();

  const int file_;
  Shared* const shared_;
  std::mutex mutex_;                            // locked before Shared::mutex
  std::map<u64, std::shared_ptr<View>> views_;  // by Binding::number
  std::map<u64, Mapping> mappings_;             // by address
};

}  // namespace heddle::driver
