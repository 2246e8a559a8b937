// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See link_input.h.
#include "image/link_input.h"

#include <algorithm>

#include "image/archive.h"
#include "image/symbols.h"

namespace heddle::image {
namespace {

/// One file, which is not a library.
struct File {
  Contents contents;
  std::string module_id;
};
File read_one(const std::string& bytes, const machine::Profile& profile, std::string_view name,
              HostCode code, bool may_lack_code) {
  if (!is_host_object(bytes)) return {read_image(bytes.c_str(), profile, name, bytes.size()), {}};
  auto contents = read_host_object(bytes, profile, name, code);
  if (contents.status == Status::ok && contents.texts.empty() && !may_lack_code)
    return {{Status::no_binary, "the object file holds no code for GPUs", {}}, {}};
  std::string module_id = contents.texts.empty() ? "" : module_id_of(bytes);
  return {std::move(contents), std::move(module_id)};
}

/// Whether the linker reads this member of a library. It ignores host code, notes and the like.
bool is_for_us(std::string_view bytes) {
  return bytes.starts_with("\177ELF") || fat_binary_size(bytes) ||
         bytes.find(".version") != bytes.npos;
}

std::string in_words(std::span<const std::string> sentences) {
  std::string all;
  for (const auto& sentence : sentences) all += (all.empty() ? "" : "\n") + sentence;
  return all;
}

LinkInput read_library(std::string_view bytes, const machine::Profile& profile,
                       std::string_view name, HostCode code) {
  LinkInput input;
  const auto members = read_archive(bytes);
  if (!members.ok()) return {Status::invalid_image, members.error().message, {}, {}};
  for (const auto& member : *members) {
    if (!is_for_us(member.bytes)) continue;
    const std::string copy(member.bytes);  // only a NUL ends a PTX text
    const std::string full_name = std::string(name) + "(" + member.name + ")";
    auto [contents, module_id] = read_one(copy, profile, full_name, code, true);
    if (contents.status == Status::no_binary) {
      input.left_out.push_back(full_name + ": " + contents.why);
    } else if (contents.status != Status::ok) {
      return {contents.status, member.name + ": " + contents.why, {}, {}};
    } else if (!contents.texts.empty()) {
      input.units.push_back({std::move(contents.texts), true, std::move(module_id)});
    }
  }
  if (input.units.empty() && !input.left_out.empty()) {
    return {Status::no_binary,
            "the library holds no PTX that this device runs\n" + in_words(input.left_out),
            {},
            {}};
  }
  return input;
}

}  // namespace

LinkInput read_link_input(const std::string& bytes, const machine::Profile& profile,
                          std::string_view name, HostCode code) {
  if (is_archive(bytes)) return read_library(bytes, profile, name, code);
  auto [contents, module_id] = read_one(bytes, profile, name, code, code == HostCode::relocatable);
  if (contents.status != Status::ok) return {contents.status, std::move(contents.why), {}, {}};
  return {Status::ok, "", {{std::move(contents.texts), false, std::move(module_id)}}, {}};
}

std::vector<LinkUnit> units_to_link(std::span<const LinkUnit> units,
                                    const std::set<std::string, std::less<>>& provided) {
  std::vector<bool> taken(units.size());
  if (std::ranges::any_of(units, &LinkUnit::of_library)) {
    std::vector<Symbols> symbols;
    for (const auto& unit : units) symbols.push_back(symbols_of(unit.texts));
    Symbols all;
    all.defined = provided;
    const auto is_missing = [&](const std::string& name) {
      return all.needed.contains(name) && !all.defined.contains(name);
    };
    const auto take = [&](std::size_t i) {
      taken[i] = true;
      all.defined.insert(symbols[i].defined.begin(), symbols[i].defined.end());
      all.needed.insert(symbols[i].needed.begin(), symbols[i].needed.end());
    };
    for (std::size_t i = 0; i < units.size(); ++i) {
      if (!units[i].of_library || symbols[i].has_kernel) take(i);
    }
    // The search restarts after each member taken, so that of several members with a name the first
    // one is taken, whichever unit needs the name.
    for (std::size_t i = 0; i < units.size();) {
      const bool wanted = !taken[i] && std::ranges::any_of(symbols[i].defined, is_missing);
      if (wanted) take(i);
      i = wanted ? 0 : i + 1;
    }
  } else {
    taken.assign(units.size(), true);
  }
  std::vector<LinkUnit> all;
  for (std::size_t i = 0; i < units.size(); ++i) {
    if (taken[i]) all.push_back(units[i]);
  }
  return all;
}

std::vector<PtxText> texts_of(std::span<const LinkUnit> units) {
  std::vector<PtxText> texts;
  for (const auto& unit : units) texts.insert(texts.end(), unit.texts.begin(), unit.texts.end());
  return texts;
}

std::vector<PtxText> texts_to_link(std::span<const LinkUnit> units,
                                   const std::set<std::string, std::less<>>& provided) {
  return texts_of(units_to_link(units, provided));
}

}  // namespace heddle::image
