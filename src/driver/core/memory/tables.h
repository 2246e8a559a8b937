// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables of memory's objects by handle. allocation.h has memory by address.
#pragma once

#include "driver/abi.h"
#include "driver/core/table.h"

namespace heddle::driver {

class Array;
class MemoryPool;
class MipmappedArray;
class Multicast;
class Physical;

struct MemoryTables {
  Table<CUarray, Array> arrays;
  Table<CUmipmappedArray, MipmappedArray> mipmapped_arrays;
  Table<CUmemoryPool, MemoryPool> pools;
  Table<CUmemGenericAllocationHandle, Physical> physical;
  Table<CUmemGenericAllocationHandle, Multicast> multicasts;
  Table<CUasyncCallbackHandle, CUdevice> notifications;
};
/// The tables of the process, which are never destroyed.
MemoryTables& memory_tables();

}  // namespace heddle::driver
