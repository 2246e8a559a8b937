# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ctest reads this before it runs tests. Tests do not use the user's cache of compiled code, and do not share
# compiled code with each other. Tests of the cache set their own folder.

set(ENV{HEDDLE_CACHE} 0)
