// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Precompiled headers of sources that read a command line (HeddleHeaders.cmake).
#pragma once

#include <CLI/CLI.hpp>

#include "library.h"
