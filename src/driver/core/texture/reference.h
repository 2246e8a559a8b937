// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Texture and surface references: variables of the types .texref and .surfref, which a program
// binds to memory and sets up by one call after another. Driver API 6.26, 6.27. The next launch of
// a kernel of the module sees all that was set until then; launches before it do not.
#pragma once

#include <array>
#include <mutex>
#include <optional>

#include "driver/abi.h"
#include "driver/core/texture/texture.h"

namespace heddle::driver {

class Context;

/// What references of both types have in common.
class Reference {
 public:
  virtual ~Reference() = default;
  Reference(const Reference&) = delete;
  Reference& operator=(const Reference&) = delete;

  Context* context() const { return context_; }
  /// Whether the reference is a variable of a module.
  bool is_of_module() const { return handle_ != 0; }

  bool has_changed();
  /// Makes the settings visible to kernels. CUDA_ERROR_INVALID_VALUE, with the reason on stderr,
  /// when they do not fit together.
  CUresult publish();

 protected:
  Reference(Context& context, u64 handle) : context_(&context), handle_(handle) {}
  u64 handle() const { return handle_; }
  /// The texture or surface of the settings. Unchanged: no memory is bound.
  virtual CUresult make(isa::TextureObject& out) const = 0;

  std::mutex mutex_;
  bool changed_ = false;

 private:
  Context* const context_;
  const u64 handle_;  ///< of the variable; 0: the program made the reference
};

class TextureReference final : public Reference {
 public:
  /// The first settings are those of the variable's initialiser.
  TextureReference(Context& context, u64 handle);

  struct Settings {
    std::optional<CUDA_RESOURCE_DESC> resource;
    CUarray_format format = CU_AD_FORMAT_FLOAT;
    unsigned channels = 0;  ///< 0: no format has been set
    CUDA_TEXTURE_DESC sampling{};
    /// Dimensions whose mode is the initialiser's clamp_ogl, which the API cannot name.
    std::array<bool, 3> clamps_as_opengl{};
  };
  /// Runs `use(settings)` under the lock.
  template <class Use>
  CUresult read(Use use) {
    const std::lock_guard lock(mutex_);
    return use(static_cast<const Settings&>(settings_));
  }
  /// Runs `change(settings)` under the lock; unless it fails, the next launch sees its changes.
  template <class Change>
  CUresult change(Change change) {
    const std::lock_guard lock(mutex_);
    const CUresult result = change(settings_);
    if (result == CUDA_SUCCESS) changed_ = true;
    return result;
  }

 private:
  CUresult make(isa::TextureObject& out) const override;

  Settings settings_;
};

class SurfaceReference final : public Reference {
 public:
  SurfaceReference(Context& context, u64 handle) : Reference(context, handle) {}

  /// CUDA_ERROR_INVALID_VALUE when there is no such array, or when it was not made for surfaces.
  CUresult bind(CUarray array);
  /// Null: nothing is bound.
  CUarray array();

 private:
  CUresult make(isa::TextureObject& out) const override;

  CUarray array_ = nullptr;
};

}  // namespace heddle::driver
