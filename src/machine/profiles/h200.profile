# H200, SXM (Hopper).

device_name = NVIDIA H200
target = sm_90a
any_target = no
multiprocessors = 132
max_threads_per_block = 1024
max_block = 1024 x 1024 x 64
max_grid = 2147483647 x 65535 x 65535
max_threads_per_multiprocessor = 2048
max_blocks_per_multiprocessor = 32
registers_per_block = 65536
registers_per_multiprocessor = 65536
shared_per_block = 48 KiB
shared_per_block_optin = 227 KiB
shared_per_multiprocessor = 228 KiB
reserved_shared_per_block = 1 KiB
constant_bytes = 64 KiB
l2_bytes = 60 MiB
clock_khz = 1980000
memory_clock_khz = 3201000
memory_bus_bits = 6144
memory_bytes = 141 GiB
