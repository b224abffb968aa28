// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds a GPU and makes a stream there.
#include "lib/Runtime/CudaStream.h"

using namespace mixattn;

Result<std::unique_ptr<CudaStream>> CudaStream::open(int number) {
  Result<CudaDriver> driver = CudaDriver::open();
  if (!driver)
    return driver.error();
  std::unique_ptr<CudaStream> made(new CudaStream(*driver, number));
  int count = 0;
  if (Status counted =
          made->check("cuDeviceGetCount", driver->cuDeviceGetCount(&count));
      !counted)
    return counted.error();
  if (count == 0)
    return makeError("there is no CUDA device");
  if (number >= count)
    return makeError("expected a CUDA device from 0 to {}, but got {}",
                     count - 1, number);
  CUdevice device = 0;
  CUcontext context = nullptr;
  if (Status got =
          made->check("cuDeviceGet", driver->cuDeviceGet(&device, number));
      !got)
    return got.error();
  // The context stays until the process ends: the launcher of an artifact uses
  // the same one.
  if (Status retained =
          made->check("cuDevicePrimaryCtxRetain",
                      driver->cuDevicePrimaryCtxRetain(&context, device));
      !retained)
    return retained.error();
  if (Status entered =
          made->check("cuCtxSetCurrent", driver->cuCtxSetCurrent(context));
      !entered)
    return entered.error();
  if (Status created = made->check(
          "cuStreamCreate",
          driver->cuStreamCreate(&made->stream, CU_STREAM_NON_BLOCKING));
      !created)
    return created.error();
  return made;
}

CudaStream::~CudaStream() {
  if (stream)
    functions.cuStreamDestroy_v2(stream);
}

Status CudaStream::wait() const {
  CUresult result = functions.cuStreamSynchronize(stream);
  if (result != CUDA_SUCCESS)
    return makeError("failed on CUDA device {}: {}", device,
                     functions.describe(result));
  return Success();
}

Status CudaStream::check(const char *function, CUresult result) const {
  if (result != CUDA_SUCCESS)
    return makeError("the CUDA driver refused {} on device {}: {}", function,
                     device, functions.describe(result));
  return Success();
}
