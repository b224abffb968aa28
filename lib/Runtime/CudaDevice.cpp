// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls of entries whose kernels run on a GPU.
#include "lib/Runtime/CudaDevice.h"
#include "lib/Runtime/CudaMemory.h"
#include <algorithm>
#include <cstring>

using namespace mixattn;

/// Bytes on either side of guarded memory: what allocations are aligned to.
static constexpr size_t kMarginBytes = 256;

/// How many timed calls are launched before one waits: the next one's kernels
/// are there when those of the one before end.
static constexpr int64_t kCallsAhead = 32;

namespace {
/// A moment on a stream.
class CudaEvent {
public:
  explicit CudaEvent(const CudaStream &stream) : stream(stream) {}
  CudaEvent(CudaEvent &&other) noexcept
      : stream(other.stream), event(std::exchange(other.event, nullptr)) {}
  ~CudaEvent() {
    if (event)
      stream.driver().cuEventDestroy_v2(event);
  }

  /// The moment is when all work before it is done.
  Status record() {
    if (!event)
      if (Status made = stream.check("cuEventCreate",
                                     stream.driver().cuEventCreate(&event, 0));
          !made)
        return made;
    return stream.check("cuEventRecord",
                        stream.driver().cuEventRecord(event, stream.handle()));
  }

  /// The milliseconds from an earlier moment to this one.
  Result<double> since(const CudaEvent &begin) const {
    float milliseconds = 0;
    CUresult result =
        stream.driver().cuEventElapsedTime(&milliseconds, begin.event, event);
    if (Status known = stream.check("cuEventElapsedTime", result); !known)
      return known.error();
    return double(milliseconds);
  }

private:
  const CudaStream &stream;
  CUevent event = nullptr;
};
} // namespace

Result<std::unique_ptr<Device>> CudaDevice::open(int number) {
  Result<std::unique_ptr<CudaStream>> stream = CudaStream::open(number);
  if (!stream)
    return stream.error();
  Result<std::unique_ptr<Memory>> status =
      CudaMemory::allocate(**stream, sizeof(uint32_t));
  if (!status)
    return inPlace("status word", status.error());
  return std::unique_ptr<Device>(
      new CudaDevice(std::move(*stream), std::move(*status)));
}

Result<std::unique_ptr<Memory>> CudaDevice::allocate(size_t bytes) {
  return CudaMemory::allocate(*stream, bytes);
}

Result<std::unique_ptr<Memory>> CudaDevice::allocateGuarded(size_t bytes,
                                                            Flush) {
  return CudaMemory::allocate(*stream, bytes, kMarginBytes);
}

Result<std::unique_ptr<Memory>> CudaDevice::place(Tensor &tensor) {
  Result<std::unique_ptr<Memory>> memory = allocate(tensor.bytes());
  if (!memory)
    return memory;
  if (Status written = (*memory)->write(tensor.data()); !written)
    return written.error();
  return memory;
}

Status CudaDevice::prepare(const Entry &entry, const LoadedEntry &loaded) {
  return loaded.prepareFor(entry, stream->number());
}

Status CudaDevice::launch(const Call &call) {
  return call.run(stream->handle(), static_cast<uint32_t *>(status->address()));
}

Status CudaDevice::finish(const Entry &entry) {
  if (Status done = stream->wait(); !done)
    return inPlace("entry '" + entry.name + "'", done.error());
  uint32_t word = 0;
  char bytes[sizeof(word)];
  if (Status read = status->read(bytes); !read)
    return read;
  std::memcpy(&word, bytes, sizeof(word));
  if (word == 0)
    return Success();
  if (word > entry.arguments.size())
    return makeError("entry '{}': expected a status word of at most {}, but "
                     "got {}",
                     entry.name, entry.arguments.size(), word);
  return makeError("entry '{}': argument '{}': expected values within their "
                   "range, but a kernel met another",
                   entry.name, entry.arguments[word - 1].name);
}

Status CudaDevice::run(const Call &call) {
  if (Status cleared = status->fill(0); !cleared)
    return cleared;
  if (Status launched = launch(call); !launched)
    return launched;
  return finish(call.entry());
}

Status CudaDevice::runGuarded(const Call &call, const std::string &) {
  return run(call);
}

Result<std::vector<double>> CudaDevice::time(const Call &call, int64_t most) {
  if (Status cleared = status->fill(0); !cleared)
    return cleared.error();
  std::vector<std::pair<CudaEvent, CudaEvent>> moments;
  for (int64_t i = 0; i < std::min(most, kCallsAhead); ++i) {
    auto &[begin, end] =
        moments.emplace_back(CudaEvent(*stream), CudaEvent(*stream));
    if (Status recorded = begin.record(); !recorded)
      return recorded.error();
    if (Status launched = launch(call); !launched)
      return launched.error();
    if (Status recorded = end.record(); !recorded)
      return recorded.error();
  }
  if (Status done = finish(call.entry()); !done)
    return done.error();
  std::vector<double> milliseconds;
  for (const auto &[begin, end] : moments) {
    Result<double> taken = end.since(begin);
    if (!taken)
      return taken.error();
    milliseconds.push_back(*taken);
  }
  return milliseconds;
}
