# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Compiler settings that hold for every target. Nothing here may depend on the host CPU: code for
# several CPU levels is built as separate object libraries by the layer that wants it.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

# All code may end up in libcuda.so.1, and only symbols that are exported explicitly are visible.
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)

# Products: <build>/bin/heddle, <build>/lib/libcuda.so.1. Generated code: <build>/gen.
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
set(HEDDLE_GEN_DIR ${CMAKE_BINARY_DIR}/gen)
file(MAKE_DIRECTORY ${HEDDLE_GEN_DIR})

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Debug or RelWithDebInfo" FORCE)
endif()
# -g1: enough for a backtrace with lines, at a third of the object size.
set(CMAKE_C_FLAGS_RELWITHDEBINFO "-O2 -g1 -DNDEBUG")
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O2 -g1 -DNDEBUG")
set(CMAKE_C_FLAGS_DEBUG "-O1 -g")
set(CMAKE_CXX_FLAGS_DEBUG "-O1 -g -D_GLIBCXX_ASSERTIONS")

# -ffp-contract=off: a fused multiply-add is a different result; PTX says when to fuse, not the host.
# -fno-trapping-math -fno-math-errno: no code reads floating-point exceptions or errno after sqrt; without these options
# GCC does not vectorize a floating-point select. Neither changes a result.
# -fno-exceptions: no code throws, and only the code that reads a command line catches (CLI11's users add -fexceptions).
# The clean-up code for exceptions would be a tenth of all generated code.
add_compile_options(-Wall -Wextra -ffp-contract=off -fno-trapping-math -fno-math-errno
                    $<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions>)
if(HEDDLE_WERROR)
  add_compile_options(-Werror)
endif()

if(HEDDLE_SANITIZE)
  add_compile_options(-fsanitize=${HEDDLE_SANITIZE} -fno-omit-frame-pointer
                      -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${HEDDLE_SANITIZE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    # A C program's libcuda.so.1 needs the checks of C++.
    add_link_options(-fsanitize-link-c++-runtime)
    set(CMAKE_C_STANDARD_LIBRARIES "-lstdc++")
  endif()
endif()

if(HEDDLE_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "HEDDLE_FUZZ needs clang; use `cmake --preset fuzz`")
  endif()
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

if(NOT CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(HEDDLE_CCACHE ccache)
  if(HEDDLE_CCACHE)
    set(CMAKE_C_COMPILER_LAUNCHER ${HEDDLE_CCACHE})
    # ccache's options for precompiled headers (HeddleHeaders.cmake). Such a header records the sizes
    # of the files that it contains, and Clang refuses it when one differs. So ccache must compare
    # comments, too, which it leaves out by default.
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
        CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_COMMENTS=1 ${HEDDLE_CCACHE})
  endif()
endif()
