// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lookups and surface accesses with any coordinates stay inside of the texture's memory. The memory
// ends where the last texel ends, so that a sanitizer sees an access beyond it.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "isa/sem/surface.h"
#include "isa/sem/texture.h"

namespace {

using namespace heddle;

/// Takes numbers from the input; zeros behind its end.
class Input {
 public:
  Input(const u8* data, std::size_t size) : data_(data), left_(size) {}
  template <class T>
  T take() {
    T value{};
    const std::size_t count = std::min(left_, sizeof value);
    std::memcpy(&value, data_, count);
    data_ += count, left_ -= count;
    return value;
  }
  u32 below(u32 limit) { return take<u8>() % limit; }

 private:
  const u8* data_;
  std::size_t left_;
};

/// A texture of any shape, and its memory.
struct Image {
  isa::TextureObject object;
  std::vector<u8> bytes;
};

Image make_image(Input& in) {
  Image image;
  isa::Texture& texture = image.object.texture;
  isa::Sampler& sampler = image.object.sampler;
  texture.format = static_cast<isa::TexelFormat>(in.below(19));
  const bool blocks = isa::is_block_format(texture.format);
  texture.channels = static_cast<u8>(1u << in.below(3));
  texture.reading = static_cast<isa::TexelReading>(in.below(3));
  const bool number =
      texture.format == isa::TexelFormat::f16 || texture.format == isa::TexelFormat::f32 ||
      texture.format == isa::TexelFormat::u32 || texture.format == isa::TexelFormat::s32;
  if (number) texture.reading = isa::TexelReading::bits;
  const bool srgb = texture.format == isa::TexelFormat::u8 ||
                    (blocks && texture.format <= isa::TexelFormat::bc3) ||
                    texture.format == isa::TexelFormat::bc7;
  if (texture.reading == isa::TexelReading::srgb && !srgb)
    texture.reading = isa::TexelReading::normalized;
  if (texture.format == isa::TexelFormat::u10_10_10_2 || blocks) texture.channels = 4;
  texture.dimensions = 1 + in.below(3);
  texture.cube = texture.dimensions == 2 && in.below(2);
  texture.layered = texture.dimensions < 3 && in.below(2);
  texture.layers = texture.cube ? 6 * (1 + in.below(2)) : texture.layered ? 1 + in.below(4) : 1;
  texture.levels = static_cast<u8>(1 + in.below(4));
  texture.mipmapped = texture.levels > 1;
  const u32 width = 1 + in.below(40), height = texture.cube ? width : 1 + in.below(40),
            depth = 1 + in.below(6);
  u64 total = 0;
  const u64 each = sem::bytes_of(texture.format, texture.channels);
  const auto rows = [&](u32 extent) { return blocks ? (extent + 3) / 4 : extent; };
  for (u32 i = 0; i < texture.levels; ++i) {
    isa::TextureLevel& level = texture.level[i];
    level.width = std::max(width >> i, 1u);
    level.height = texture.dimensions > 1 ? std::max(height >> i, 1u) : 1;
    level.depth = texture.dimensions > 2 ? std::max(depth >> i, 1u) : 1;
    level.pitch = rows(level.width) * each;
    level.slice = level.pitch * rows(level.height);
    level.base = total;
    total += level.slice * std::max(level.depth, texture.layers);
  }
  image.bytes.resize(total);
  for (u8& byte : image.bytes) byte = in.take<u8>();
  for (u32 i = 0; i < texture.levels; ++i)
    texture.level[i].base += reinterpret_cast<u64>(image.bytes.data());
  for (auto& mode : sampler.address) mode = static_cast<isa::AddressMode>(in.below(5));
  sampler.filter = static_cast<isa::TextureFilter>(in.below(2));
  sampler.mip_filter = static_cast<isa::TextureFilter>(in.below(2));
  sampler.normalized = in.below(2);
  sampler.seamless = in.below(2);
  sampler.anisotropy = static_cast<u8>(1 + in.below(16));
  sampler.bias = in.take<s16>();
  sampler.least = in.take<u16>();
  sampler.most = in.take<u16>();
  image.object.bound = true;
  return image;
}

struct Row {
  alignas(64) u32 lanes[sem::kWarpSize];
};

void fill(Input& in, Row& row) {
  const u32 shape = in.below(3);
  for (u32& lane : row.lanes)
    lane = shape == 0   ? in.take<u32>()
           : shape == 1 ? sem::bits_of(static_cast<float>(in.take<s16>()) / 512)
                        : static_cast<u32>(static_cast<s32>(in.take<s8>()));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Input in(data, size);
  Image image = make_image(in);
  std::atomic<const isa::TextureObject*> slot = &image.object;
  isa::TextureHandles handles;
  handles.ranges[0] = {4096, 1, &slot};
  const isa::TensorCore core{};
  isa::WarpContext context{
      .core = core, .warp = 0, .shared = nullptr, .shared_bytes = 0, .textures = &handles};
  alignas(64) u64 handle[sem::kWarpSize];
  for (u64& one : handle) one = 4096;

  // Texture, coordinates, level, two gradients, offsets, depth, result.
  Row rows[20];
  for (Row& row : rows) fill(in, row);
  Row results[4];
  void* texture[] = {handle};
  void *coordinates[4], *gradients[2][4], *offsets[4], *values[4];
  for (u32 i = 0; i < 4; ++i) {
    coordinates[i] = rows[i].lanes, gradients[0][i] = rows[4 + i].lanes,
    gradients[1][i] = rows[8 + i].lanes;
    offsets[i] = rows[12 + i].lanes, values[i] = results[i].lanes;
  }
  void *level[] = {rows[16].lanes}, *depth[] = {rows[17].lanes};
  const u32 active = in.take<u32>();
  const sem::WarpLanes who{active, active};
  const auto geometry = static_cast<sem::Texgeom>(1 + in.below(9));
  const auto mip = static_cast<sem::Texmip>(in.below(4));
  const bool cube = geometry == sem::Texgeom::cube || geometry == sem::Texgeom::acube;
  const auto type = cube || in.below(2) ? isa::Type::f32 : isa::Type::s32;
  const auto rows_of = [](void** registers) { return static_cast<void*>(registers); };
  void* const at[] = {rows_of(texture),      rows_of(coordinates),  rows_of(level),
                      rows_of(gradients[0]), rows_of(gradients[1]), rows_of(offsets),
                      rows_of(depth),        rows_of(values)};
  sem::tex<false, true, true, true>(geometry, mip, isa::Type::f32, type, context, who, {at, 8});
  void* plain[] = {at[0], at[1], at[2], at[3], at[4], at[7]};
  sem::tex<false, true, false, false>(geometry, mip, isa::Type::f32, type, context, who,
                                      {plain, 6});
  const bool flat = geometry != sem::Texgeom::_1d && geometry != sem::Texgeom::a1d &&
                    geometry != sem::Texgeom::_3d;
  void* gather[] = {at[0], at[1], at[5], at[7]};
  if (flat)
    sem::tld4<false, true, false>(static_cast<sem::Texcomp>(1 + in.below(4)), geometry,
                                  isa::Type::f32, context, who, {gather, 4});

  if (isa::is_block_format(image.object.texture.format)) return 0;  // no surfaces
  image.object.kind = isa::TextureObject::Kind::surface;
  const auto surface = static_cast<sem::Surfgeom>(1 + in.below(5));
  const auto clamp = static_cast<sem::Surfclamp>(1 + in.below(3));
  const auto vec = static_cast<isa::Vec>(in.below(3));
  void* access[] = {at[0], at[1], at[7]};
  for (u32 i = 0; i < 4; ++i) {
    context.fault = {};
    if (i == 0) sem::suld<u32>(surface, vec, clamp, context, who, {access, 3});
    if (i == 1) sem::sust<u8>(surface, vec, clamp, context, who, {access, 3});
    if (i == 2) sem::sust_formatted(surface, vec, clamp, context, who, {access, 3});
    if (i == 3) sem::sured<isa::Atomop::add, u32>(surface, clamp, context, who, {access, 3});
  }
  return 0;
}
