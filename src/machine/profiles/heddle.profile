# The default device: it stands in for no GPU. Compute capability 12.0, for which most programs write PTX that is valid
# (docs/adr/0007-the-default-device-is-12-0.md). It runs code for every target.

device_name = Heddle
target = sm_120
any_target = yes
multiprocessors = 48
cores_per_multiprocessor = 128
max_threads_per_block = 1024
max_block = 1024 x 1024 x 64
max_grid = 2147483647 x 65535 x 65535
max_threads_per_multiprocessor = 1536
max_blocks_per_multiprocessor = 24
registers_per_block = 65536
registers_per_multiprocessor = 65536
shared_per_block = 48 KiB
shared_per_block_optin = 227 KiB
shared_per_multiprocessor = 228 KiB
reserved_shared_per_block = 1 KiB
constant_bytes = 64 KiB
l2_bytes = 24 MiB
clock_khz = 2000000
memory_clock_khz = 4000000
memory_bus_bits = 256
memory_bytes = host
pcie_generation = 0
pcie_width = 0

# How tensor cores add products: how many at once, bits below the largest exponent, floors of that exponent for f32
# and f16 results (docs/matrices.md).
mma_f16 = 16 x 25, floors -133 -21
mma_tf32 = 8 x 25, floors -133 -21
mma_narrow = 32 x 25, floors -133 -21
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
