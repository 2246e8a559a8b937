// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "diag/report.h"

namespace heddle::diag {
namespace {

/// The span of the `nth` (from 0) `part` of the source.
Span find(const Source& source, std::string_view part, int nth = 0) {
  std::size_t at = source.text().find(part);
  while (nth-- > 0) at = source.text().find(part, at + 1);
  EXPECT_NE(at, std::string_view::npos) << part;
  return {static_cast<u32>(at), static_cast<u32>(at + part.size())};
}

TEST(RenderText, PlaceSentenceLineCaretsLabelsAndHelp) {
  const Source source("a.ptx", ".reg .u32 %r<5>;\n  add.u64 %rd3, %rd1, %r2;\n");
  Report report;
  report.add(Kind::expected, find(source, "%r2"), "'x'", "'%r2'")
      .label(find(source, "%r<5>"), "declared here as .u32")
      .note("a reason")
      .help("widen it first");
  EXPECT_EQ(render_text(report, source),
            "a.ptx:2:23: error[P1010]: expected 'x' but found '%r2'\n"
            "    2 |   add.u64 %rd3, %rd1, %r2;\n"
            "      |                       ^~~\n"
            "    1 | .reg .u32 %r<5>;\n"
            "      |           ----- note: declared here as .u32\n"
            "  note: a reason\n"
            "  help: widen it first\n");
}

TEST(RenderText, LabelOnTheSameLineDoesNotRepeatIt) {
  const Source source("a.ptx", "one two\n");
  Report report;
  report.add(Kind::unmatched_brace, find(source, "two")).label(find(source, "one"), "first");
  EXPECT_EQ(render_text(report, source),
            "a.ptx:1:5: error[P1015]: '}' closes no block\n"
            "    1 | one two\n"
            "      |     ^~~\n"
            "      | --- note: first\n");
}

TEST(RenderText, TabsControlCharactersAndUtf8) {
  const Source source("a.ptx", "\tab\tcd\r\n\x01é x\n");
  Report report;
  report.add(Kind::unmatched_brace, find(source, "cd"));
  report.add(Kind::unmatched_brace, find(source, "x"));
  EXPECT_EQ(render_text(report, source),
            "a.ptx:1:5: error[P1015]: '}' closes no block\n"
            "    1 |         ab      cd\n"
            "      |                 ^~\n"
            "a.ptx:2:5: error[P1015]: '}' closes no block\n"
            "    2 | ?é x\n"
            "      |    ^\n");
}

TEST(RenderText, EmptySpanEndOfFileAndSeveralLines) {
  const Source source("a.ptx", "ret\nmov");
  Report report;
  report.add(Kind::unmatched_brace, Span{3, 3});
  report.add(Kind::unmatched_brace, Span{7, 7});
  report.add(Kind::unmatched_brace, Span{1, 6});
  EXPECT_EQ(render_text(report, source),
            "a.ptx:1:4: error[P1015]: '}' closes no block\n"
            "    1 | ret\n"
            "      |    ^\n"
            "a.ptx:2:4: error[P1015]: '}' closes no block\n"
            "    2 | mov\n"
            "      |    ^\n"
            "a.ptx:1:2: error[P1015]: '}' closes no block\n"
            "    1 | ret\n"
            "      |  ^~\n");
}

TEST(RenderText, LongLineIsAWindow) {
  const Source source("a.ptx", std::string(300, 'a') + "HERE" + std::string(300, 'b'));
  Report report;
  report.add(Kind::unmatched_brace, find(source, "HERE"));
  EXPECT_EQ(render_text(report, source),
            "a.ptx:1:301: error[P1015]: '}' closes no block\n"
            "    1 | ..." +
                std::string(40, 'a') + "HERE" + std::string(56, 'b') +
                "...\n"
                "      |    " +
                std::string(40, ' ') + "^~~~\n");
}

TEST(RenderText, ALineOfMegabytesIsLookedAtNearThePlaces) {
  const std::string before(1'000'000, 'a'), behind(1'000'000, 'b');
  const Source source("a.ptx", before + "HERE" + behind);
  Report report;
  report.add(Kind::unmatched_brace, find(source, "HERE"));
  report.add(Kind::unmatched_brace, find(source, "ERE"));
  EXPECT_EQ(render_text(report, source),
            "a.ptx:1:1000001: error[P1015]: '}' closes no block\n"
            "    1 | ..." +
                std::string(40, 'a') + "HERE" + std::string(56, 'b') +
                "...\n"
                "      |    " +
                std::string(40, ' ') +
                "^~~~\n"
                "a.ptx:1:1000002: error[P1015]: '}' closes no block\n"
                "    1 | ..." +
                std::string(39, 'a') + "HERE" + std::string(57, 'b') +
                "...\n"
                "      |    " +
                std::string(40, ' ') + "^~~\n");
}

TEST(RenderText, LineMarkersNameTheFile) {
  Source source("a.ptx", "# 7 \"b.h\"\nfoo\nbar\n");
  source.add_line_marker(0, 7, "b.h");
  Report report;
  report.add(Kind::unmatched_brace, find(source, "bar")).label(Span{0, 1}, "from here");
  EXPECT_EQ(render_text(report, source),
            "b.h:8:1: error[P1015]: '}' closes no block\n"
            "    8 | bar\n"
            "      | ^~~\n"
            "  a.ptx:1:1:\n"
            "    1 | # 7 \"b.h\"\n"
            "      | - note: from here\n");
}

TEST(RenderText, Colours) {
  const Source source("a.ptx", "x\n");
  Report report;
  report.add(Kind::unmatched_brace, Span{0, 1});
  const std::string text = render_text(report, source, true);
  EXPECT_NE(text.find("\x1b[1;31merror[P1015]:\x1b[0m"), std::string::npos);
  EXPECT_NE(text.find("\x1b[1;32m^\x1b[0m"), std::string::npos);
}

TEST(RenderJson, AllFieldsAndBadUtf8) {
  const Source source("a.ptx", "one\ntwo\n");
  Report report;
  report.add(Kind::expected, Span{4, 7}, "';'", "'\xff'")
      .label(Span{0, 3}, "l")
      .note("n")
      .help("h");
  const auto list = nlohmann::json::parse(render_json({{source, report}}), nullptr, false);
  ASSERT_TRUE(list.is_array());
  const auto& entry = list.at(0);
  EXPECT_EQ(entry.at("code"), "P1010");
  EXPECT_EQ(entry.at("severity"), "error");
  EXPECT_EQ(entry.at("file"), "a.ptx");
  EXPECT_EQ(entry.at("line"), 2);
  EXPECT_EQ(entry.at("column"), 1);
  EXPECT_EQ(entry.at("endLine"), 2);
  EXPECT_EQ(entry.at("endColumn"), 4);
  EXPECT_EQ(entry.at("labels").at(0).at("message"), "l");
  EXPECT_EQ(entry.at("labels").at(0).at("line"), 1);
  EXPECT_EQ(entry.at("notes").at(0), "n");
  EXPECT_EQ(entry.at("helps").at(0), "h");
}

TEST(RenderJson, NothingIsAnEmptyList) {
  EXPECT_EQ(render_json({{Source("a.ptx", ""), {}}}), "[]\n");
}

// Tests the numbers and texts, which a schema cannot check. tests/cli/sarif_test.py validates whole
// logs.
TEST(RenderSarif, PlacesInUtf16LabelsAndRules) {
  std::vector<Checked> files;
  const auto add = [&](Source source, Report report) {
    files.push_back({std::move(source), std::move(report)});
  };
  Source first("/a b.ptx", "one two\n\"\xc3\xa9\xf0\x9f\xa7\xb5\" x y\n");
  Report report;
  report.add(Kind::unmatched_brace, find(first, "x")).label(find(first, "one"), "first");
  add(std::move(first), std::move(report));
  Source second("b.ptx", "# 7 \"c.cu\"\nz\n");
  second.add_line_marker(0, 7, "c.cu");
  report = {};
  report.add(Kind::expected, find(second, "z"), "'x'", "'z'").note("a reason").help("write it");
  report.add(Kind::unmatched_brace, {});
  add(std::move(second), std::move(report));

  const auto log = nlohmann::json::parse(render_sarif(files, false), nullptr, false);
  ASSERT_FALSE(log.is_discarded());
  EXPECT_EQ(log["version"], "2.1.0");
  ASSERT_EQ(log["runs"].size(), 1u);
  const auto& run = log["runs"][0];
  EXPECT_EQ(run["columnKind"], "utf16CodeUnits");
  EXPECT_EQ(run["invocations"][0]["executionSuccessful"], false);
  const auto& rules = run["tool"]["driver"]["rules"];
  ASSERT_EQ(rules.size(), 2u);
  EXPECT_EQ(rules[0]["id"], "P1010");
  EXPECT_EQ(rules[0]["shortDescription"]["text"], "expected ... but found ...");
  const auto& results = run["results"];
  ASSERT_EQ(results.size(), 3u);
  for (const auto& result : results) {
    EXPECT_EQ(rules[result["ruleIndex"].get<std::size_t>()]["id"], result["ruleId"]);
    EXPECT_EQ(result["level"], "error");
  }
  const auto& place = results[0]["locations"][0]["physicalLocation"];
  EXPECT_EQ(place["artifactLocation"]["uri"], "file:///a%20b.ptx");
  // The quotes and the e with an accent are one unit each, the ball of thread is two.
  EXPECT_EQ(
      place["region"],
      (nlohmann::json{{"startLine", 2}, {"startColumn", 7}, {"endLine", 2}, {"endColumn", 8}}));
  EXPECT_EQ(results[0]["relatedLocations"][0]["message"]["text"], "first");
  EXPECT_EQ(results[0]["relatedLocations"][0]["physicalLocation"]["region"]["startLine"], 1);
  EXPECT_EQ(results[1]["message"]["text"],
            "expected 'x' but found 'z'\nnote: a reason\nhelp: write it");
  EXPECT_EQ(results[1]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "c.cu");
  EXPECT_EQ(results[1]["locations"][0]["physicalLocation"]["region"]["startLine"], 7);
}

TEST(RenderSarif, ColumnsOfALongLine) {
  std::string text = "x\n";
  for (int i = 0; i < 2000; ++i) text += "\xf0\x9d\x92\xb3";  // two UTF-16 code units
  Source source("a.ptx", text + "HERE");
  Report report;
  report.add(Kind::unmatched_brace, find(source, "HERE"));
  std::vector<Checked> checked;
  checked.push_back({std::move(source), std::move(report)});
  const auto log = nlohmann::json::parse(render_sarif(checked, true));
  const auto& region = log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"];
  EXPECT_EQ(region["startLine"], 2);
  EXPECT_EQ(region["startColumn"], 4001);
  EXPECT_EQ(region["endColumn"], 4005);
}

TEST(Report, AMistakeOfSeveralNamesIsReportedOnce) {
  Report report;
  for (int name = 0; name < 3; ++name) {
    report.add(Kind::unknown_type, Span{5, 8}, "b33").label(Span{1, 2}, "a label").help("a help");
    report.add(Kind::unknown_type, Span{9, 12}, "b33");
  }
  ASSERT_EQ(report.diagnostics().size(), 2u);
  EXPECT_EQ(report.error_count(), 2u);
  EXPECT_EQ(report.diagnostics()[0].labels.size(), 1u);
  EXPECT_EQ(report.diagnostics()[0].helps, std::vector<std::string>{"a help"});
}

TEST(Report, LongNamesAreCut) {
  Report report;
  std::string name;
  for (int i = 0; i < 1000; ++i) name += "é";
  report.add(Kind::undeclared, Span{0, 1}, name).help(std::string(1'000'000, 'a'));
  const Diagnostic& diagnostic = report.diagnostics()[0];
  EXPECT_TRUE(diagnostic.message.starts_with("'éé"));
  EXPECT_NE(diagnostic.message.find("é...é"), std::string::npos);
  EXPECT_TRUE(diagnostic.message.ends_with("é' is not declared here"));
  EXPECT_LT(diagnostic.message.size(), 600u);
  EXPECT_LT(diagnostic.helps[0].size(), 600u);
}

TEST(Report, SortsByPlaceAndCountsErrors) {
  Report report;
  report.add(Kind::unmatched_brace, Span{5, 6});
  report.add(Kind::unmatched_brace, Span{1, 2});
  report.add(Kind::stray_semicolon, Span{1, 2});
  report.sort();
  EXPECT_EQ(report.diagnostics()[0].kind, Kind::unmatched_brace);
  EXPECT_EQ(report.diagnostics()[1].kind, Kind::stray_semicolon);
  EXPECT_EQ(report.diagnostics()[2].span.begin, 5u);
  EXPECT_EQ(report.error_count(), 3u);
}

TEST(Source, PlacesAndLines) {
  Source source("a.ptx", "ab\ncd\n");
  EXPECT_EQ(source.place(0).line, 1u);
  EXPECT_EQ(source.place(2).column, 3u);
  EXPECT_EQ(source.place(3).line, 2u);
  EXPECT_EQ(source.place(6).line, 3u);
  EXPECT_EQ(source.text(source.line_of(4)), "cd");
  source.add_line_marker(0, 40, "x.h");
  EXPECT_EQ(source.place(3).line, 40u);
  EXPECT_EQ(source.place(3).file, "x.h");
}

}  // namespace
}  // namespace heddle::diag
