// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory and calls of this process.
#include "lib/Runtime/HostDevice.h"
#include <chrono>
#include <cstring>

using namespace mixattn;

namespace {
/// Bytes that somebody else owns.
class HostMemory : public Memory {
public:
  HostMemory(char *data, size_t bytes) {
    start = data;
    count = bytes;
  }
  Status fill(unsigned char value) override {
    if (count > 0)
      std::memset(start, value, count);
    return Success();
  }
  Status write(const char *from) override {
    if (count > 0 && from != start)
      std::memcpy(start, from, count);
    return Success();
  }
  Status read(char *to) const override {
    if (count > 0 && to != start)
      std::memcpy(to, start, count);
    return Success();
  }
};

class OwnedMemory : public HostMemory {
public:
  explicit OwnedMemory(Buffer owned)
      : HostMemory(owned.data(), owned.size()), buffer(std::move(owned)) {}

private:
  Buffer buffer;
};

/// A touch of what lies next to it ends the process, or calls a handler.
class PagedMemory : public HostMemory {
public:
  PagedMemory(GuardedMemory owned, size_t bytes)
      : HostMemory(owned.data(), bytes), pages(std::move(owned)) {}
  Status protect() override {
    pages.makeReadOnly();
    return Success();
  }

private:
  GuardedMemory pages;
};
} // namespace

Result<std::unique_ptr<Memory>> HostDevice::allocate(size_t bytes) {
  Result<Buffer> buffer = Buffer::allocate(bytes);
  if (!buffer)
    return buffer.error();
  return std::unique_ptr<Memory>(
      std::make_unique<OwnedMemory>(std::move(*buffer)));
}

Result<std::unique_ptr<Memory>> HostDevice::allocateGuarded(size_t bytes,
                                                            Flush flush) {
  Result<GuardedMemory> pages = GuardedMemory::allocate(bytes, flush);
  if (!pages)
    return pages.error();
  return std::unique_ptr<Memory>(
      std::make_unique<PagedMemory>(std::move(*pages), bytes));
}

Result<std::unique_ptr<Memory>> HostDevice::place(Tensor &tensor) {
  return std::unique_ptr<Memory>(
      std::make_unique<HostMemory>(tensor.data(), tensor.bytes()));
}

Status HostDevice::run(const Call &call) { return call.run(); }

Status HostDevice::runGuarded(const Call &call,
                              const std::string &accessMessage) {
  AccessHandler handler(accessMessage);
  return call.run();
}

Result<std::vector<double>> HostDevice::time(const Call &call, int64_t) {
  using Clock = std::chrono::steady_clock;
  Clock::time_point begin = Clock::now();
  Status run = call.run();
  std::chrono::duration<double, std::milli> taken = Clock::now() - begin;
  if (!run)
    return run.error();
  return std::vector<double>{taken.count()};
}
