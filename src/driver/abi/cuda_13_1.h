// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Types of the functions that CUDA 13.1 added. The other headers are those of CUDA 13.0, and so are
// the vendor's headers that a test compares them with. Driver API 6.35.
#pragma once

/* Of cuDevSmResourceSplit, which is not written. */
typedef struct CU_DEV_SM_RESOURCE_GROUP_PARAMS_st CU_DEV_SM_RESOURCE_GROUP_PARAMS;
