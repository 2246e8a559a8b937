// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names and texts of errors, and the thread's last one. Runtime API 6.3. An error that the driver
// has too has the driver's text; the texts of the others are here.
#include "runtime/core/error.h"

#include "driver/api.h"
#include "runtime/bodies.h"

namespace heddle::runtime {
namespace {

struct ErrorText {
  const char* name;
  const char* text;  // null: the driver's
};

// A code without a case does not compile.
#pragma GCC diagnostic error "-Wswitch"

#define HEDDLE_ERROR(code, text) \
  case code:                     \
    return {#code, text};
#define HEDDLE_DRIVER_ERROR(code) HEDDLE_ERROR(code, nullptr)

ErrorText error_text(cudaError_t code) {
  switch (code) {
    HEDDLE_ERROR(cudaErrorInvalidConfiguration,
                 "grid or block has a shape that the device does not launch")
    HEDDLE_ERROR(cudaErrorInvalidPitchValue, "pitch is shorter than a row")
    HEDDLE_ERROR(cudaErrorInvalidSymbol, "no device variable of that name")
    HEDDLE_ERROR(cudaErrorInvalidHostPointer, "not a pointer to registered host memory")
    HEDDLE_ERROR(cudaErrorInvalidDevicePointer, "not a pointer to device memory")
    HEDDLE_ERROR(cudaErrorInvalidTexture, "no such texture")
    HEDDLE_ERROR(cudaErrorInvalidTextureBinding, "texture is not bound as the call needs it")
    HEDDLE_ERROR(cudaErrorInvalidChannelDescriptor,
                 "no element looks like this channel description")
    HEDDLE_ERROR(cudaErrorInvalidMemcpyDirection,
                 "copy goes in a direction that is impossible here")
    HEDDLE_ERROR(cudaErrorAddressOfConstant, "address of a constant variable was taken")
    HEDDLE_ERROR(cudaErrorTextureFetchFailed, "texture fetch failed")
    HEDDLE_ERROR(cudaErrorTextureNotBound, "texture is not bound")
    HEDDLE_ERROR(cudaErrorSynchronizationError, "synchronization failed")
    HEDDLE_ERROR(cudaErrorInvalidFilterSetting,
                 "texture has a format that cannot be filtered like this")
    HEDDLE_ERROR(cudaErrorInvalidNormSetting,
                 "texture has a format that cannot be read as normalized numbers")
    HEDDLE_ERROR(cudaErrorMixedDeviceExecution, "device code and emulation were mixed")
    HEDDLE_ERROR(cudaErrorNotYetImplemented, "the operation is not written yet")
    HEDDLE_ERROR(cudaErrorMemoryValueTooLarge, "address does not fit into the emulated memory")
    HEDDLE_ERROR(cudaErrorInsufficientDriver, "the driver is older than this runtime library needs")
    HEDDLE_ERROR(cudaErrorInvalidSurface, "no such surface")
    HEDDLE_ERROR(cudaErrorDuplicateVariableName, "two device variables have this name")
    HEDDLE_ERROR(cudaErrorDuplicateTextureName, "two textures have this name")
    HEDDLE_ERROR(cudaErrorDuplicateSurfaceName, "two surfaces have this name")
    HEDDLE_ERROR(cudaErrorIncompatibleDriverContext,
                 "the current context was made in a way that the runtime cannot use")
    HEDDLE_ERROR(cudaErrorMissingConfiguration,
                 "a kernel was launched without a launch configuration")
    HEDDLE_ERROR(cudaErrorPriorLaunchFailure, "an earlier kernel failed")
    HEDDLE_ERROR(cudaErrorLaunchMaxDepthExceeded, "launches from kernels are nested too deeply")
    HEDDLE_ERROR(cudaErrorLaunchFileScopedTex,
                 "a kernel launched from a kernel uses a texture of file scope")
    HEDDLE_ERROR(cudaErrorLaunchFileScopedSurf,
                 "a kernel launched from a kernel uses a surface of file scope")
    HEDDLE_ERROR(cudaErrorSyncDepthExceeded,
                 "a kernel synchronized below the depth that was set aside for it")
    HEDDLE_ERROR(cudaErrorLaunchPendingCountExceeded, "too many launches from kernels are pending")
    HEDDLE_ERROR(cudaErrorInvalidDeviceFunction,
                 "the program carries no such kernel for this device")
    HEDDLE_ERROR(cudaErrorSoftwareValidityNotEstablished,
                 "the software has not shown that it is valid")
    HEDDLE_ERROR(cudaErrorStartupFailure, "the runtime failed to start")
    HEDDLE_ERROR(cudaErrorApiFailureBase, "an error of an old runtime library")

    HEDDLE_DRIVER_ERROR(cudaSuccess)
    HEDDLE_DRIVER_ERROR(cudaErrorInvalidValue)
    HEDDLE_DRIVER_ERROR(cudaErrorMemoryAllocation)
    HEDDLE_DRIVER_ERROR(cudaErrorInitializationError)
    HEDDLE_DRIVER_ERROR(cudaErrorCudartUnloading)
    HEDDLE_DRIVER_ERROR(cudaErrorProfilerDisabled)
    HEDDLE_DRIVER_ERROR(cudaErrorProfilerNotInitialized)
    HEDDLE_DRIVER_ERROR(cudaErrorProfilerAlreadyStarted)
    HEDDLE_DRIVER_ERROR(cudaErrorProfilerAlreadyStopped)
    HEDDLE_DRIVER_ERROR(cudaErrorStubLibrary)
    HEDDLE_DRIVER_ERROR(cudaErrorCallRequiresNewerDriver)
    HEDDLE_DRIVER_ERROR(cudaErrorDevicesUnavailable)
    HEDDLE_DRIVER_ERROR(cudaErrorNoDevice)
    HEDDLE_DRIVER_ERROR(cudaErrorInvalidDevice)
    HEDDLE_DRIVER_ERROR(cudaErrorDeviceNotLicensed)
    HEDDLE_DRIVER_ERROR(cudaErrorInvalidKernelImage)
    HEDDLE_DRIVER_ERROR(cudaErrorDeviceUninitialized)
    HEDDLE_DRIVER_ERROR(cudaErrorMapBufferObjectFailed)
    HEDDLE_DRIVER_ERROR(cudaErrorUnmapBufferObjectFailed)
    HEDDLE_DRIVER_ERROR(cudaErrorArrayIsMapped)
    HEDDLE_DRIVER_ERROR(cudaErrorAlreadyMapped)
    HEDDLE_DRIVER_ERROR(cudaErrorNoKernelImageForDevice)
    HEDDLE_DRIVER_ERROR(cudaErrorAlreadyAcquired)
    HEDDLE_DRIVER_ERROR(cudaErrorNotMapped)
    HEDDLE_DRIVER_ERROR(cudaErrorNotMappedAsArray)
    HEDDLE_DRIVER_ERROR(cudaErrorNotMappedAsPointer)
    HEDDLE_DRIVER_ERROR(cudaErrorECCUncorrectable)
    HEDDLE_DRIVER_ERROR(cudaErrorUnsupportedLimit)
    HEDDLE_DRIVER_ERROR(cudaErrorDeviceAlreadyInUse)
    HEDDLE_DRIVER_ERROR(cudaErrorPeerAccessUnsupported)
    HEDDLE_DRIVER_ERROR(cudaErrorInvalidPtx)
    HEDDLE_DRIVER_ERROR(cudaErrorInvalidGraphicsContext)
    HEDDLE_DRIVER_ERROR(cudaErrorNvlinkUncorrectable)
    HEDDLE_DRIVER_ERROR(cudaErrorJitCompilerNotFound)
    HEDDLE_DRIVER_ERROR(cudaErrorUnsupportedPtxVersion)
    HEDDLE_DRIVER_ERROR(cudaErrorJitCompilationDisabled)
    HEDDLE_DRIVER_ERROR(cudaErrorUnsupportedExecAffinity)
    HEDDLE_DRIVER_ERROR(cudaErrorUnsupportedDevSideSync)
    HEDDLE_DRIVER_ERROR(cudaErrorContained)
    HEDDLE_DRIVER_ERROR(cudaErrorInvalidSource)
    HEDDLE_DRIVER_ERROR(cudaErrorFileNotFound)
    HEDDLE_DRIVER_ERROR(cudaErrorSharedObjectSymbolNotFound)
    HEDDLE_DRIVER_ERROR(cudaErrorSharedObjectInitFailed)
    HEDDLE_DRIVER_ERROR(cudaErrorOperatingSystem)
    HEDDLE_DRIVER_ERROR(cudaErrorInvalidResourceHandle)
    HEDDLE_DRIVER_ERROR(cudaErrorIllegalState)
    HEDDLE_DRIVER_ERROR(cudaErrorLossyQuery)
    HEDDLE_DRIVER_ERROR(cudaErrorSymbolNotFound)
    HEDDLE_DRIVER_ERROR(cudaErrorNotReady)
    HEDDLE_DRIVER_ERROR(cudaErrorIllegalAddress)
    HEDDLE_DRIVER_ERROR(cudaErrorLaunchOutOfResources)
    HEDDLE_DRIVER_ERROR(cudaErrorLaunchTimeout)
    HEDDLE_DRIVER_ERROR(cudaErrorLaunchIncompatibleTexturing)
    HEDDLE_DRIVER_ERROR(cudaErrorPeerAccessAlreadyEnabled)
    HEDDLE_DRIVER_ERROR(cudaErrorPeerAccessNotEnabled)
    HEDDLE_DRIVER_ERROR(cudaErrorSetOnActiveProcess)
    HEDDLE_DRIVER_ERROR(cudaErrorContextIsDestroyed)
    HEDDLE_DRIVER_ERROR(cudaErrorAssert)
    HEDDLE_DRIVER_ERROR(cudaErrorTooManyPeers)
    HEDDLE_DRIVER_ERROR(cudaErrorHostMemoryAlreadyRegistered)
    HEDDLE_DRIVER_ERROR(cudaErrorHostMemoryNotRegistered)
    HEDDLE_DRIVER_ERROR(cudaErrorHardwareStackError)
    HEDDLE_DRIVER_ERROR(cudaErrorIllegalInstruction)
    HEDDLE_DRIVER_ERROR(cudaErrorMisalignedAddress)
    HEDDLE_DRIVER_ERROR(cudaErrorInvalidAddressSpace)
    HEDDLE_DRIVER_ERROR(cudaErrorInvalidPc)
    HEDDLE_DRIVER_ERROR(cudaErrorLaunchFailure)
    HEDDLE_DRIVER_ERROR(cudaErrorCooperativeLaunchTooLarge)
    HEDDLE_DRIVER_ERROR(cudaErrorTensorMemoryLeak)
    HEDDLE_DRIVER_ERROR(cudaErrorNotPermitted)
    HEDDLE_DRIVER_ERROR(cudaErrorNotSupported)
    HEDDLE_DRIVER_ERROR(cudaErrorSystemNotReady)
    HEDDLE_DRIVER_ERROR(cudaErrorSystemDriverMismatch)
    HEDDLE_DRIVER_ERROR(cudaErrorCompatNotSupportedOnDevice)
    HEDDLE_DRIVER_ERROR(cudaErrorMpsConnectionFailed)
    HEDDLE_DRIVER_ERROR(cudaErrorMpsRpcFailure)
    HEDDLE_DRIVER_ERROR(cudaErrorMpsServerNotReady)
    HEDDLE_DRIVER_ERROR(cudaErrorMpsMaxClientsReached)
    HEDDLE_DRIVER_ERROR(cudaErrorMpsMaxConnectionsReached)
    HEDDLE_DRIVER_ERROR(cudaErrorMpsClientTerminated)
    HEDDLE_DRIVER_ERROR(cudaErrorCdpNotSupported)
    HEDDLE_DRIVER_ERROR(cudaErrorCdpVersionMismatch)
    HEDDLE_DRIVER_ERROR(cudaErrorStreamCaptureUnsupported)
    HEDDLE_DRIVER_ERROR(cudaErrorStreamCaptureInvalidated)
    HEDDLE_DRIVER_ERROR(cudaErrorStreamCaptureMerge)
    HEDDLE_DRIVER_ERROR(cudaErrorStreamCaptureUnmatched)
    HEDDLE_DRIVER_ERROR(cudaErrorStreamCaptureUnjoined)
    HEDDLE_DRIVER_ERROR(cudaErrorStreamCaptureIsolation)
    HEDDLE_DRIVER_ERROR(cudaErrorStreamCaptureImplicit)
    HEDDLE_DRIVER_ERROR(cudaErrorCapturedEvent)
    HEDDLE_DRIVER_ERROR(cudaErrorStreamCaptureWrongThread)
    HEDDLE_DRIVER_ERROR(cudaErrorTimeout)
    HEDDLE_DRIVER_ERROR(cudaErrorGraphExecUpdateFailure)
    HEDDLE_DRIVER_ERROR(cudaErrorExternalDevice)
    HEDDLE_DRIVER_ERROR(cudaErrorInvalidClusterSize)
    HEDDLE_DRIVER_ERROR(cudaErrorFunctionNotLoaded)
    HEDDLE_DRIVER_ERROR(cudaErrorInvalidResourceType)
    HEDDLE_DRIVER_ERROR(cudaErrorInvalidResourceConfiguration)
    HEDDLE_DRIVER_ERROR(cudaErrorUnknown)
  }
  return {nullptr, nullptr};
}

}  // namespace
}  // namespace heddle::runtime

using namespace heddle::runtime;

cudaError_t cudaGetLastError(void) { return take_last_error(); }
cudaError_t cudaPeekAtLastError(void) { return last_error(); }

const char* cudaGetErrorName(cudaError_t error) {
  const char* name = error_text(error).name;
  return name ? name : "unrecognized error code";
}

const char* cudaGetErrorString(cudaError_t error) {
  const ErrorText found = error_text(error);
  const char* text = found.text;
  if (!text && found.name) cuGetErrorString(static_cast<CUresult>(error), &text);
  return text ? text : "unrecognized error code";
}
