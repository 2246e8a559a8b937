// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "syntax/preprocess.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "syntax/parser.h"
#include "syntax/printer.h"

namespace heddle::syntax {
namespace {

/// A temporary folder for each test.
class Preprocess : public testing::Test {
 protected:
  void SetUp() override {
    char pattern[] = "/tmp/heddle-preprocess-XXXXXX";
    ASSERT_NE(mkdtemp(pattern), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string write(const std::string& name, std::string_view text) {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return (folder_ / name).string();
  }

  std::filesystem::path folder_;
};

/// A file as the checker reads it.
Result<diag::Source> load(const std::string& path) {
  auto text = load_text(path);
  if (!text.ok()) return text.error();
  return preprocess(diag::Source(path, std::move(*text)));
}

bool is_installed() { return std::system("command -v cpp gcc clang cc >/dev/null 2>&1") == 0; }

TEST_F(Preprocess, OnlyTextThatAsksForIt) {
  EXPECT_TRUE(needs_preprocessing("#include \"a\""));
  EXPECT_TRUE(needs_preprocessing(".version 8.0\n  #  define X 5\n"));
  EXPECT_TRUE(needs_preprocessing("x\n#ifdef A\n#endif"));
  EXPECT_FALSE(needs_preprocessing(""));
  EXPECT_FALSE(needs_preprocessing("# 12 \"f\"\n#line 5\n#pragma x\n#"));
  EXPECT_FALSE(needs_preprocessing("// see #define\n.pragma \"#if\";"));
  const Result<diag::Source> same = preprocess(diag::Source("a.ptx", ".version 8.0\n# 3 \"b\"\n"));
  ASSERT_TRUE(same);
  EXPECT_EQ(same->text(), ".version 8.0\n# 3 \"b\"\n");
}

TEST_F(Preprocess, MacrosIncludesCommentsAndPlaces) {
  if (!is_installed()) GTEST_SKIP() << "no C preprocessor is installed";
  write("types.inc", "#define TYPE u32\n\n.global .TYPE from_include;\n");
  const std::string path = write("k.ptx",
                                 "#include \"types.inc\"\n"
                                 "#define ADD(d, a) add.TYPE d, a, N; // it's a sum\n"
                                 "#define N 4\n"
                                 "#if N > 3\n"
                                 ".entry k {\n"
                                 "  ADD(%r1, $x) ld.TYPE %linux, [%r2+-N]; // don't\n"
                                 "  mov.TYPE a b;\n"
                                 "}\n"
                                 "#endif\n");
  Result<diag::Source> source = load(path);
  ASSERT_TRUE(source) << source.error().message;
  diag::Report report;
  const Tree tree = parse(*source, report);
  EXPECT_EQ(print(tree),
            ".global .u32 from_include;\n\n.entry k\n{\n    add.u32 %r1, $x, 4;\n"
            "    ld.u32 %linux, [%r2+-4];\n    // <error>\n}\n");
  ASSERT_EQ(report.error_count(), 1u);
  const diag::Place place = source->place(report.diagnostics()[0].span.begin);
  EXPECT_EQ(place.file, path);
  EXPECT_EQ(place.line, 7u);
}

TEST_F(Preprocess, ItsMessagesAreCarried) {
  if (!is_installed()) GTEST_SKIP() << "no C preprocessor is installed";
  const std::string path = write("k.ptx", "\n#include \"missing.inc\"\n#error stop here\n");
  const Result<diag::Source> source = load(path);
  ASSERT_FALSE(source);
  EXPECT_NE(source.error().message.find("missing.inc"), std::string::npos);
  EXPECT_NE(source.error().message.find("k.ptx:2"), std::string::npos) << source.error().message;
}

TEST_F(Preprocess, NoneInstalled) {
  const std::string path = write("k.ptx", "#define X 5\n");
  const std::string before = std::getenv("PATH") ? std::getenv("PATH") : "";
  setenv("PATH", folder_.c_str(), 1);
  const Result<diag::Source> source = load(path);
  setenv("PATH", before.c_str(), 1);
  ASSERT_FALSE(source);
  EXPECT_NE(source.error().message.find("on PATH"), std::string::npos) << source.error().message;
}

TEST_F(Preprocess, MissingFileAndFolder) {
  EXPECT_EQ(load((folder_ / "none.ptx").string()).error().message,
            "cannot read " + (folder_ / "none.ptx").string() + ": No such file or directory");
  EXPECT_FALSE(load(folder_.string()));
}

TEST_F(Preprocess, AnIncludedFileWithoutEnd) {
  if (!is_installed()) GTEST_SKIP() << "no C preprocessor is installed";
  const Result<diag::Source> source = load(write("k.ptx", "#include \"/dev/zero\"\n"));
  ASSERT_FALSE(source);
  EXPECT_NE(source.error().message.find("the C preprocessor"), std::string::npos);
}

TEST_F(Preprocess, LargeOutputDoesNotBlock) {
  if (!is_installed()) GTEST_SKIP() << "no C preprocessor is installed";
  std::string text = "#define X 5\n";
  for (int i = 0; i < 40000; ++i) text += ".global .u32 a_long_enough_name;\n";
  const Result<diag::Source> source = preprocess(diag::Source("a.ptx", std::move(text)));
  ASSERT_TRUE(source) << source.error().message;
  EXPECT_GT(source->text().size(), 1000000u);
}

}  // namespace
}  // namespace heddle::syntax
