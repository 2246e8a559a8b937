# A100, SXM, 80 GB (Ampere).

device_name = NVIDIA A100-SXM4-80GB
target = sm_80
any_target = no
multiprocessors = 108
max_threads_per_block = 1024
max_block = 1024 x 1024 x 64
max_grid = 2147483647 x 65535 x 65535
max_threads_per_multiprocessor = 2048
max_blocks_per_multiprocessor = 32
registers_per_block = 65536
registers_per_multiprocessor = 65536
shared_per_block = 48 KiB
shared_per_block_optin = 163 KiB
shared_per_multiprocessor = 164 KiB
reserved_shared_per_block = 1 KiB
constant_bytes = 64 KiB
l2_bytes = 40 MiB
clock_khz = 1410000
memory_clock_khz = 1593000
memory_bus_bits = 5120
memory_bytes = 80 GiB
