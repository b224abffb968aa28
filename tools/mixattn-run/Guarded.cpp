// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The run next to inaccessible pages.
#include "lib/Runtime/Binding.h"
#include "lib/Runtime/Call.h"
#include "lib/Runtime/Guard.h"
#include "tools/mixattn-run/Execute.h"
#include <csignal>
#include <cstdio>
#include <cstring>
#include <deque>
#include <unistd.h>

using namespace mixattn;

/// The text that the signal handler prints; made before the call.
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

namespace {
/// A call whose tensors all lie in guarded memory.
class GuardedCall {
public:
  GuardedCall(const Entry &entry, const LoadedEntry &loaded, Flush flush)
      : call(entry, loaded.function), flush(flush) {}

  /// Adds an argument; from now on its elements are read-only.
  Status addArgument(const Tensor &tensor);
  /// Adds a result whose bytes are all `filling`.
  Status addResult(DType dtype, const Shape &shape, int filling);
  /// Adds memory for intermediate values, whose bytes are all `filling`.
  Status addWorkspace(uint64_t bytes, int filling);
  /// Adds memory for packed parameters.
  Status addPacked(uint64_t bytes);
  Status run() const { return call.run(); }
  /// The bytes of each result.
  const std::vector<std::string_view> &results() const { return contents; }

private:
  /// Memory for the next tensor.
  Result<GuardedMemory *> add(DType dtype, const Shape &shape, size_t bytes);

  Call call;
  Flush flush;
  std::deque<GuardedMemory> memory;
  std::vector<std::string_view> contents;
};
} // namespace

Result<GuardedMemory *> GuardedCall::add(DType dtype, const Shape &shape,
                                         size_t bytes) {
  Result<GuardedMemory> block = GuardedMemory::allocate(bytes, flush);
  if (!block)
    return block.error();
  memory.push_back(std::move(*block));
  call.add(dtype, shape, memory.back().data());
  return &memory.back();
}

Status GuardedCall::addArgument(const Tensor &tensor) {
  Result<GuardedMemory *> block =
      add(tensor.dtype(), tensor.shape(), tensor.bytes());
  if (!block)
    return block.error();
  std::memcpy((*block)->data(), tensor.data(), tensor.bytes());
  (*block)->makeReadOnly();
  return Success();
}

Status GuardedCall::addResult(DType dtype, const Shape &shape, int filling) {
  Result<size_t> bytes = byteCount(dtype, shape);
  if (!bytes)
    return bytes.error();
  Result<GuardedMemory *> block = add(dtype, shape, *bytes);
  if (!block)
    return block.error();
  std::memset((*block)->data(), filling, *bytes);
  contents.emplace_back((*block)->data(), *bytes);
  return Success();
}

Status GuardedCall::addWorkspace(uint64_t bytes, int filling) {
  Result<GuardedMemory> block = GuardedMemory::allocate(bytes, flush);
  if (!block)
    return block.error();
  memory.push_back(std::move(*block));
  std::memset(memory.back().data(), filling, bytes);
  call.giveWorkspace(memory.back().data(), bytes);
  return Success();
}

Status GuardedCall::addPacked(uint64_t bytes) {
  Result<GuardedMemory> block = GuardedMemory::allocate(bytes, flush);
  if (!block)
    return block.error();
  memory.push_back(std::move(*block));
  std::memset(memory.back().data(), 0, bytes);
  call.givePacked(memory.back().data(), bytes);
  return Success();
}

/// Fills a call with the arguments and with room for the results, and runs it.
static Status runIn(GuardedCall &call, const Entry &entry, uint64_t workspace,
                    const Arguments &arguments, Flush flush, int filling) {
  if (Status added = call.addWorkspace(workspace, filling); !added)
    return added;
  for (const Tensor &tensor : arguments.tensors)
    if (Status added = call.addArgument(tensor); !added)
      return added;
  for (const Parameter &result : entry.results)
    if (Status added = call.addResult(result.dtype,
                                      shapeOf(result, arguments.dims), filling);
        !added)
      return added;
  AccessHandler handler(entry, flush);
  return call.run();
}

Status mixattn::runGuarded(const Entry &entry, const LoadedEntry &loaded,
                           const Arguments &arguments) {
  uint64_t workspace = loaded.workspaceOf(entry, arguments.dims);
  GuardedCall atEnd(entry, loaded, Flush::AtEnd);
  if (Status added = atEnd.addPacked(entry.packed); !added)
    return added;
  if (Status run =
          runIn(atEnd, entry, workspace, arguments, Flush::AtEnd, 0xff);
      !run)
    return run;
  // Another filling: what the entry leaves unwritten differs. And parameters
  // that the call packs: they give the same as packed ones.
  GuardedCall atStart(entry, loaded, Flush::AtStart);
  if (Status run =
          runIn(atStart, entry, workspace, arguments, Flush::AtStart, 0x00);
      !run)
    return run;
  for (size_t i = 0; i < entry.results.size(); ++i)
    if (atEnd.results()[i] != atStart.results()[i])
      return makeError("result '{}': expected equal bytes from both guarded "
                       "runs, but got others",
                       entry.results[i].name);
  return Success();
}
