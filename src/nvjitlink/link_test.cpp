// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options, inputs and outputs of nvJitLink's links.
#include "nvjitlink/link.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "image/container.h"
#include "image/test_images.h"

namespace heddle::nvjitlink {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

std::string ptx(const std::string& body, const char* target = "sm_75") {
  return std::string(".version 8.7\n.target ") + target + "\n.address_size 64\n" + body;
}
const std::string kKernel = ".visible .entry k() { ret; }\n";
const std::string kCaller = ".extern .func f();\n.visible .entry k() { call f; ret; }\n";
const std::string kCallee = ".visible .func f() { ret; }\n";

TEST(NvJitLinkOptions, Refusals) {
  const struct {
    std::vector<const char*> words;
    nvJitLinkResult result;
    const char* why;
  } cases[] = {
      {{}, NVJITLINK_ERROR_MISSING_ARCH, "the option -arch=sm_NN is missing"},
      {{"-lto"}, NVJITLINK_ERROR_MISSING_ARCH, "the option -arch=sm_NN is missing"},
      {{"-foo", "-arch=sm_90"}, NVJITLINK_ERROR_UNRECOGNIZED_OPTION, "unrecognized option: -foo"},
      {{"-verbos", "-arch=sm_90"},
       NVJITLINK_ERROR_UNRECOGNIZED_OPTION,
       "unrecognized option: -verbos; did you mean '-verbose'?"},
      {{"--verbose"}, NVJITLINK_ERROR_UNRECOGNIZED_OPTION, "unrecognized option: --verbose"},
      {{"-O9"}, NVJITLINK_ERROR_UNRECOGNIZED_OPTION, "unrecognized option: -O9"},
      {{"-arch", "sm_90"}, NVJITLINK_ERROR_UNRECOGNIZED_OPTION, "option -arch needs a value"},
      {{"-g=1"}, NVJITLINK_ERROR_UNRECOGNIZED_OPTION, "option -g takes no value"},
      {{"-maxrregcount=zz"}, NVJITLINK_ERROR_UNRECOGNIZED_OPTION, "is no number: zz"},
      {{"-ftz=2"}, NVJITLINK_ERROR_UNRECOGNIZED_OPTION, "neither 0 nor 1: 2"},
      {{"-arch=sm_42"}, NVJITLINK_ERROR_UNRECOGNIZED_ARCH, "-arch=sm_42: no such architecture"},
      {{"-arch=blah"}, NVJITLINK_ERROR_UNRECOGNIZED_ARCH, "-arch=blah: no such architecture"},
      {{"-arch=sm_90", "-ptx"}, NVJITLINK_ERROR_INCOMPATIBLE_OPTIONS, "-ptx requires -lto"},
      {{"-arch=compute_90"},
       NVJITLINK_ERROR_INCOMPATIBLE_OPTIONS,
       "a virtual architecture requires -ptx"},
      {{nullptr}, NVJITLINK_ERROR_NULL_INPUT, "null pointer"},
  };
  for (const auto& c : cases) {
    Link link;
    EXPECT_EQ(link.create(c.words), c.result) << c.why;
    EXPECT_THAT(link.errors(), HasSubstr(c.why));
    EXPECT_EQ(link.add(NVJITLINK_INPUT_PTX, ptx(kKernel), ""), NVJITLINK_ERROR_INTERNAL);
    EXPECT_EQ(link.complete(), NVJITLINK_ERROR_INTERNAL);
  }
}

TEST(NvJitLinkOptions, AllAreKnown) {
  Link link;
  EXPECT_EQ(link.create(std::vector<const char*>{"-arch=sm_90a",
                                                 "-maxrregcount=64",
                                                 "-time",
                                                 "-verbose",
                                                 "-lto",
                                                 "-g",
                                                 "-lineinfo",
                                                 "-ftz=1",
                                                 "-prec-div=0",
                                                 "-prec-sqrt=true",
                                                 "-fma=false",
                                                 "-kernels-used=k",
                                                 "-variables-used=v",
                                                 "-optimize-unused-variables",
                                                 "-Xptxas=-v",
                                                 "-split-compile=0",
                                                 "-split-compile-extended=2",
                                                 "-jump-table-density=101",
                                                 "-no-cache",
                                                 "-device-stack-protector",
                                                 "-O0",
                                                 "-O3"}),
            NVJITLINK_SUCCESS)
      << link.errors();
}

/// The texts of a link's output, "name registers contract".
std::vector<std::string> texts_of(const Link& link) {
  std::string cubin;
  std::vector<std::string> all;
  EXPECT_EQ(link.cubin(cubin), NVJITLINK_SUCCESS);
  for (const auto& text : image::read_container(cubin).texts)
    all.push_back(fmt::format("{} {} {}", text.name, text.max_registers, text.contract));
  return all;
}

TEST(NvJitLink, LinksInputsOfEachType) {
  Link link;
  ASSERT_EQ(link.create(
                std::vector<const char*>{"-arch=sm_90", "-maxrregcount=40", "-Xptxas=-fmad=false"}),
            NVJITLINK_SUCCESS);
  const std::string object = image::host_object(
      {{"__nv_relfatbin", image::fat_binary({{1, 75, ptx(".visible .func h() { ret; }\n")}})}});
  const std::string container =
      image::write_container(std::vector<image::PtxText>{{"in.ptx", ptx(kCallee), 32}});
  const std::string library = image::archive(
      {{"needed.o", object}, {"other.ptx", ptx(".visible .func other() { ret; }\n")}});
  const std::string fat = image::fat_binary(
      {{1, 75, ptx(".extern .func h();\n.visible .func g() { call h; ret; }\n")}});
  EXPECT_EQ(link.add(NVJITLINK_INPUT_PTX, ptx(kCaller), "a"), NVJITLINK_SUCCESS) << link.errors();
  EXPECT_EQ(link.add(NVJITLINK_INPUT_CUBIN, container, "b"), NVJITLINK_SUCCESS) << link.errors();
  EXPECT_EQ(link.add(NVJITLINK_INPUT_FATBIN, fat, "c"), NVJITLINK_SUCCESS) << link.errors();
  EXPECT_EQ(link.add(NVJITLINK_INPUT_LIBRARY, library, "d"), NVJITLINK_SUCCESS) << link.errors();
  EXPECT_EQ(link.complete(), NVJITLINK_SUCCESS) << link.errors();
  EXPECT_THAT(texts_of(link),
              ElementsAre("a 40 false", "in.ptx 32 false", "c 40 false", "d(needed.o) 40 false"));
  EXPECT_EQ(link.errors(), "");
}

TEST(NvJitLink, PtxOfLtoIr) {
  const struct {
    std::vector<std::string> inputs;
    nvJitLinkResult result;
  } cases[] = {{{ptx(kKernel)}, NVJITLINK_SUCCESS},
               {{ptx(kCaller), ptx(kCallee)}, NVJITLINK_ERROR_FINALIZE}};
  for (const auto& c : cases) {
    Link link;
    std::string made;
    ASSERT_EQ(link.create(std::vector<const char*>{"-arch=compute_90", "-lto", "-ptx"}),
              NVJITLINK_SUCCESS);
    for (const std::string& input : c.inputs)
      EXPECT_EQ(link.add(NVJITLINK_INPUT_LTOIR, input, ""), NVJITLINK_SUCCESS) << link.errors();
    EXPECT_EQ(link.complete(), c.result) << link.errors();
    if (c.result == NVJITLINK_SUCCESS) {
      EXPECT_EQ(link.ptx(made), NVJITLINK_SUCCESS);
      EXPECT_EQ(made, c.inputs[0]);
    } else {
      EXPECT_THAT(link.errors(), HasSubstr("here are several"));
      EXPECT_EQ(link.ptx(made), NVJITLINK_ERROR_INTERNAL);
    }
  }
}

TEST(NvJitLink, WhatKernelsUse) {
  const struct {
    const char* option;
    bool assembler, linker;
  } cases[] = {{"-O3", false, false}, {"-Xptxas=-v", true, false}, {"-verbose", true, true}};
  for (const auto& c : cases) {
    Link link;
    ASSERT_EQ(link.create(std::vector<const char*>{"-arch=sm_90", c.option}), NVJITLINK_SUCCESS);
    ASSERT_EQ(link.add(NVJITLINK_INPUT_PTX, ptx(kKernel), ""), NVJITLINK_SUCCESS);
    ASSERT_EQ(link.complete(), NVJITLINK_SUCCESS);
    const auto says = [&](const char* words) {
      return link.infos().find(words) != std::string::npos;
    };
    EXPECT_EQ(says("ptxas info    : Compiling entry function 'k' for 'sm_90'"), c.assembler)
        << link.infos();
    EXPECT_EQ(says("info    : Function properties for 'k'"), c.linker) << link.infos();
  }
}

TEST(NvJitLink, TypeIsFound) {
  Link link;
  ASSERT_EQ(link.create(std::vector<const char*>{"-arch=sm_90"}), NVJITLINK_SUCCESS);
  EXPECT_EQ(link.add(NVJITLINK_INPUT_ANY, ptx(kKernel), ""), NVJITLINK_SUCCESS);
  EXPECT_EQ(link.complete(), NVJITLINK_SUCCESS);
  EXPECT_THAT(texts_of(link), ElementsAre("<memory> 0 true"));
}

TEST(NvJitLink, RefusedInputs) {
  const std::string cubin = image::host_object({}, EM_CUDA);
  const std::string lto = image::fat_binary({{8, 90, "code"}});
  const struct {
    const char* what;
    nvJitLinkInputType type;
    std::string bytes;
    nvJitLinkResult result;
    const char* why;
  } cases[] = {
      {"mistakes", NVJITLINK_INPUT_PTX, ptx("oops\n"), NVJITLINK_ERROR_PTX_COMPILE,
       "in:4:1: error"},
      {"a newer target", NVJITLINK_INPUT_PTX, ptx(kKernel, "sm_100"), NVJITLINK_ERROR_PTX_COMPILE,
       "the module is for sm_100, which sm_90 (-arch) does not run"},
      {"machine code", NVJITLINK_INPUT_CUBIN, cubin, NVJITLINK_ERROR_INVALID_INPUT, "a cubin"},
      {"text as cubin", NVJITLINK_INPUT_CUBIN, ptx(kKernel), NVJITLINK_ERROR_INCORRECT_INPUT_TYPE,
       "this is not a cubin"},
      {"cubin as text", NVJITLINK_INPUT_PTX, cubin, NVJITLINK_ERROR_INCORRECT_INPUT_TYPE,
       "this is not PTX"},
      {"text as library", NVJITLINK_INPUT_LIBRARY, ptx(kKernel),
       NVJITLINK_ERROR_INCORRECT_INPUT_TYPE, "this is not a library"},
      {"LTO-IR", NVJITLINK_INPUT_LTOIR, "\xed\x43\x4e\x7f", NVJITLINK_ERROR_LTO_NOT_ENABLED,
       "numba-cuda"},
      {"LTO-IR by its content", NVJITLINK_INPUT_ANY, "\xed\x43\x4e\x7f",
       NVJITLINK_ERROR_LTO_NOT_ENABLED, "LTO-IR"},
      {"a fat binary of LTO-IR", NVJITLINK_INPUT_FATBIN, lto, NVJITLINK_ERROR_INVALID_INPUT,
       "LTO-IR for sm_90"},
      {"an index", NVJITLINK_INPUT_INDEX, "x", NVJITLINK_ERROR_UNRECOGNIZED_INPUT, "an index file"},
      {"no type", NVJITLINK_INPUT_NONE, "x", NVJITLINK_ERROR_UNRECOGNIZED_INPUT, "no such type"},
      {"no type", static_cast<nvJitLinkInputType>(77), "x", NVJITLINK_ERROR_UNRECOGNIZED_INPUT,
       "no such type"},
  };
  for (const auto& c : cases) {
    Link link;
    ASSERT_EQ(link.create(std::vector<const char*>{"-arch=sm_90"}), NVJITLINK_SUCCESS);
    EXPECT_EQ(link.add(c.type, c.bytes, "in"), c.result) << c.what;
    EXPECT_THAT(link.errors(), HasSubstr(c.why)) << c.what;
    EXPECT_EQ(link.complete(), NVJITLINK_ERROR_FINALIZE);
    EXPECT_THAT(link.errors(), HasSubstr("there is no input to link"));
  }
}

TEST(NvJitLink, UndefinedFunctionsAreNamed) {
  Link link;
  ASSERT_EQ(link.create(std::vector<const char*>{"-arch=sm_75", "-time"}), NVJITLINK_SUCCESS);
  EXPECT_EQ(link.add(NVJITLINK_INPUT_PTX, ptx(kCaller), "a.ptx"), NVJITLINK_SUCCESS)
      << "another input may define f: " << link.errors();
  EXPECT_EQ(link.complete(), NVJITLINK_ERROR_FINALIZE);
  EXPECT_THAT(link.errors(), AllOf(HasSubstr("a.ptx"), HasSubstr("'f'")));
  EXPECT_EQ(link.add_file(NVJITLINK_INPUT_PTX, "/no/such.ptx"), NVJITLINK_ERROR_INVALID_INPUT);
  EXPECT_THAT(link.errors(), HasSubstr("/no/such.ptx"));
}

}  // namespace
}  // namespace heddle::nvjitlink
