# T4 (Turing).

device_name = Tesla T4
target = sm_75
any_target = no
multiprocessors = 40
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
