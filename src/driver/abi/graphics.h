// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Types in the prototypes of graphics interoperability (OpenGL, EGL and VDPAU), without the headers
// of those libraries. Heddle exports these functions so that programs which may use graphics start;
// each call returns CUDA_ERROR_NOT_SUPPORTED. Driver API 6.40, 6.44, 6.45.
#pragma once

#include "driver/abi/array.h"
#include "driver/abi/types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef unsigned int GLuint;
typedef unsigned int GLenum;
typedef enum CUGLDeviceList_enum {
  CU_GL_DEVICE_LIST_ALL = 0x01,
  CU_GL_DEVICE_LIST_CURRENT_FRAME = 0x02,
  CU_GL_DEVICE_LIST_NEXT_FRAME = 0x03,
} CUGLDeviceList;

typedef int32_t EGLint;
typedef void* EGLImageKHR;
typedef void* EGLStreamKHR;
typedef void* EGLSyncKHR;
typedef struct CUeglStreamConnection_st* CUeglStreamConnection;
typedef struct CUeglFrame_st {
  union {
    CUarray pArray[3];
    void* pPitch[3];
  } frame;
  unsigned int width;
  unsigned int height;
  unsigned int depth;
  unsigned int pitch;
  unsigned int planeCount;
  unsigned int numChannels;
  int frameType;
  int eglColorFormat;
  CUarray_format cuFormat;
} CUeglFrame;

typedef uint32_t VdpDevice;
typedef uint32_t VdpVideoSurface;
typedef uint32_t VdpOutputSurface;
typedef int VdpGetProcAddress(VdpDevice device, uint32_t function_id, void** function_pointer);

#ifdef __cplusplus
}  // extern "C"
#endif
