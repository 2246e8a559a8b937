# Tesla C1060: grids of two dimensions, 512 threads in a CTA, and the arithmetic of sm_13.

device_name = Tesla C1060
target = sm_13
any_target = no
multiprocessors = 30
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
