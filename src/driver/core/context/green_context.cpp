// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See green_context.h.
#include "driver/core/context/green_context.h"

#include <cstring>

#include "driver/core/context/context.h"
#include "driver/core/context/device.h"
#include "driver/core/context/tables.h"
#include "driver/core/process.h"
#include "driver/core/stream/capture.h"
#include "driver/core/stream/stream.h"

namespace heddle::driver {
namespace {

/// Heddle's data in the opaque part of a CUdevResource.
struct Hidden {
  u64 magic;
  SmShare share;
};
constexpr u64 kShareMagic = 0x68656464'6c65534d;  // "heddleSM"
static_assert(sizeof(Hidden) <= sizeof(CUdevResource::_internal_padding));

}  // namespace

CUdevResource SmShare::resource() const {
  CUdevResource resource{};
  if (!count) return resource;  // CU_DEV_RESOURCE_TYPE_INVALID
  resource.type = CU_DEV_RESOURCE_TYPE_SM;
  resource.sm = {count, least, alignment};
  const Hidden hidden{kShareMagic, *this};
  std::memcpy(resource._internal_padding, &hidden, sizeof hidden);
  return resource;
}

// An upper bound of SmShare::least and SmShare::alignment for all generations of devices.
constexpr u32 kMostAligned = 64;

std::optional<SmShare> SmShare::from(const CUdevResource& resource) {
  Hidden hidden;
  std::memcpy(&hidden, resource._internal_padding, sizeof hidden);
  if (hidden.magic != kShareMagic || !driver::device(hidden.share.device) ||
      resource.sm.smCount != hidden.share.count || !hidden.share.count || !hidden.share.alignment ||
      hidden.share.alignment > kMostAligned || hidden.share.least > kMostAligned) {
    return std::nullopt;
  }
  return hidden.share;
}

// The vendor documents the least numbers and alignments of each generation.
SmShare all_of(const Device& device) {
  SmShare share;
  share.device = device.ordinal;
  share.count = device.profile.multiprocessors;
  const int major = device.major();
  share.least = major >= 9 ? 8 : major == 8 ? 4 : major == 7 ? 2 : 1;
  share.alignment = major >= 9 ? 8 : major >= 7 ? 2 : 1;
  return share;
}

GreenContext::GreenContext(ContextPtr primary, const SmShare& share)
    : primary_(std::move(primary)), share_(share), id_(next_context_id()) {}

std::shared_ptr<GreenContext> GreenContext::create(Device& device, const SmShare& share) {
  std::shared_ptr<GreenContext> green(new GreenContext(retain_primary(device), share));
  green->handle_ = context_tables().green_contexts.add(green);
  green->view_ = context_tables().green_views.add(green);
  green->streams_ = std::make_shared<StreamGroup>(green->handle_, share.count);
  green->primary_->add_green(green->streams_);
  return green;
}

StreamPtr GreenContext::default_stream(CUstream handle) {
  return defaults_.get(handle, streams_, primary_.get());
}

// Streams that the program made stay until the program destroys them.
void GreenContext::destroy() {
  context_tables().green_contexts.remove(handle_);
  context_tables().green_views.remove(view_);
  refuse_while_capturing(*streams_);
  streams_->detach();
  defaults_.close();
  release_primary(primary_->device());
}

}  // namespace heddle::driver
