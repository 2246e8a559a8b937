// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Multicast objects: memory of several devices behind one address. Driver API 6.16. An object is
// mapped as memory is (virtual_memory.h), but its addresses lead nowhere: machine::Multimem knows
// which places they stand for, and only multimem operations ask.
//
// Who takes part and what is bound stands in a file in memory, so that other processes can have the
// object. Each process maps the bound memory for itself.
#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "driver/abi.h"
#include "driver/core/memory/virtual_memory.h"
#include "machine/memory.h"

namespace heddle::driver {

/// A device's memory that is to be bound: part of `memory`, or what lies at `address`.
struct MulticastSource {
  Device* device = nullptr;
  PhysicalPtr memory = nullptr;
  u64 offset = 0;   ///< in `memory`
  u64 address = 0;  ///< without `memory`
};

class Multicast {
 public:
  /// Null: the host refuses.
  static MulticastPtr create(const CUmulticastObjectProp& properties);
  /// From a descriptor of export_file(), perhaps of another process; the descriptor stays the
  /// caller's. Null when it is none.
  static MulticastPtr import(int file);
  ~Multicast();
  Multicast(const Multicast&) = delete;
  Multicast& operator=(const Multicast&) = delete;

  u64 size() const;
  /// Whether other processes may have it.
  bool is_shareable() const;
  /// A new descriptor that stands for the object; -1: the host refuses.
  int export_file() const;

  CUresult add(Device& device);
  /// Until all devices have been added. Says on stderr what it waits for when that takes long.
  void wait_for_team(const char* caller) const;

  CUresult bind(u64 offset, u64 bytes, const MulticastSource& source);
  /// Exactly what was bound. Waits until nothing that runs can use it.
  CUresult unbind(Device& device, u64 offset, u64 bytes);

  // Addresses that stand for [offset, offset + bytes).
  void map(machine::AddressRange addresses, u64 offset);
  void set_access(u64 address, machine::Memory::Access access);
  void unmap(u64 address);
  /// Looks for what was bound elsewhere.
  void refresh();

 private:
  /// What all processes see.
  struct Shared;
  struct Binding;
  class Guard;
  /// This process' own addresses of bound memory.
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
  std::mutex mutex_;                            // taken before the one that processes share
  std::map<u64, std::shared_ptr<View>> views_;  // by number of the binding
  std::map<u64, Mapping> mappings_;             // by address
};

}  // namespace heddle::driver
