// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A seed makes a kernel whose result does not depend on the order of its threads. What keeps that:
//
// - Registers are set before anything reads them, and belong to one thread.
// - Special registers: those that say who a thread is; none that counts, measures or names places.
// - Addresses are used, never computed with or stored: they differ from launch to launch.
// - The carry flag is read only where the instruction before wrote it.
// - Loops are bounded by counters that nothing else writes.
// - Global memory: the input is only read. Each thread has a slice of the output, and reads and
//   writes nothing else of it.
// - Local memory belongs to one thread and is set at the start.
// - Shared memory: each thread has a slot, which it alone reads and writes; except in exchanges,
//   which begin and end with a barrier for all threads of the CTA: there, everybody reads the slots
//   of everybody and nobody writes. The same goes for the threads of a warp that run a region
//   together, between two of their barriers; and for half of the CTA that arrives at a barrier and
//   writes no more before the other half, which reads, has come to the next.
// - Sums that a lock protects: adding commutes, and a thread has the lock for a few instructions.
// - Cells that many threads change, in global and shared memory: by one operation each, which
//   commutes with itself (integer add, min, max, and, or, xor; inc and dec with the same bound);
//   what atom returns is dropped. Their scope has all these threads. They are read at the end,
//   after a barrier, or by the host.
// - Warp-level instructions name the threads that take part: a register holds exactly those that
//   run a region together. It is computed by a vote of the region around it before the threads
//   part, and again in every round of a loop. Where threads leave a region for good, nothing needs
//   its register any more, or those that stay vote once more.
// - shfl: what comes from a thread that does not take part is undefined; 0 takes its place.
// - Asynchronous copies go to the thread's own slot, and it waits for them at once.
// - Barriers, and the barrier object, stand where the whole CTA is together: not below a condition
//   that differs between its threads. Threads that exited before count no more, but for what they
//   wrote before a barrier.
//
// The structure is deterministic in the seed: the same one makes the same text.
#pragma once

#include "kernel.h"
#include "scope.h"

namespace heddle::generated {

Kernel generate(u64 seed);

}  // namespace heddle::generated
