// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The types of the NVIDIA Management Library as Heddle implements it: everything a C or C++ program
// needs to talk to libnvidia-ml.so.1, in one header of our own. The prototypes come from
// functions.list (generated header nvml/api.h). Rule: this is an ABI. Names, values, member order
// and member types are the published interface; tests/nvml/abi_compare.py holds them against the
// vendor's header where that is installed.
#pragma once

#include "nvml/abi/device.h"
#include "nvml/abi/error.h"
#include "nvml/abi/event.h"
#include "nvml/abi/opaque.h"
#include "nvml/abi/other.h"
