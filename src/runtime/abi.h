// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The types of the CUDA runtime API as Heddle implements it (of CUDA 13; abi/cuda12.h has the types
// that differ in CUDA 12): all declarations that a C or C++ program needs to use libcudart.so, in
// one header. The prototypes come from functions.list (generated header runtime/api.h). Rule: this
// is an ABI. Names, values, member order and member types are the published interface;
// tests/runtime/abi_compare.py compares them with the vendor's headers where those are installed.
#pragma once

#include "runtime/abi/array.h"
#include "runtime/abi/cuda12.h"
#include "runtime/abi/device.h"
#include "runtime/abi/error.h"
#include "runtime/abi/external.h"
#include "runtime/abi/graph.h"
#include "runtime/abi/launch.h"
#include "runtime/abi/library.h"
#include "runtime/abi/memory.h"
#include "runtime/abi/stream.h"
#include "runtime/abi/texture.h"
#include "runtime/abi/tools.h"
#include "runtime/abi/types.h"
#include "runtime/abi/vector.h"
