// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables of textures, surfaces and references by handle.
#pragma once

#include "driver/abi.h"
#include "driver/core/table.h"

namespace heddle::driver {

class SurfaceReference;
class Surface;
class Texture;
class TextureReference;

struct TextureTables {
  Table<CUtexObject, Texture> textures;
  Table<CUsurfObject, Surface> surfaces;
  Table<CUtexref, TextureReference> texture_references;
  Table<CUsurfref, SurfaceReference> surface_references;
};
/// The tables of the process, which are never destroyed.
TextureTables& texture_tables();

}  // namespace heddle::driver
