// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "instance.h"

#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <string_view>

namespace heddle::forms {
namespace {

std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> columns(1);
  for (const char c : line) {
    if (c == '\t') {
      columns.emplace_back();
    } else {
      columns.back() += c;
    }
  }
  return columns;
}

bool at_least(std::string_view version, int major, int minor) {
  const int have_major = version[0] - '0', have_minor = version[2] - '0';
  return have_major != major ? have_major > major : have_minor >= minor;
}

/// Functions, prototypes and lists of targets come in four kinds: bit 0 of the number says that
/// there is a .b32 parameter, bit 1 that there is a .b32 result.
struct Signature {
  int number;
  std::string result(std::string_view name, std::string_view space) const {
    return number & 2 ? fmt::format("({} .b32 {}) ", space, name) : "";
  }
  std::string params(std::string_view name, std::string_view space) const {
    return number & 1 ? fmt::format("({} .b32 {})", space, name) : "()";
  }
};

}  // namespace

std::string module_of(const Instance& instance) {
  const auto uses = [&](std::string_view name) {
    return instance.instruction.find(name) != std::string::npos;
  };
  const char* const space = at_least(instance.version, 2, 0) ? ".param" : ".reg";
  const bool is_branch = instance.instruction.starts_with("brx");
  std::string globals, locals;
  for (const char* type : {"texref", "samplerref", "surfref"}) {
    if (!uses(fmt::format("{}_0", type))) continue;
    const bool is_old = std::string_view(type) == "texref" && !at_least(instance.version, 1, 5);
    globals += is_old ? ".tex .u32 texref_0;\n" : fmt::format(".global .{0} {0}_0;\n", type);
  }
  for (const Signature signature : {Signature{0}, {1}, {2}, {3}}) {
    const int n = signature.number;
    const bool targets = uses(fmt::format("targets_{}", n)) && !is_branch;
    if (targets || uses(fmt::format("function_{}", n))) {
      globals += fmt::format(".func {}function_{}{} {{\nret;\n}}\n", signature.result("r", space),
                             n, signature.params("a", space));
    }
    if (targets) locals += fmt::format("targets_{0}: .calltargets function_{0};\n", n);
    if (uses(fmt::format("proto_{}", n))) {
      locals +=
          fmt::format("proto_{}: .callprototype {}_ {};\n", n,
                      n & 2 ? signature.result("_", space) : "", signature.params("_", space));
    }
  }
  for (const char* const variable : {"global", "shared", "const"}) {
    if (uses(fmt::format("{}_0", variable)))
      globals += fmt::format(".{0} .align 16 .b8 {0}_0[64];\n", variable);
  }
  if (uses("local_0")) locals += ".local .align 16 .b8 local_0[64];\n";
  if (uses("targets_0") && is_branch) locals += "targets_0: .branchtargets label_0;\n";
  if (uses("param_0")) locals += fmt::format("{} .b32 param_0;\n", space);
  if (uses("label_0") || is_branch) locals += "label_0:\n";
  return fmt::format(
      ".version {}\n.target {}\n{}{}.entry kernel {{\n{}\n{}{}\nexit;\n}}\n", instance.version,
      instance.target, at_least(instance.version, 2, 3) ? ".address_size 64\n" : "", globals,
      instance.declarations == "-" ? "" : instance.declarations, locals, instance.instruction);
}

std::vector<Instance> read_instances(const std::string& path) {
  std::ifstream file(path);
  std::vector<Instance> instances;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    const auto columns = split(line);
    if (columns.size() != 7) {
      fmt::print(stderr, "{}: a line has {} columns: {}\n", path, columns.size(), line);
      std::exit(2);
    }
    instances.push_back({columns[0] == "accept", columns[1], columns[2], columns[3], columns[4],
                         columns[5], columns[6]});
  }
  return instances;
}

}  // namespace heddle::forms
