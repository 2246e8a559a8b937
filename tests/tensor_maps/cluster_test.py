#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""cluster_test.py LIBCUDA: tensor copies in a cluster of four CTAs: multicast, and barrier objects of the other CTA of a pair."""

import ctypes as C
import random
import sys

from device import Device
import model

CTAS, SIZE = 4, 1024

# Each CTA expects its own number of bytes, CTA `issuer` loads, and all copy their shared memory to memory.
KERNEL = """.version 8.6
.target sm_100a
.address_size 64
.entry run(.param .align 64 .b8 map[128], .param .u64 memory, .param .u32 issuer, .param .align 4 .b8 expected[16])
  .reqnctapercluster 4 .reqntid 32 {{
.shared .align 1024 .b8 box[{size}];
.shared .align 8 .b64 object;
.reg .b32 %rank, %thread, %issuer, %expected, %value, %offset, %box, %object;
.reg .b16 %mask;
.reg .b64 %map, %memory, %wide;
.reg .pred done, first, waits, issues, more;
mov.b64 %map, map;
cvta.param.u64 %map, %map;
ld.param.u64 %memory, [memory];
ld.param.u32 %issuer, [issuer];
mov.u32 %rank, %cluster_ctarank;
mov.u32 %thread, %tid.x;
mul.wide.u32 %wide, %rank, {size};
add.u64 %memory, %memory, %wide;
setp.eq.u32 first, %thread, 0;
shl.b32 %offset, %thread, 2;
CLEAR: mov.u32 %box, box;
add.u32 %box, %box, %offset;
st.shared.u32 [%box], 0;
add.u32 %offset, %offset, 128;
setp.lt.u32 more, %offset, {size};
@more bra CLEAR;
ld.param.u32 %expected, [expected];
setp.eq.u32 waits, %rank, 1;
@waits ld.param.u32 %expected, [expected+4];
setp.eq.u32 waits, %rank, 2;
@waits ld.param.u32 %expected, [expected+8];
setp.eq.u32 waits, %rank, 3;
@waits ld.param.u32 %expected, [expected+12];
@first mbarrier.init.shared.b64 [object], 1;
barrier.cluster.arrive;
barrier.cluster.wait;
setp.ne.u32 waits, %expected, 0;
@first mbarrier.arrive.expect_tx.shared.b64 _, [object], %expected;
setp.eq.and.u32 issues, %rank, %issuer, first;
mov.u32 %box, box;
mov.u32 %object, object;
mov.u16 %mask, {mask};
{prepare}
@issues {copy};
@!waits bra LOADED;
WAIT: mbarrier.try_wait.parity.shared.b64 done, [object], 0;
@!done bra WAIT;
LOADED: barrier.cluster.arrive;
barrier.cluster.wait;
shl.b32 %offset, %thread, 2;
DRAIN: mov.u32 %box, box;
add.u32 %box, %box, %offset;
ld.shared.u32 %value, [%box];
cvt.u64.u32 %wide, %offset;
add.u64 %wide, %memory, %wide;
st.global.u32 [%wide], %value;
add.u32 %offset, %offset, 128;
setp.lt.u32 more, %offset, {size};
@more bra DRAIN;
ret;
}}
"""
LOAD = "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
OPERANDS = "[%box], [%map, {1, 2}], [%object]"
TO_EVEN = "and.b32 %object, %object, 0xfeffffff;"  # as CUTLASS finds the leader's object
OTHER = "mapa.shared::cluster.u32 %box, %box, 2; mapa.shared::cluster.u32 %object, %object, 2;"

# (what, the copy, its preparation, the issuer, mask, CTAs with the box, CTAs whose object gets the bytes)
CASES = [
    ("to itself", f"{LOAD} {OPERANDS}", "", 1, 0, [1], [1]),
    ("to another CTA", f"{LOAD} {OPERANDS}", OTHER, 1, 0, [2], [2]),
    ("multicast", f"{LOAD}.multicast::cluster {OPERANDS}, %mask", "", 1, 0b1101, [0, 2, 3], [0, 2, 3]),
    ("of a pair, own object", f"{LOAD}.cta_group::2 {OPERANDS}", "", 3, 0, [3], [3]),
    ("of a pair, the leader's object", f"{LOAD}.cta_group::2 {OPERANDS}", TO_EVEN, 3, 0, [3], [2]),
    ("multicast of pairs", f"{LOAD}.multicast::cluster.cta_group::2 {OPERANDS}, %mask", TO_EVEN, 1, 0b1011, [0, 1, 3],
     [0, 0, 2]),
]


def main():
    device, rng, wrong = Device(sys.argv[1]), random.Random(1), []
    tensor = model.Map(2, [40, 12], [96], "128B", [64, 8], [1, 1])
    content = rng.randbytes(tensor.extent())
    tensor_map = device.tiled(tensor, device.memory(content), "f16")
    box = bytearray(SIZE)
    count = model.loaded(tensor, model.tile(tensor, [1, 2]), content, box, 0)
    for what, copy, prepare, issuer, mask, filled, signalled in CASES:
        memory = device.memory(bytes(CTAS * SIZE))
        values = [C.create_string_buffer(tensor_map, 128), C.c_uint64(memory), C.c_uint32(issuer),
                  (C.c_uint32 * CTAS)(*[count * signalled.count(rank) for rank in range(CTAS)])]
        pointers = (C.c_void_p * len(values))(*[C.addressof(value) for value in values])
        text = KERNEL.format(size=SIZE, mask=mask, prepare=prepare, copy=copy)
        device.call("cuLaunchKernel", device.function(text), CTAS, 1, 1, 32, 1, 1, 0, None, pointers, None)
        device.call("cuCtxSynchronize")
        got = device.read(memory, CTAS * SIZE)
        for rank in range(CTAS):
            expected = box if rank in filled else bytes(SIZE)
            if got[rank * SIZE:(rank + 1) * SIZE] != expected:
                wrong.append(f"{what}: CTA {rank}")
    print("\n".join(wrong) or "all right")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
