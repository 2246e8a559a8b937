# The default device: it stands in for no GPU. Compute capability 12.0, for which most programs write PTX that is valid
# (docs/adr/0007-the-default-device-is-12-0.md). It runs code for every target.

device_name = Heddle
target = sm_120
any_target = yes
multiprocessors = 48
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
