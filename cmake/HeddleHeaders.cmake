# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Headers of the standard library, fmt and GoogleTest, parsed once: half of the time that a small
# file takes to compile. Sources include what they use all the same. With Clang only: GCC wants the
# very flags that the headers were compiled with, and targets differ in theirs.

if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND NOT HEDDLE_FUZZ)
  set(HEDDLE_PRECOMPILE_DEFAULT ON)
else()
  set(HEDDLE_PRECOMPILE_DEFAULT OFF)
endif()
option(HEDDLE_PRECOMPILE "Parse common headers once" ${HEDDLE_PRECOMPILE_DEFAULT})

# heddle_precompiled_headers(target kind): `kind` is library (linked with fmt) or test.
function(heddle_precompiled_headers target kind)
  if(NOT HEDDLE_PRECOMPILE)
    return()
  endif()
  set(headers heddle_headers_${kind})
  if(NOT TARGET ${headers})
    set(dir ${PROJECT_SOURCE_DIR}/cmake/headers)
    add_library(${headers} OBJECT ${dir}/empty.cpp)
    # ccache hashes the result, so it must not hold the time.
    target_compile_options(${headers} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
    if(kind STREQUAL "test")
      set_target_properties(${headers} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
      target_compile_options(${headers} PRIVATE -fPIE)
      target_link_libraries(${headers} PRIVATE GTest::gmock)
    else()
      target_link_libraries(${headers} PRIVATE fmt::fmt)
    endif()
    target_precompile_headers(${headers} PRIVATE ${dir}/${kind}.h)
  endif()
  target_precompile_headers(${target} REUSE_FROM ${headers})
endfunction()
