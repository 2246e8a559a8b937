// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Green contexts: a primary context with a share of the device's multiprocessors. Driver API 6.35.
// The share is a number that limits cooperative launches and active clusters, and that queries
// return. It does not bind kernels to threads of the host.
#pragma once

#include <atomic>
#include <memory>
#include <optional>

#include "driver/abi.h"
#include "driver/core/context/context.h"

namespace heddle::driver {

/// Multiprocessors of a device, as a CUdevResource describes them.
struct SmShare {
  enum class Origin : u32 { whole, group, remainder };

  int device = 0;
  u32 count = 0;
  u32 least = 0;      ///< least number of multiprocessors in a group that is split off
  u32 alignment = 0;  ///< the number of multiprocessors in a group is a multiple of it
  Origin origin = Origin::whole;
  u32 index = 0;  ///< number of the group in its split
  u64 split = 0;  ///< number of the split that made the share; 0: none

  CUdevResource resource() const;
  /// The share that a resource describes; nothing when resource() did not make the resource.
  static std::optional<SmShare> from(const CUdevResource& resource);
};

/// All multiprocessors of a device.
SmShare all_of(const Device& device);

class GreenContext {
 public:
  /// Makes a green context, and its handles in context_tables(). It retains the primary context.
  static std::shared_ptr<GreenContext> create(Device& device, const SmShare& share);

  CUgreenCtx handle() const { return handle_; }
  /// The CUcontext of the green context.
  CUcontext view() const { return view_; }
  unsigned long long id() const { return id_; }
  const ContextPtr& primary() const { return primary_; }
  const SmShare& share() const { return share_; }

  const StreamGroupPtr& streams() const { return streams_; }
  StreamPtr default_stream(CUstream handle);

  bool is_destroyed() const { return streams_->is_detached(); }
  void destroy();

 private:
  GreenContext(ContextPtr primary, const SmShare& share);

  const ContextPtr primary_;
  const SmShare share_;
  const unsigned long long id_;
  CUgreenCtx handle_ = nullptr;
  CUcontext view_ = nullptr;
  StreamGroupPtr streams_;
  DefaultStreams defaults_;
};

using GreenContextPtr = std::shared_ptr<GreenContext>;

}  // namespace heddle::driver
