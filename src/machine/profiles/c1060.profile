# Tesla C1060: grids of two dimensions, 512 threads in a CTA, and the arithmetic of sm_13.

device_name = Tesla C1060
target = sm_13
any_target = no
multiprocessors = 30
cores_per_multiprocessor = 8
max_threads_per_block = 512
max_block = 512 x 512 x 64
max_grid = 65535 x 65535 x 1
max_threads_per_multiprocessor = 1024
max_blocks_per_multiprocessor = 8
registers_per_block = 16384
registers_per_multiprocessor = 16384
shared_per_block = 16 KiB
shared_per_block_optin = 16 KiB
shared_per_multiprocessor = 16 KiB
reserved_shared_per_block = 0
constant_bytes = 64 KiB
l2_bytes = 0
clock_khz = 1296000
memory_clock_khz = 800000
memory_bus_bits = 512
memory_bytes = 4 GiB
pcie_generation = 2
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
