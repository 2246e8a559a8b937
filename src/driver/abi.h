// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The types of the CUDA driver API as Heddle implements it: everything a C or C++ program needs to
// talk to libcuda.so.1, in one header of our own. The prototypes come from functions.list
// (generated header driver/api.h), so that a function is described once. Rule: this is an ABI.
// Names, values, member order and member types are the published interface;
// tests/driver/abi_compare.py holds them against the vendor's header where that is installed.
#pragma once

#include "driver/abi/array.h"
#include "driver/abi/context.h"
#include "driver/abi/cuda_13_1.h"
#include "driver/abi/device.h"
#include "driver/abi/error.h"
#include "driver/abi/external.h"
#include "driver/abi/graph.h"
#include "driver/abi/graphics.h"
#include "driver/abi/launch.h"
#include "driver/abi/memory.h"
#include "driver/abi/module.h"
#include "driver/abi/stream.h"
#include "driver/abi/texture.h"
#include "driver/abi/tools.h"
#include "driver/abi/types.h"
