// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Clusters of CTAs (PTX ISA 2.2.2), for any engine. The CTAs of one take turns on one host thread,
// so what they do to each other's shared memory needs no locks. To the machine it is one resident
// CTA whose number is the cluster's.
#pragma once

#include <memory>
#include <vector>

#include "machine/engine.h"

namespace heddle::machine {

/// What the CTAs of one cluster share.
template <class Member>
struct Cluster {
  std::vector<Member*> members;  ///< by rank; of one alone, from when it first meets itself
  u64 base = 0;                  ///< their shared memory windows, side by side
  bool barrier_active = false;   ///< threads have arrived in the current phase (9.7.13.3)
};

/// An engine adds how they take turns: run(). Member: its CTA.
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
  /// A CTA that is of the cluster, and says so in Cluster::members.
  virtual std::unique_ptr<Member> make_member(Cluster<Member>& cluster) = 0;
  u32 size() const { return static_cast<u32>(launch_.cluster.volume()); }

  Launch& launch_;
  Cluster<Member> shared_;
  std::vector<std::unique_ptr<Member>> members_;  ///< by rank
  std::vector<bool> finished_;
  const Member* trapped_ = nullptr;
};

}  // namespace heddle::machine
