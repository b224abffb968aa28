// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Guard pages by mmap and mprotect, and what happens there.
#include "lib/Runtime/Guard.h"
#include <cstdio>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

using namespace mixattn;

static size_t pageBytes() {
  static const size_t bytes = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

Result<GuardedMemory> GuardedMemory::allocate(size_t bytes, Flush flush) {
  size_t page = pageBytes();
  size_t inner = (bytes + page - 1) / page * page;
  GuardedMemory memory;
  memory.mappingBytes = inner + 2 * page;
  void *mapping = mmap(nullptr, memory.mappingBytes, PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping == MAP_FAILED)
    return makeError("cannot allocate {} bytes", bytes);
  memory.mapping = static_cast<char *>(mapping);
  memory.start = memory.mapping + page;
  if (inner != 0 && mprotect(memory.start, inner, PROT_READ | PROT_WRITE) != 0)
    return makeError("cannot allocate {} bytes", bytes);
  if (flush == Flush::AtEnd)
    memory.start += inner - bytes;
  return memory;
}

GuardedMemory::GuardedMemory(GuardedMemory &&other) noexcept
    : mapping(std::exchange(other.mapping, nullptr)),
      mappingBytes(other.mappingBytes), start(other.start) {}

GuardedMemory::~GuardedMemory() {
  if (mapping)
    munmap(mapping, mappingBytes);
}

void GuardedMemory::makeReadOnly() {
  size_t inner = mappingBytes - 2 * pageBytes();
  if (inner != 0)
    mprotect(mapping + pageBytes(), inner, PROT_READ);
}

/// The text that the signal handler prints; made before the call.
static char accessMessage[512];

static void onAccess(int) {
  ssize_t written =
      write(STDERR_FILENO, accessMessage, std::strlen(accessMessage));
  _exit(written < 0 ? 2 : 1);
}

AccessHandler::AccessHandler(const std::string &message) {
  snprintf(accessMessage, sizeof(accessMessage), "%s", message.c_str());
  struct sigaction action = {};
  action.sa_handler = onAccess;
  sigaction(SIGSEGV, &action, &oldSegv);
  sigaction(SIGBUS, &action, &oldBus);
}

AccessHandler::~AccessHandler() {
  sigaction(SIGSEGV, &oldSegv, nullptr);
  sigaction(SIGBUS, &oldBus, nullptr);
}
