// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Allocation, copies and margins in the memory of a GPU.
#include "lib/Runtime/CudaMemory.h"
#include <algorithm>
#include <cstring>

using namespace mixattn;

/// The byte that margins are filled with.
static constexpr unsigned char kMargin = 0xf7;

Result<std::unique_ptr<Memory>>
CudaMemory::allocate(const CudaStream &stream, size_t bytes, size_t margin) {
  std::unique_ptr<CudaMemory> memory(new CudaMemory(stream));
  // The driver refuses 0 bytes.
  size_t all = std::max(bytes + 2 * margin, size_t(1));
  CUresult result = stream.driver().cuMemAlloc_v2(&memory->allocation, all);
  if (result != CUDA_SUCCESS)
    return makeError("cannot allocate {} bytes on CUDA device {}: {}", bytes,
                     stream.number(), stream.driver().describe(result));
  memory->margin = margin;
  memory->start = reinterpret_cast<void *>(memory->begin());
  memory->count = bytes;
  if (margin > 0)
    if (Status filled = memory->fill(memory->allocation, kMargin, all); !filled)
      return filled.error();
  return std::unique_ptr<Memory>(std::move(memory));
}

CudaMemory::~CudaMemory() {
  if (allocation)
    stream.driver().cuMemFree_v2(allocation);
}

Status CudaMemory::fill(CUdeviceptr from, unsigned char value, size_t size) {
  if (size == 0)
    return Success();
  CUresult result =
      stream.driver().cuMemsetD8Async(from, value, size, stream.handle());
  return stream.check("cuMemsetD8Async", result);
}

Status CudaMemory::fill(unsigned char value) {
  return fill(begin(), value, count);
}

Status CudaMemory::write(const char *from) {
  if (count == 0)
    return Success();
  CUresult result = stream.driver().cuMemcpyHtoDAsync_v2(begin(), from, count,
                                                         stream.handle());
  if (Status begun = stream.check("cuMemcpyHtoDAsync", result); !begun)
    return begun;
  return stream.wait();
}

Status CudaMemory::read(CUdeviceptr from, char *to, size_t size) const {
  if (size == 0)
    return Success();
  CUresult result =
      stream.driver().cuMemcpyDtoHAsync_v2(to, from, size, stream.handle());
  if (Status begun = stream.check("cuMemcpyDtoHAsync", result); !begun)
    return begun;
  return stream.wait();
}

Status CudaMemory::read(char *to) const { return read(begin(), to, count); }

Status CudaMemory::protect() {
  Result<Buffer> buffer = Buffer::allocate(count);
  if (!buffer)
    return buffer.error();
  original = std::move(*buffer);
  isProtected = true;
  return read(original.data());
}

Status CudaMemory::checkGuard() const {
  Result<Buffer> buffer = Buffer::allocate(std::max(count, margin));
  if (!buffer)
    return buffer.error();
  char *bytes = buffer->data();
  auto isChanged = [](char byte) { return byte != char(kMargin); };
  if (Status before = read(allocation, bytes, margin); !before)
    return before;
  if (char *found = std::find_if(bytes, bytes + margin, isChanged);
      found != bytes + margin)
    return makeError("a kernel wrote {} bytes before its start",
                     margin - (found - bytes));
  if (Status after = read(begin() + count, bytes, margin); !after)
    return after;
  if (char *found = std::find_if(bytes, bytes + margin, isChanged);
      found != bytes + margin)
    return makeError("a kernel wrote {} bytes after its end",
                     found - bytes + 1);
  if (!isProtected)
    return Success();
  if (Status copied = read(bytes); !copied)
    return copied;
  if (char *found = std::mismatch(bytes, bytes + count, original.data()).first;
      found != bytes + count)
    return makeError("a kernel wrote to its byte {}", found - bytes);
  return Success();
}
