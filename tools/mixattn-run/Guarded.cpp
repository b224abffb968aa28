// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The run beside inaccessible pages.
#include "lib/Runtime/Binding.h"
#include "lib/Runtime/Call.h"
#include "lib/Runtime/Guard.h"
#include "tools/mixattn-run/Execute.h"
#include <csignal>
#include <cstring>
#include <unistd.h>

using namespace mixattn;

/// What the signal handler prints; made before the call.
static char accessMessage[512];

static void onAccess(int) {
  ssize_t written =
      write(STDERR_FILENO, accessMessage, std::strlen(accessMessage));
  _exit(written < 0 ? 2 : 1);
}

namespace {
/// Turns an access outside the tensors into a message while in scope.
class AccessHandler {
public:
  AccessHandler(const Entry &entry, Flush flush) {
    Error error = makeError(
        "entry '{}': accessed memory outside its tensors, or wrote to an "
        "argument, with inaccessible pages at their {}",
        entry.name, flush == Flush::AtEnd ? "end" : "start");
    snprintf(accessMessage, sizeof(accessMessage), "mixattn-run: error: %s\n",
             error.message.c_str());
    struct sigaction action = {};
    action.sa_handler = onAccess;
    sigaction(SIGSEGV, &action, &oldSegv);
    sigaction(SIGBUS, &action, &oldBus);
  }
  ~AccessHandler() {
    sigaction(SIGSEGV, &oldSegv, nullptr);
    sigaction(SIGBUS, &oldBus, nullptr);
  }

private:
  struct sigaction oldSegv, oldBus;
};
} // namespace

/// One guarded run; the bytes of each result. What a result holds before the
/// call is `filling`.
static Result<std::vector<std::string>> runFlush(const Entry &entry,
                                                 mixattn_entry function,
                                                 const Arguments &arguments,
                                                 Flush flush, int filling) {
  std::vector<GuardedMemory> memory;
  std::vector<size_t> sizes;
  Call call(entry, function);
  auto add = [&](DType dtype, const Shape &shape, const char *content) {
    size_t bytes = *byteCount(dtype, shape);
    Result<GuardedMemory> block = GuardedMemory::allocate(bytes, flush);
    if (!block)
      return Status(block.error());
    if (content)
      std::memcpy(block->data(), content, bytes);
    else
      std::memset(block->data(), filling, bytes);
    if (content)
      block->makeReadOnly();
    call.add(dtype, shape, block->data());
    memory.push_back(std::move(*block));
    sizes.push_back(bytes);
    return Status(Success());
  };
  for (const Tensor &tensor : arguments.tensors)
    if (Status added = add(tensor.dtype(), tensor.shape(), tensor.data());
        !added)
      return added.error();
  for (const Parameter &result : entry.results) {
    Shape shape = shapeOf(result, arguments.dims);
    if (Status added = add(result.dtype, shape, nullptr); !added)
      return added.error();
  }
  AccessHandler handler(entry, flush);
  if (Status run = call.run(); !run)
    return run.error();
  std::vector<std::string> results;
  for (size_t i = arguments.tensors.size(); i < memory.size(); ++i)
    results.emplace_back(memory[i].data(), sizes[i]);
  return results;
}

Status mixattn::runGuarded(const Entry &entry, mixattn_entry function,
                           const Arguments &arguments) {
  auto atEnd = runFlush(entry, function, arguments, Flush::AtEnd, 0xff);
  if (!atEnd)
    return atEnd.error();
  // Another filling: what the entry leaves unwritten differs.
  auto atStart = runFlush(entry, function, arguments, Flush::AtStart, 0x00);
  if (!atStart)
    return atStart.error();
  for (size_t i = 0; i < entry.results.size(); ++i)
    if ((*atEnd)[i] != (*atStart)[i])
      return makeError("result '{}': expected equal bytes from both guarded "
                       "runs, but got others",
                       entry.results[i].name);
  return Success();
}
