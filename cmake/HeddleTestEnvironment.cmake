# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ctest reads this before it runs tests. Code that tests compile is kept nowhere: the cache of the
# user is none of their business, and one test's code none of another's. Tests of the cache say where theirs is.

set(ENV{HEDDLE_CACHE} 0)
