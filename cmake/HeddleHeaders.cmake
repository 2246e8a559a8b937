# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Two measures that shorten a full build. Headers of the standard library, fmt and GoogleTest are
# precompiled. And several sources of a target are compiled as one, so that Heddle's own headers and
# their templates are compiled once, too. Each source still includes the headers that it uses, and
# the dev preset (GCC) has neither measure, so it detects a missing include. With Clang only: GCC
# requires the same flags for a precompiled header and its users, and targets differ in their flags.

if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND NOT HEDDLE_FUZZ)
  set(HEDDLE_PRECOMPILE_DEFAULT ON)
else()
  set(HEDDLE_PRECOMPILE_DEFAULT OFF)
endif()
option(HEDDLE_PRECOMPILE "Parse common headers once" ${HEDDLE_PRECOMPILE_DEFAULT})
option(HEDDLE_JOIN_SOURCES "Compile several sources as one" ${HEDDLE_PRECOMPILE_DEFAULT})

# heddle_join_sources(target count): compiles up to `count` sources as one. A name that two sources
# of a target have in their unnamed namespaces then clashes: one of them gets a better name.
function(heddle_join_sources target count)
  set_target_properties(${target} PROPERTIES
    UNITY_BUILD ${HEDDLE_JOIN_SOURCES} UNITY_BUILD_BATCH_SIZE ${count})
endfunction()

# heddle_own_headers(target header...): these headers are parsed once for the target's sources.
function(heddle_own_headers target)
  if(NOT HEDDLE_PRECOMPILE)
    return()
  endif()
  target_precompile_headers(${target} PRIVATE ${ARGN})
  # The file with the list keeps its date when CMake writes another list into it; a changed command
  # triggers a rebuild.
  string(REPLACE "${PROJECT_SOURCE_DIR}/" "" list "${ARGN}")
  string(MD5 list "${list}")
  target_compile_definitions(${target} PRIVATE HEDDLE_HEADERS=${list})
  # ccache hashes the result, so it must not hold the time.
  target_compile_options(${target} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
endfunction()

# heddle_precompiled_headers(target kind [header...]): `kind` is library (linked with fmt), test or command_line. A
# program with the kind `library` is compiled like a library. Headers of the target that most of its sources
# include may follow.
function(heddle_precompiled_headers target kind)
  if(NOT HEDDLE_PRECOMPILE)
    return()
  endif()
  get_target_property(type ${target} TYPE)
  if(kind STREQUAL "library" AND type STREQUAL "EXECUTABLE")
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${target} PRIVATE -fPIC)
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
      heddle_quick_to_compile(${headers})
      target_link_libraries(${headers} PRIVATE GTest::gmock)
    elseif(kind STREQUAL "command_line")
      heddle_compiled_like_cli11(${headers})
    else()
      target_link_libraries(${headers} PRIVATE fmt::fmt)
    endif()
    target_precompile_headers(${headers} PRIVATE ${dir}/${kind}.h)
  endif()
  if(ARGN)  # of its own
    heddle_own_headers(${target} ${PROJECT_SOURCE_DIR}/cmake/headers/${kind}.h ${ARGN})
  else()
    target_precompile_headers(${target} REUSE_FROM ${headers})
  endif()
endfunction()
