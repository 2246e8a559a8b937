# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# One static library heddle_<layer> and one test program heddle_<layer>_test per folder of src/.
#
# A layer that needs more than the glob (generated code, a shared library, the same file built for
# several CPU levels) has its own src/<layer>/CMakeLists.txt, which is read instead. It starts with
#     heddle_add_layer(<layer>)
# and may then add to the target heddle_<layer> as it likes, for example
#     add_custom_command(OUTPUT ${HEDDLE_GEN_DIR}/isa/forms.cpp COMMAND ... DEPENDS ...)
#     target_sources(heddle_isa PRIVATE ${HEDDLE_GEN_DIR}/isa/forms.cpp)
# If such a file does not call heddle_add_layer, the plain layer is made after it.

# heddle_layers(name...): the layers in include order; those without a source file are skipped, and those for which
# HEDDLE_WITHOUT_<layer> is set.
function(heddle_layers)
  set_property(GLOBAL PROPERTY HEDDLE_LAYERS ${ARGN})
  foreach(layer IN LISTS ARGN)
    set(dir ${CMAKE_SOURCE_DIR}/src/${layer})
    if(HEDDLE_WITHOUT_${layer})
      continue()
    endif()
    if(EXISTS ${dir}/CMakeLists.txt)
      add_subdirectory(${dir} ${CMAKE_BINARY_DIR}/src/${layer})
    endif()
    if(NOT TARGET heddle_${layer})
      heddle_add_layer(${layer})
    endif()
  endforeach()
endfunction()

