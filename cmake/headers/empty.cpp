// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A target of precompiled headers needs at least one source (HeddleHeaders.cmake).
