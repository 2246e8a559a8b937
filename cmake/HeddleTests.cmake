# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Fuzz targets, benchmarks and script tests, all found by file suffix like the rest of the build.

# Each x_fuzz.cpp (it defines LLVMFuzzerTestOneInput) under src/ and fuzz/ is linked with all layers; src/jit builds
# those of the compiler, which is not a layer, and src/mathlibs those of its libraries.
function(heddle_fuzzers)
  file(GLOB_RECURSE files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/*_fuzz.cpp
       ${CMAKE_SOURCE_DIR}/fuzz/*_fuzz.cpp)
  list(FILTER files EXCLUDE REGEX "/src/(jit/llvm|mathlibs)/")
  heddle_all_layers(layers)
  foreach(file IN LISTS files)
    heddle_fuzzer(${file} ${layers})
  endforeach()
endfunction()

# heddle_fuzzer(file library...): x_fuzz.cpp, linked with the libraries, becomes
#   heddle_x_replay  in every build: runs the inputs in fuzz/corpus/x once, as the test fuzz.x;
#   heddle_x_fuzz    with HEDDLE_FUZZ: the libFuzzer program that `./x fuzz` runs.
function(heddle_fuzzer file)
  get_filename_component(name ${file} NAME_WE)
  string(REGEX REPLACE "_fuzz$" "" name ${name})
  if(HEDDLE_FUZZ)
    if(NOT TARGET fuzzers)
      add_custom_target(fuzzers)  # what the preset `fuzz` builds
    endif()
    add_executable(heddle_${name}_fuzz ${file})
    target_link_libraries(heddle_${name}_fuzz PRIVATE ${ARGN})
    target_link_options(heddle_${name}_fuzz PRIVATE -fsanitize=fuzzer)
    add_dependencies(fuzzers heddle_${name}_fuzz)
  endif()
  if(BUILD_TESTING)
    if(NOT TARGET heddle_replay)
      add_library(heddle_replay OBJECT ${CMAKE_SOURCE_DIR}/fuzz/replay_main.cpp)
    endif()
    add_executable(heddle_${name}_replay ${file} $<TARGET_OBJECTS:heddle_replay>)
    target_link_libraries(heddle_${name}_replay PRIVATE ${ARGN})
    heddle_test_tool(heddle_${name}_replay)
    add_test(NAME fuzz.${name}
             COMMAND heddle_${name}_replay ${CMAKE_SOURCE_DIR}/fuzz/corpus/${name})
    set_tests_properties(fuzz.${name} PROPERTIES LABELS fuzz)
  endif()
endfunction()

# heddle_bench: all *_bench.cpp under src/ and bench/ in one Google Benchmark program.
function(heddle_benchmarks)
  file(GLOB_RECURSE files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/*_bench.cpp
       ${CMAKE_SOURCE_DIR}/bench/*_bench.cpp)
  if(NOT files OR NOT TARGET benchmark::benchmark_main)
    return()
  endif()
  add_executable(heddle_bench ${files})
  heddle_all_layers(layers)
  target_link_libraries(heddle_bench PRIVATE ${layers} benchmark::benchmark_main)
  heddle_precompiled_headers(heddle_bench library)
  target_compile_definitions(heddle_bench PRIVATE HEDDLE_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  add_executable(heddle_launch_bench ${CMAKE_SOURCE_DIR}/bench/launch.cpp ${CMAKE_SOURCE_DIR}/bench/matrix_moves.cpp
                 ${CMAKE_SOURCE_DIR}/bench/matrix_products.cpp ${CMAKE_SOURCE_DIR}/bench/tensor_copies.cpp
                 ${CMAKE_SOURCE_DIR}/bench/texture_lookups.cpp)
  target_link_libraries(heddle_launch_bench PRIVATE heddle_libcuda heddle_base benchmark::benchmark)
  if(TARGET OpenCL::OpenCL)
    add_executable(heddle_opencl_bench ${CMAKE_SOURCE_DIR}/bench/opencl.cpp)
    target_link_libraries(heddle_opencl_bench PRIVATE heddle_base OpenCL::OpenCL benchmark::benchmark)
  endif()
endfunction()

# heddle_kernel_entry(name label seconds filter [VARIABLE=value...]): the test `name`, which runs the kernel tests that the
# filter selects. Under a sanitizer they take ten times as long, so they are split into tests name.1, name.2 and so on, each
# with the same time limit.
function(heddle_kernel_entry name label seconds filter)
  set(parts 1)
  if(HEDDLE_SANITIZE)
    set(parts 10)
  endif()
  math(EXPR last "${parts} - 1")
  foreach(part RANGE ${last})
    set(entry ${name})
    if(parts GREATER 1)
      math(EXPR number "${part} + 1")
      set(entry ${name}.${number})
    endif()
    add_test(NAME ${entry} COMMAND heddle_kernel_tests --gtest_brief=1 --gtest_filter=${filter})
    set_tests_properties(${entry} PROPERTIES LABELS ${label} TIMEOUT ${seconds}
                         ENVIRONMENT "GTEST_TOTAL_SHARDS=${parts};GTEST_SHARD_INDEX=${part};${ARGN}")
  endforeach()
endfunction()

# scripts/x_test.py are unittest programs.
function(heddle_script_tests)
  file(GLOB files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/scripts/*_test.py)
  foreach(file IN LISTS files)
    get_filename_component(name ${file} NAME_WE)
    add_test(NAME scripts.${name} COMMAND ${Python3_EXECUTABLE} ${file})
    set_tests_properties(scripts.${name} PROPERTIES LABELS scripts)
  endforeach()
endfunction()