# heddle_add_layer(name [EXCLUDE regex...] [HEADERS header...]): library and tests of one layer.
# Files whose path below src/ matches a regex of EXCLUDE are left out of both; the caller builds
# them differently. HEADERS are parsed once for all of the library's sources.
function(heddle_add_layer layer)
  cmake_parse_arguments(arg "" "" "EXCLUDE;HEADERS" ${ARGN})
  set(dir ${CMAKE_SOURCE_DIR}/src/${layer})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${dir}/*.cpp ${dir}/*.h)
  set(tests ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
  list(FILTER sources EXCLUDE REGEX "(_test|_fuzz|_bench|/main)\\.cpp$")
  foreach(regex IN LISTS arg_EXCLUDE)
    list(FILTER sources EXCLUDE REGEX "/src/${regex}")
    list(FILTER tests EXCLUDE REGEX "/src/${regex}")
  endforeach()
  if(NOT sources)
    return()
  endif()

  add_library(heddle_${layer} STATIC ${sources})
  # A layer of headers only still makes an (empty) archive, so that linking it needs no special case.
  set_target_properties(heddle_${layer} PROPERTIES LINKER_LANGUAGE CXX)
  target_include_directories(heddle_${layer} PUBLIC ${CMAKE_SOURCE_DIR}/src ${HEDDLE_GEN_DIR})
  heddle_layers_below(${layer} below)
  target_link_libraries(heddle_${layer} PUBLIC ${below} ${HEDDLE_EXTERNAL_${layer}})
  if(NOT layer MATCHES "^(runtime|mathlibs)$")  # which have no fmt
    heddle_precompiled_headers(heddle_${layer} library ${arg_HEADERS})
  endif()
  if(NOT layer MATCHES "check|jit|mathlibs")  # whose files have many short names in unnamed namespaces
    heddle_join_sources(heddle_${layer} 8)
  endif()
  if(layer STREQUAL "base")
    target_compile_definitions(heddle_base PUBLIC HEDDLE_VERSION="${PROJECT_VERSION}")
  endif()

  if(BUILD_TESTING AND tests)
    add_executable(heddle_${layer}_test ${tests})
    target_link_libraries(heddle_${layer}_test PRIVATE heddle_${layer} GTest::gmock_main)
    heddle_test_program(heddle_${layer}_test)
    # One ctest entry per layer: thousands of table-driven cases run in one process.
    add_test(NAME unit.${layer} COMMAND heddle_${layer}_test --gtest_brief=1)
    set_tests_properties(unit.${layer} PROPERTIES LABELS unit)
  endif()
endfunction()

# Test code is compiled far more often than it is run, and the tested libraries are optimised anyway: without optimisation
# and line tables it compiles in a quarter of the time.
function(heddle_quick_to_compile target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:RelWithDebInfo>:-O0 -g0>)
endfunction()

# A source that reads a command line with CLI11, which uses exceptions. It is compiled without optimisation, which would take
# four times as long and gain nothing, and separately, like the headers of CLI11.
function(heddle_reads_command_line target source)
  add_library(${target}_main OBJECT ${source})
  target_link_libraries(${target}_main PRIVATE $<TARGET_PROPERTY:${target},LINK_LIBRARIES>)
  target_compile_definitions(${target}_main PRIVATE $<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>)
  heddle_compiled_like_cli11(${target}_main)
  heddle_precompiled_headers(${target}_main command_line)
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:${target}_main>)
endfunction()

function(heddle_compiled_like_cli11 target)
  target_compile_options(${target} PRIVATE -fexceptions $<$<CONFIG:RelWithDebInfo>:-O0;-g0>)
  target_link_libraries(${target} PRIVATE CLI11::CLI11 fmt::fmt)
endfunction()

# A program of GoogleTest.
function(heddle_test_program target)
  heddle_quick_to_compile(${target})
  heddle_precompiled_headers(${target} test)
endfunction()

# A program, or its library, that tests and benchmarks run. Some of these programs run for hours, so
# they are optimised.
function(heddle_test_tool target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:RelWithDebInfo>:-O1 -g0>)
  heddle_precompiled_headers(${target} library)
  heddle_join_sources(${target} 6)
endfunction()

# heddle_client_library(target name version map source...): the shared library lib<name>.so.<version>, a client of the driver
# API. `map` is its version script.
function(heddle_client_library target name version map)
  add_library(${target} SHARED ${ARGN})
  target_link_libraries(${target} PRIVATE heddle_libcuda)
  target_include_directories(${target} PUBLIC ${CMAKE_SOURCE_DIR}/src ${HEDDLE_GEN_DIR})
  # Two libraries of one name: the version is part of the file name, not a property of CMake. The RPATH is that of the
  # installation from the start: CMake would reserve room for it with an empty entry, which means the current folder.
  set_target_properties(${target} PROPERTIES
    OUTPUT_NAME ${name} SUFFIX .so.${version} NO_SONAME ON LINKER_LANGUAGE CXX INSTALL_RPATH $ORIGIN
    BUILD_WITH_INSTALL_RPATH ON LINK_DEPENDS ${map})
  # -z defs, -z nodelete: see src/driver/CMakeLists.txt.
  target_link_options(${target} PRIVATE
    -Wl,-soname,lib${name}.so.${version} -Wl,--version-script=${map} -Wl,-Bsymbolic-functions -Wl,-z,nodelete)
  if(NOT HEDDLE_SANITIZE)
    target_link_options(${target} PRIVATE -Wl,-z,defs)
  endif()
  install(TARGETS ${target} LIBRARY)
endfunction()

# The existing layer libraries that `layer` may include. interp and jit never include each other.
function(heddle_layers_below layer out)
  get_property(all GLOBAL PROPERTY HEDDLE_LAYERS)
  set(below)
  foreach(other IN LISTS all)
    if(other STREQUAL layer)
      break()
    endif()
    if(TARGET heddle_${other} AND NOT (layer STREQUAL "jit" AND other STREQUAL "interp"))
      list(APPEND below heddle_${other})
    endif()
  endforeach()
  set(${out} ${below} PARENT_SCOPE)
endfunction()

# Every layer library that exists.
function(heddle_all_layers out)
  heddle_layers_below(- all)
  set(${out} ${all} PARENT_SCOPE)
endfunction()

# The tools that build systems call, under the vendor's names: links to bin/heddle, which looks at its name. They are not in
# bin, so that they never hide the vendor's. libexec/heddle/cuda has the layout of a CUDA toolkit.
function(heddle_tool_links)
  set(folder ${CMAKE_BINARY_DIR}/libexec/heddle)
  foreach(tool ptxas nvlink fatbinary cuobjdump)
    file(MAKE_DIRECTORY ${folder}/cuda/bin)
    file(CREATE_LINK ../../bin/heddle ${folder}/${tool} SYMBOLIC)
    file(CREATE_LINK ../../${tool} ${folder}/cuda/bin/${tool} SYMBOLIC)
  endforeach()
  install(DIRECTORY ${folder} DESTINATION libexec)
endfunction()

# bin/heddle, from src/cli/main.cpp.
function(heddle_executable)
  if(NOT EXISTS ${CMAKE_SOURCE_DIR}/src/cli/main.cpp)
    return()
  endif()
  add_executable(heddle)
  heddle_all_layers(layers)
  target_link_libraries(heddle PRIVATE ${layers})
  heddle_reads_command_line(heddle src/cli/main.cpp)
  install(TARGETS heddle RUNTIME)
  heddle_tool_links()
  # docs/isa.md of the build folder: the tables in readable form.
  set(page ${CMAKE_BINARY_DIR}/docs/isa.md)
  add_custom_command(
    OUTPUT ${page}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_BINARY_DIR}/docs
    COMMAND heddle isa --markdown > ${page}
    DEPENDS heddle
    COMMENT "docs/isa.md" VERBATIM)
  add_custom_target(heddle_isa_page ALL DEPENDS ${page})
endfunction()
