# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Libraries from the distribution; `./x setup` installs them. Nothing is downloaded while building.

find_package(Python3 3.9 REQUIRED COMPONENTS Interpreter)
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)

# zstd and lz4 ship no CMake package in Debian 12.
function(heddle_plain_library name header library)
  find_path(HEDDLE_${name}_INCLUDE ${header} REQUIRED)
  find_library(HEDDLE_${name}_LIBRARY ${library} REQUIRED)
  mark_as_advanced(HEDDLE_${name}_INCLUDE HEDDLE_${name}_LIBRARY)
  add_library(heddle::${name} UNKNOWN IMPORTED GLOBAL)
  set_target_properties(heddle::${name} PROPERTIES
    IMPORTED_LOCATION ${HEDDLE_${name}_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${HEDDLE_${name}_INCLUDE})
endfunction()
heddle_plain_library(zstd zstd.h zstd)
heddle_plain_library(lz4 lz4.h lz4)

# The BLAS of the host, which src/mathlibs loads at run time. Debian keeps its header beside those of other BLAS.
if(HEDDLE_MATHLIBS)
  find_path(HEDDLE_OPENBLAS_INCLUDE openblas_config.h PATH_SUFFIXES openblas-pthread openblas-openmp openblas-serial openblas)
  mark_as_advanced(HEDDLE_OPENBLAS_INCLUDE)
  if(NOT HEDDLE_OPENBLAS_INCLUDE)
    message(WARNING "OpenBLAS not found: libcublas and libcublasLt are left out (./x setup installs it)")
    set(HEDDLE_WITHOUT_mathlibs ON)
  endif()
else()
  set(HEDDLE_WITHOUT_mathlibs ON)
endif()

if(BUILD_TESTING)
  find_package(GTest REQUIRED)
  # lit is a Python script that Debian keeps out of PATH; run it as ${Python3_EXECUTABLE} ${HEDDLE_LIT}.
  # FileCheck and clang have a version in their Debian names. If one of these is not installed, the
  # tests that need it are left out, with a message.
  find_program(HEDDLE_LIT NAMES lit.py lit llvm-lit
               HINTS /usr/lib/llvm-19/build/utils/lit ENV HEDDLE_LLVM_TOOLS)
  find_program(HEDDLE_FILECHECK NAMES FileCheck-19 FileCheck HINTS /usr/lib/llvm-19/bin)
  find_program(HEDDLE_CLANG NAMES clang-19 HINTS /usr/lib/llvm-19/bin)
  mark_as_advanced(HEDDLE_LIT HEDDLE_FILECHECK HEDDLE_CLANG)
  foreach(tool HEDDLE_LIT HEDDLE_FILECHECK HEDDLE_CLANG)
    if(NOT ${tool})
      message(WARNING "${tool} not found: the tests that need it are left out (./x setup installs it)")
    endif()
  endforeach()
endif()
if(HEDDLE_BENCH)
  find_package(benchmark QUIET)
  find_package(OpenCL QUIET)
endif()

# What each layer links beyond the layers before it; later layers inherit it.
set(HEDDLE_EXTERNAL_base fmt::fmt)
set(HEDDLE_EXTERNAL_diag nlohmann_json::nlohmann_json)
set(HEDDLE_EXTERNAL_machine Threads::Threads)
set(HEDDLE_EXTERNAL_jit heddle::zstd ${CMAKE_DL_LIBS})
set(HEDDLE_EXTERNAL_image heddle::zstd heddle::lz4)
set(HEDDLE_EXTERNAL_driver ${CMAKE_DL_LIBS})
