# GeForce RTX 4090 (Ada Lovelace).

device_name = NVIDIA GeForce RTX 4090
target = sm_89
any_target = no
multiprocessors = 128
cores_per_multiprocessor = 128
max_threads_per_block = 1024
max_block = 1024 x 1024 x 64
max_grid = 2147483647 x 65535 x 65535
max_threads_per_multiprocessor = 1536
max_blocks_per_multiprocessor = 24
registers_per_block = 65536
registers_per_multiprocessor = 65536
shared_per_block = 48 KiB
shared_per_block_optin = 99 KiB
shared_per_multiprocessor = 100 KiB
reserved_shared_per_block = 1 KiB
constant_bytes = 64 KiB
l2_bytes = 72 MiB
clock_khz = 2520000
memory_clock_khz = 10501000
memory_bus_bits = 384
memory_bytes = 24 GiB
pcie_generation = 4
pcie_width = 16

# How tensor cores add products: how many at once, bits below the largest exponent, floors of that exponent for f32
# and f16 results (docs/matrices.md).
mma_f16 = 8 x 24, floors -132 -20
mma_tf32 = 4 x 24, floors -132 -20
mma_narrow = 16 x 13, floors -133 -21, short
mma_narrow_products = native
mma_f16_quads = 4 x 23, floors -512 -19
wgmma_f16 = 16 x 25, floors -133 -21
wgmma_tf32 = 8 x 25, floors -133 -21
wgmma_narrow = 32 x 13, floors -133 -21, short
tcgen05_f16 = 16 x 25, floors -133 -21
tcgen05_tf32 = 8 x 25, floors -133 -21
tcgen05_narrow = 32 x 25, floors -133 -21
scaled_narrow = 32 x 25, floors -133 -21
scaled_fp4 = 4 x 35, floors -133 -21
