// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Headers that what reads a command line includes, parsed once (HeddleHeaders.cmake).
#pragma once

#include <CLI/CLI.hpp>

#include "library.h"
