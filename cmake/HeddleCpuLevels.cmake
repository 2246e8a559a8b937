# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Code that is built several times, once for each CPU level, and chosen at start (base/cpu_level.h).
# Each level's object library has a namespace of its own (HEDDLE_LEVEL; and `sem`, so that an inline
# function of the semantics compiled for a newer CPU never stands in for the one that an older CPU
# needs). The release preset builds all levels, the others the baseline only.

set(HEDDLE_CPU_LEVELS "" CACHE STRING "CPU levels beside the baseline to build such code for: v3 (AVX2), v4 (AVX-512)")
set(HEDDLE_ALL_CPU_LEVELS baseline)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  list(APPEND HEDDLE_ALL_CPU_LEVELS ${HEDDLE_CPU_LEVELS})
endif()

# heddle_add_level(layer level sources...): the object library heddle_<layer>_<level>, part of
# heddle_<layer>, where HEDDLE_HAS_LEVEL_<LEVEL> is defined.
function(heddle_add_level layer level)
  set(march_baseline)
  set(march_v3 -march=x86-64-v3)
  set(march_v4 -march=x86-64-v4 -mprefer-vector-width=512)
  # Registers are bytes that instructions see with different types; the semantics test for NaN and never for errno or traps.
  # Vectors that are wider than the level's registers stay within one object library, so their calling convention does not matter.
  set(options -fno-strict-aliasing -fno-math-errno -fno-trapping-math -ftree-vectorize -Wno-psabi)
  # clang unrolls short loops over 32 lanes (moves and conversions of integers) before it vectorizes them, and an unrolled loop stays scalar.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    list(APPEND options "SHELL:-mllvm -unroll-full-max-count=31")
  endif()
  set(target heddle_${layer}_${level})
  add_library(${target} OBJECT ${ARGN})
  target_link_libraries(${target} PRIVATE heddle_isa)
  target_compile_options(${target} PRIVATE ${options} ${march_${level}} $<$<CONFIG:RelWithDebInfo>:-g0>)
  target_compile_definitions(${target} PRIVATE HEDDLE_LEVEL=${level} HEDDLE_LEVEL_NAME="${level}" sem=sem_${level})
  target_sources(heddle_${layer} PRIVATE $<TARGET_OBJECTS:${target}>)
  string(TOUPPER ${level} upper)
  target_compile_definitions(heddle_${layer} PRIVATE HEDDLE_HAS_LEVEL_${upper})
endfunction()
