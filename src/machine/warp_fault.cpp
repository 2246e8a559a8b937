// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machine/warp_fault.h"

#include <fmt/format.h>

#include <bit>

namespace heddle::machine {
namespace {

using isa::TextureObject;

std::string_view name_of(TextureObject::Kind kind) {
  return kind == TextureObject::Kind::texture   ? "texture"
         : kind == TextureObject::Kind::sampler ? "sampler"
                                                : "surface";
}

/// "texture object 0x1234", or the name of a variable.
std::string describe(const TextureObject* object, u64 handle) {
  if (!object) return fmt::format("{:#x}", handle);
  if (object->name.empty()) return fmt::format("{} object {:#x}", name_of(object->kind), handle);
  return fmt::format("{} '{}'", name_of(object->kind), object->name);
}

std::string describe_place(const isa::WarpFault& fault, const TextureObject* object) {
  const isa::Texture& surface = object->texture;
  const isa::TextureLevel& level = surface.level[0];
  return fmt::format(
      "{} bytes at x {} (in bytes, or samples for .p), y {}, z {}, layer {} of {}, which has {} x "
      "{} x {} "
      "texels and {} layer{}",
      fault.bytes, fault.coordinate[0], fault.coordinate[1], fault.coordinate[2], fault.layer,
      describe(object, fault.value), level.width, level.height, level.depth, surface.layers,
      surface.layers == 1 ? "" : "s");
}

}  // namespace

FaultReport report_of(const isa::WarpFault& fault, const isa::TextureHandles& textures,
                      u32 active) {
  using Kind = isa::WarpFault::Kind;
  FaultReport report{TrapKind::illegal_address, fault.lane, std::nullopt, {}};
  const TextureObject* object = textures.find(fault.value);
  switch (fault.kind) {
    case Kind::none:
      break;
    case Kind::shared_address:
      report.lane = static_cast<u32>(std::countr_zero(active));
      report.address = fault.value;
      break;
    case Kind::no_handle:
      report.detail = fmt::format(
          "{:#x} is no texture, sampler or surface: none has been created with this value, or it "
          "has been "
          "destroyed",
          fault.value);
      break;
    case Kind::wrong_kind:
      report.detail =
          fmt::format("{} is not what this instruction takes", describe(object, fault.value));
      break;
    case Kind::not_bound:
      report.detail =
          object && object->name.empty()
              ? fmt::format("the memory of {} has been freed", describe(object, fault.value))
              : fmt::format("no memory is bound to {}", describe(object, fault.value));
      break;
    case Kind::outside_surface:
      if (object) report.detail = "outside of the surface: " + describe_place(fault, object);
      break;
    case Kind::misaligned_surface:
      report.kind = TrapKind::misaligned_address;
      if (object)
        report.detail = "x is no multiple of the access size: " + describe_place(fault, object);
      break;
  }
  return report;
}

}  // namespace heddle::machine
