// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <set>

#include "instance.h"
#include "matrix.h"

namespace heddle::golden {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string contents(const std::string& name) {
  std::ifstream file(HEDDLE_GOLDEN_TABLES "/" + name);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(Table, Choices) {
  struct Case {
    const char* text;
    std::vector<std::string> choices;
  };
  for (const Case& c : {Case{"add.u32", {"add.u32"}},
                        {"add{|.sat}.s32", {"add.s32", "add.sat.s32"}},
                        {"{a|b}.{c|d}", {"a.c", "a.d", "b.c", "b.d"}},
                        {"mma.{T:f32|f16}.<T>", {"mma.f32.f32", "mma.f16.f16"}}}) {
    const auto choices = choices_of(c.text);
    ASSERT_TRUE(choices) << c.text;
    std::vector<std::string> texts;
    for (const Choice& choice : *choices) texts.push_back(choice.text);
    EXPECT_EQ(texts, c.choices);
  }
  EXPECT_FALSE(choices_of("add{|.sat"));
  EXPECT_EQ((*choices_of("{T:u16|u32}"))[1].in("<T>, <T>"), "u32, u32");
}

TEST(Instances, AreRead) {
  const auto read = read_instances(
      "# a comment\n\n"
      "mul.wide.{T:u16|s16} (<T>, <T>) -> u32 = $x, $a, $b\n"
      "twice.f32 (f32) -> f32, pred all32 fine : add.f32 $x, $a, $a; setp.gt.f32 $y, $x, $a;\n"
      "neg.f16 (f16) -> f16 all16 : $op $x, $a;\n");
  ASSERT_TRUE(read.ok()) << read.error().message;
  ASSERT_EQ(read->size(), 4u);
  const auto& [unsigned_one, signed_one, twice, neg] =
      std::tie((*read)[0], (*read)[1], (*read)[2], (*read)[3]);
  EXPECT_EQ(unsigned_one.name, "mul.wide.u16");
  EXPECT_EQ(signed_one.code, "mul.wide.s16 $x, $a, $b;");
  EXPECT_THAT(signed_one.inputs, ElementsAre(Kind::kS16, Kind::kS16));
  EXPECT_THAT(signed_one.outputs, ElementsAre(Kind::kU32));
  EXPECT_EQ(twice.name, "twice.f32 (all)");
  EXPECT_EQ(twice.sweep, Sweep::kWords);
  EXPECT_TRUE(twice.fine);
  EXPECT_EQ(neg.code, "neg.f16 $x, $a;");
}

TEST(Instances, WhatIsWrongIsSaid) {
  struct Case {
    const char *text, *message;
  };
  for (const Case& c :
       {Case{"add.u32", "line 1: not of the form"},
        {"\nadd.u32 (u32) u32 = $x", "line 2: not of the form"},
        {"add.{u32 (u32) -> u32 = $x, $a", "a { without }"},
        {"add.u32 (u33) -> u32 = $x, $a", "a kind of operand that does not exist"},
        {"add.u32 (u32) -> = $x, $a", "not of the form"},
        {"f.u32 (u32, u32, u32, u32, u32) -> u32 = $x", "more than four inputs"},
        {"f.u32 (u32) -> u32, u32, u32, u32 = $x", "or three results"},
        {"f.u32 (u64) -> u32 all32 = $x, $a", "a sweep is"},
        {"f.u32 (u32, u32) -> u32 all32 = $x, $a", "a sweep is"},
        {"f.u32 (u32) -> u32 all64 = $x, $a", "a sweep is"},
        {"f.u32 (u32) -> u32 = $x\nf.u32 (u32) -> u32 = $x", "line 2: f.u32 is there twice"}}) {
    const auto read = read_instances(c.text);
    ASSERT_FALSE(read.ok()) << c.text;
    EXPECT_THAT(read.error().message, HasSubstr(c.message)) << c.text;
  }
}

TEST(Instances, OfTheTable) {
  const auto read = read_instances(contents("instances.txt"));
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_GT(read->size(), 2400u);
  std::set<u64> identities;
  for (const Instance& instance : *read) {
    const Subject subject = make_subject(instance, "k");
    EXPECT_TRUE(identities.insert(subject.identity).second) << instance.name;
    EXPECT_THAT(subject.kernel, HasSubstr(".entry k("));
    // All is replaced.
    EXPECT_EQ(subject.kernel.find('$'), std::string::npos) << subject.kernel;
    EXPECT_EQ(subject.kernel.find('<', subject.kernel.find("LOOP")), std::string::npos)
        << subject.kernel;
  }
}

TEST(Matrices, AreRead) {
  const auto read = read_matrices(
      "mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.bf16.bf16.f32 selector=1\n"
      "wmma.mma.sync.aligned.row.col.m8n32k16.f32.f16\n"
      "wgmma.mma_async.sync.aligned.m64n24k16.f16.f16.f16 a=registers swizzle=64 scale_d=0 "
      "operands=1,-1,0\n"
      "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32");
  ASSERT_TRUE(read.ok()) << read.error().message;
  const MatrixInstruction &sparse = (*read)[0], &wmma = (*read)[1], &wgmma = (*read)[2],
                          &quads = (*read)[3];
  EXPECT_TRUE(sparse.sparse);
  EXPECT_EQ(sparse.selector, 1u);
  EXPECT_EQ(sparse.words_of_a(), 16u * 32 / 2 / 2);
  EXPECT_EQ(sparse.words_of_b(), 32u * 8 / 2);
  EXPECT_EQ(wmma.a, Element::kF16);
  EXPECT_EQ(wmma.d, Element::kF32);
  EXPECT_EQ(wmma.words_of_b(), 32u * 16 / 2);
  EXPECT_EQ(wgmma.threads(), 128u);
  EXPECT_EQ(wgmma.words_of_a(), 512u);
  EXPECT_EQ(wgmma.words_of_b(), 24u * 64 / 4);
  EXPECT_EQ(wgmma.words_of_d(), 64u * 24 / 2);
  EXPECT_THAT(make_subject(wgmma, "k").kernel, HasSubstr("descriptor_b, scale_d, 1,-1,0;"));
  EXPECT_EQ(quads.words_of_a(), 2u * 32);  // four matrices of 8 x 4
  EXPECT_EQ(quads.words_of_d(), 8u * 32);
}

TEST(Matrices, WhatIsWrongIsSaid) {
  struct Case {
    const char *text, *message;
  };
  for (const Case& c :
       {Case{"add.f32", "add.f32 is no matrix instruction"},
        {"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16", "is no matrix instruction"},
        {"mma.sync.aligned.row.col.f32.f16.f16.f32", "is no matrix instruction"},
        {"mma.sync.aligned.m16n8k4096.row.col.f32.f16.f16.f32", "is no matrix instruction"},
        {"wmma.mma.sync.row.col.m8n8k4.f64.f64.f64.f64", "is no matrix instruction"},
        {"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 selector=0",
         "selector=0 does not go with mma"},
        {"wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 swizzle=48",
         "swizzle=48 does not go with"},
        {"wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 operands=", "does not go with"},
        {"wgmma.mma_async.sync.aligned.m64n8k{8.f32.tf32.tf32", "a { without }"}}) {
    const auto read = read_matrices(c.text);
    ASSERT_FALSE(read.ok()) << c.text;
    EXPECT_THAT(read.error().message, HasSubstr(c.message)) << c.text;
  }
}

TEST(Matrices, OfTheTable) {
  const auto read = read_matrices(contents("matrices.txt"));
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->size(), 265u);
  for (const MatrixInstruction& matrix : *read) {
    const Subject subject = make_subject(matrix, "k");
    EXPECT_GE(subject.groups, kProfiles) << matrix.name;
    EXPECT_EQ(subject.raw_bytes(), u64{subject.raw_limit} * matrix.words_of_d() * 4) << matrix.name;
  }
}

}  // namespace
}  // namespace heddle::golden
