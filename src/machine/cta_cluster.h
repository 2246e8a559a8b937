// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Clusters of CTAs (PTX ISA 2.2.2), for any engine. The CTAs of a cluster are interleaved on one
// host thread, so their accesses to each other's shared memory need no locks. To the machine a
// cluster is one resident CTA whose number is the cluster's.
#pragma once

#include <memory>
#include <vector>

#include "machine/engine.h"
#include "machine/tensor_memory.h"

namespace heddle::machine {

/// The state that the CTAs of one cluster share.
template <class Member>
struct Cluster {
  std::vector<Member*> members;  ///< by rank
  u64 base = 0;                  ///< their shared memory windows, side by side
  bool barrier_active = false;   ///< threads have arrived in the current phase (9.7.13.3)
  ClusterTensorMemory tensor_memory;
};

/// An engine implements run(), which schedules the CTAs. Member: the engine's CTA.
template <class Member>
class CtaCluster : public Cta {
 public:
  ~CtaCluster() override {
    if (shared_.base)
      launch_.loaded->memory().give_shared(launch_.loaded->region(), shared_.base,
                                           launch_.shared_bytes, size());
  }

  Result<u64> begin(u64 index, u64) override {
    if (members_.empty()) {
      const auto base = launch_.loaded->memory().take_shared(launch_.loaded->region(),
                                                             launch_.shared_bytes, size());
      if (!base.ok()) return base.error();
      shared_.base = *base;
      for (u32 rank = 0; rank < size(); ++rank) members_.push_back(make_member(shared_));
    }
    finished_.assign(size(), false);
    shared_.barrier_active = false;
    for (u32 rank = 0; rank < size(); ++rank) {
      const auto begun = members_[rank]->begin(launch_.in_cluster(index, rank), 1);
      if (!begun.ok()) return begun.error();
    }
    return 1;
  }

  const Trap& trap() const override { return trapped_->trap(); }

 protected:
  explicit CtaCluster(Launch& launch) : launch_(launch) {}
  /// A CTA of the cluster, which adds itself to Cluster::members.
  virtual std::unique_ptr<Member> make_member(Cluster<Member>& cluster) = 0;
  u32 size() const { return static_cast<u32>(launch_.cluster.volume()); }

  Launch& launch_;
  Cluster<Member> shared_;
  std::vector<std::unique_ptr<Member>> members_;  ///< by rank
  std::vector<bool> finished_;
  const Member* trapped_ = nullptr;
};

}  // namespace heddle::machine
