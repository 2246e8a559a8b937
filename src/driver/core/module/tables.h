// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables of modules, libraries, their kernels and links in progress by handle.
#pragma once

#include "driver/abi.h"
#include "driver/core/table.h"

namespace heddle::driver {

class Function;
class Kernel;
class Library;
class Link;
class Module;

struct ModuleTables {
  Table<CUmodule, Module> modules;
  Table<CUfunction, Function> functions;
  Table<CUlinkState, Link> links;
  Table<CUlibrary, Library> libraries;
  Table<CUkernel, Kernel> kernels;
};
/// The tables of the process, which are never destroyed.
ModuleTables& module_tables();

}  // namespace heddle::driver
