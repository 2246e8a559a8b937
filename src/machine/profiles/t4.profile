# T4 (Turing).

device_name = Tesla T4
target = sm_75
any_target = no
multiprocessors = 40
cores_per_multiprocessor = 64
max_threads_per_block = 1024
max_block = 1024 x 1024 x 64
max_grid = 2147483647 x 65535 x 65535
max_threads_per_multiprocessor = 1024
max_blocks_per_multiprocessor = 16
registers_per_block = 65536
registers_per_multiprocessor = 65536
shared_per_block = 48 KiB
shared_per_block_optin = 64 KiB
shared_per_multiprocessor = 64 KiB
reserved_shared_per_block = 0
constant_bytes = 64 KiB
l2_bytes = 4 MiB
clock_khz = 1590000
memory_clock_khz = 5001000
memory_bus_bits = 256
memory_bytes = 16 GiB
pcie_generation = 3
pcie_width = 16

# How tensor cores add products: how many at once, bits below the largest exponent, floors of that exponent for f32
# and f16 results (docs/matrices.md).
mma_f16 = 8 x 24, floors -132 -20
mma_tf32 = 4 x 24, floors -132 -20
mma_narrow = 16 x 25, floors -133 -21
mma_narrow_products = as_half
mma_f16_quads = 4 x 23, floors -512 -19
wgmma_f16 = 16 x 25, floors -133 -21
wgmma_tf32 = 8 x 25, floors -133 -21
wgmma_narrow = 32 x 13, floors -133 -21, short
tcgen05_f16 = 16 x 25, floors -133 -21
tcgen05_tf32 = 8 x 25, floors -133 -21
tcgen05_narrow = 32 x 25, floors -133 -21
scaled_narrow = 32 x 25, floors -133 -21
scaled_fp4 = 4 x 35, floors -133 -21
