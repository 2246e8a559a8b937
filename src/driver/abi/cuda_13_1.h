// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the functions that came with CUDA 13.1 name. The other headers, and what they are held
// against, are of 13.0. Driver API 6.35.
#pragma once

/* Of cuDevSmResourceSplit, which is not written. */
typedef struct CU_DEV_SM_RESOURCE_GROUP_PARAMS_st CU_DEV_SM_RESOURCE_GROUP_PARAMS;
