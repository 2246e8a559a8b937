# GeForce RTX 4090 (Ada Lovelace).

device_name = NVIDIA GeForce RTX 4090
target = sm_89
any_target = no
multiprocessors = 128
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
