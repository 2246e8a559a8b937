// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The source that a target of precompiled headers must have (HeddleHeaders.cmake).
