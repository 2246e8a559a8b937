// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Texture and surface objects. Driver API 6.28, 6.29. What a program describes with up to three
// structures becomes a value that instructions read (isa/texture.h); it does not change afterwards.
// The object's handle is the one of machine::TextureObjects.
#pragma once

#include <optional>

#include "driver/abi.h"
#include "isa/texture.h"

namespace heddle::driver {

class Context;

/// What a texture is made of.
struct TextureDescription {
  CUDA_RESOURCE_DESC resource{};
  CUDA_TEXTURE_DESC sampling{};
  std::optional<CUDA_RESOURCE_VIEW_DESC> view;
};

/// The texture that instructions read. CUDA_ERROR_INVALID_VALUE, with the reason on stderr, when
/// the descriptors do not fit together or name no memory.
CUresult make_texture(const TextureDescription& description, isa::TextureObject& out);
/// The same for the surface of an array.
CUresult make_surface(const CUDA_RESOURCE_DESC& resource, isa::TextureObject& out);

class Texture {
 public:
  static CUresult create(Context& context, const TextureDescription& description, CUtexObject& out);
  ~Texture();
  Texture(const Texture&) = delete;
  Texture& operator=(const Texture&) = delete;

  Context* context() const { return context_; }
  const TextureDescription& description() const { return description_; }

 private:
  Texture(Context& context, CUtexObject handle, const TextureDescription& description)
      : context_(&context), handle_(handle), description_(description) {}

  Context* const context_;
  const CUtexObject handle_;
  const TextureDescription description_;
};

class Surface {
 public:
  static CUresult create(Context& context, const CUDA_RESOURCE_DESC& resource, CUsurfObject& out);
  ~Surface();
  Surface(const Surface&) = delete;
  Surface& operator=(const Surface&) = delete;

  Context* context() const { return context_; }
  const CUDA_RESOURCE_DESC& resource() const { return resource_; }

 private:
  Surface(Context& context, CUsurfObject handle, const CUDA_RESOURCE_DESC& resource)
      : context_(&context), handle_(handle), resource_(resource) {}

  Context* const context_;
  const CUsurfObject handle_;
  const CUDA_RESOURCE_DESC resource_;
};

}  // namespace heddle::driver
