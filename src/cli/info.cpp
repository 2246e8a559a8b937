// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle info: what a file holds for GPUs: PTX, containers, fat binaries, objects, programs and
// libraries of the host, cubins.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "cli/args.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "image/compile.h"
#include "image/container.h"
#include "image/inventory.h"
#include "machine/kernel_resources.h"

namespace heddle::cli {
namespace {

using Json = nlohmann::ordered_json;
using image::Piece;

std::string_view kind_name(Piece::Kind kind) {
  switch (kind) {
    case Piece::Kind::ptx:
      return "PTX";
    case Piece::Kind::container:
      return "container";
    case Piece::Kind::machine_code:
      return "machine code";
    case Piece::Kind::lto_ir:
      return "LTO-IR";
    case Piece::Kind::damaged:
      return "damaged";
  }
  return "";
}

Json json_of_kernel(const ir::Module& module, ir::FunctionId id) {
  const ir::Function& kernel = module.functions[id.value];
  const auto uses = machine::resources_of(module, id, *machine::find_profile(""));
  Json parameters = Json::array();
  for (const ir::Parameter& parameter : kernel.signature.params)
    parameters.push_back(describe(parameter));
  return {{"name", kernel.name},
          {"parameters", std::move(parameters)},
          {"shared_bytes", uses.shared_bytes},
          {"local_bytes", uses.local_bytes},
          {"registers", uses.registers},
          {"barriers", uses.barriers}};
}

/// A text with mistakes has an error instead of kernels.
Json json_of_text(const image::PtxText& text) {
  Json json{{"name", text.name}, {"bytes", text.text.size()}};
  if (text.max_registers) json["max_registers"] = text.max_registers;
  if (!text.contract) json["contract"] = false;
  const auto compiled = image::compile_part({&text, 1}, *machine::find_profile(""));
  if (!compiled.module) {
    json["errors"] = compiled.errors;
    return json;
  }
  const ir::Module& module = *compiled.module;
  json["version"] = isa::to_string(module.version);
  json["target"] = module.targets.empty() ? "" : isa::to_string(module.targets.front());
  json["constant_bytes"] = machine::bytes_in(module.variables, ir::Space::constant);
  json["global_bytes"] = machine::bytes_in(module.variables, ir::Space::global);
  json["kernels"] = Json::array();
  for (std::size_t i = 0; i < module.functions.size(); ++i) {
    const ir::Function& function = module.functions[i];
    if (function.is_entry && function.has_body)
      json["kernels"].push_back(json_of_kernel(module, ir::FunctionId(i)));
  }
  return json;
}

Json json_of_piece(const Piece& piece) {
  Json json;
  json["kind"] = kind_name(piece.kind);
  if (!piece.where.empty()) json["member"] = piece.where;
  if (piece.kind == Piece::Kind::container) json["layout"] = image::kContainerVersion;
  if (piece.in_fat_binary) {
    json["target"] = isa::to_string(piece.entry.target);
    if (!piece.entry.options.empty()) json["options"] = piece.entry.options;
  }
  if (piece.relocatable) json["relocatable"] = true;
  json["bytes"] = piece.bytes.size();
  json["texts"] = Json::array();
  for (const image::PtxText& text : piece.texts) json["texts"].push_back(json_of_text(text));
  return json;
}

Json json_of_file(const std::string& path, const image::Inventory& inventory) {
  Json json{{"file", path}, {"is", inventory.what}, {"code", Json::array()}};
  for (const Piece& piece : inventory.pieces) json["code"].push_back(json_of_piece(piece));
  if (!inventory.damages.empty()) json["damages"] = inventory.damages;
  return json;
}

void show_text(const Json& text) {
  print("    {}: ", text["name"].get<std::string>());
  if (text.contains("errors")) {
    print("the PTX has mistakes\n{}", text["errors"].get<std::string>());
    return;
  }
  print("PTX {} for {}, {} bytes; {} bytes constant, {} bytes global{}{}\n",
        text["version"].get<std::string>(), text["target"].get<std::string>(),
        text["bytes"].get<u64>(), text["constant_bytes"].get<u64>(),
        text["global_bytes"].get<u64>(),
        text.contains("max_registers")
            ? fmt::format("; at most {} registers", text["max_registers"].get<u32>())
            : "",
        text.contains("contract") ? "; mul and add stay apart" : "");
  for (const Json& kernel : text["kernels"]) {
    print("      {}\n", kernel["name"].get<std::string>());
    for (const Json& parameter : kernel["parameters"])
      print("          {}\n", parameter.get<std::string>());
    print("        {} registers, {} barriers, {} bytes shared, {} bytes local\n",
          kernel["registers"].get<u64>(), kernel["barriers"].get<u64>(),
          kernel["shared_bytes"].get<u64>(), kernel["local_bytes"].get<u64>());
  }
}

void show_file(const Json& file) {
  print("{}: {}\n", file["file"].get<std::string>(), file["is"].get<std::string>());
  for (const Json& piece : file["code"]) {
    print("  {}", piece["kind"].get<std::string>());
    if (piece.contains("layout")) print(" (version {} of the layout)", piece["layout"].get<u32>());
    if (piece.contains("target")) print(" for {}", piece["target"].get<std::string>());
    if (piece.contains("relocatable")) print(", to be linked");
    if (piece.contains("member")) print(", in {}", piece["member"].get<std::string>());
    print(", {} bytes\n", piece["bytes"].get<u64>());
    for (const Json& text : piece["texts"]) show_text(text);
  }
}

}  // namespace

int show_images(const InfoOptions& options) {
  Json all = Json::array();
  int status = kOk;
  for (const std::string& path : options.files) {
    const auto bytes = read_input(path);
    if (!bytes.ok()) {
      status = fail(bytes.error().message);
      continue;
    }
    const auto inventory = image::take_inventory(*bytes, path);
    for (const std::string& damage : inventory.damages) status = fail(damage);
    if (inventory.pieces.empty() && inventory.damages.empty())
      status = fail(fmt::format("{}: there is no code for GPUs in this file", path));
    if (options.ptx) {
      for (const Piece& piece : inventory.pieces) {
        for (const image::PtxText& text : piece.texts) print("{}\n", text.text);
      }
    } else {
      all.push_back(json_of_file(path, inventory));
    }
  }
  if (options.ptx) return status;
  if (options.format == "json") {
    print("{}\n", all.dump(2, ' ', false, Json::error_handler_t::replace));
  } else {
    for (const Json& file : all) show_file(file);
  }
  return status;
}

}  // namespace heddle::cli
