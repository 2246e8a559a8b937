// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The types of libcublas and libcublasLt: all declarations that a C or C++ program needs to use
// them, in one header. The prototypes come from functions.list (generated header mathlibs/api.h).
// Rule: this is an ABI. Names, values, member order and member types are the published interface;
// tests/mathlibs/abi_compare.py compares them with the vendor's headers where those are installed.
#pragma once

#include "mathlibs/abi/cublas.h"
#include "mathlibs/abi/cublas_lt.h"
#include "mathlibs/abi/cublas_xt.h"
#include "mathlibs/abi/library_types.h"
