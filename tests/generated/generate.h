// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Generates from a seed a kernel whose result does not depend on the schedule of its threads. Rules
// that ensure that:
//
// - Registers are set before anything reads them, and belong to one thread.
// - Special registers: only those that identify a thread, no counters, clocks or physical places.
// - Addresses are used, never computed with or stored: they differ from launch to launch.
// - The carry flag is read only where the instruction before wrote it.
// - Loops are bounded by counters that nothing else writes.
// - Global memory: the input is only read. Each thread has a slice of the output, and reads and
//   writes nothing else of it.
// - Local memory belongs to one thread and is set at the start.
// - Shared memory: each thread has a slot, which it alone reads and writes; except in exchanges,
//   which begin and end with a barrier for all threads of the CTA: there, every thread may read all
//   slots and none writes. The same holds for the threads of a warp that run a region together,
//   between two of their barriers; and for half of the CTA that arrives at a barrier and writes no
//   more before the other half, which reads, has come to the next.
// - Sums that a lock protects: adding commutes, and a thread has the lock for a few instructions.
// - Cells that many threads change, in global and shared memory: by one operation each, which
//   commutes with itself (integer add, min, max, and, or, xor; inc and dec with the same bound);
//   the result of atom is dropped. Their scope includes all these threads. They are read at the
//   end, after a barrier, or by the host.
// - Warp-level instructions name the threads that take part: a register holds the mask of exactly
//   the threads that run a region together. It is computed by a vote in the enclosing region before
//   the threads diverge, and again in every round of a loop. When threads leave a region for good,
//   no later instruction uses its register, or the remaining threads vote again.
// - shfl: a value from a thread that does not take part is undefined; 0 replaces it.
// - Asynchronous copies go to the thread's own slot, and it waits for them at once.
// - Barriers, and the barrier object, are only where the whole CTA arrives: not below a divergent
//   condition. Threads that exited before do not count any more, but their writes before a barrier
//   do.
//
// Generation is deterministic: the same seed gives the same text.
#pragma once

#include "kernel.h"
#include "scope.h"

namespace heddle::generated {

Kernel generate(u64 seed);

}  // namespace heddle::generated
