// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The state of the stand-in, from the environment.
#include "State.h"

#include <cstdlib>

using namespace mixattn::emulator;

State &State::get() {
  static State state;
  return state;
}

State::State() {
  const char *chipName = std::getenv("MIXATTN_CUDA_CHIP");
  isChipKnown = setChip(chipName ? chipName : "sm_80");
  if (const char *count = std::getenv("MIXATTN_CUDA_SMS"))
    device.options.multiprocessors = std::max(1, std::atoi(count));
}

bool State::setChip(const std::string &name) {
  if (name.rfind("sm_", 0) != 0)
    return false;
  int number = std::atoi(name.c_str() + 3);
  if (number < 75 || number > 129)
    return false;
  chip.major = number / 10;
  chip.minor = number % 10;
  // 7.5 has 64 KiB, 8.0 and 8.7 163, 9.0 and 10.x 227, the others 99.
  bool isLarge = number == 80 || number == 87;
  unsigned kibibytes = number == 75                   ? 64
                       : isLarge                      ? 163
                       : number >= 90 && number < 120 ? 227
                                                      : 99;
  chip.sharedOptIn = kibibytes * 1024;
  return true;
}

/// Whether the calling thread has made the context current.
bool &currentContext() {
  thread_local bool isCurrent = false;
  return isCurrent;
}

CUresult State::check(bool needsContext) const {
  if (!isInitialised)
    return CUDA_ERROR_NOT_INITIALIZED;
  if (needsContext && !currentContext())
    return CUDA_ERROR_INVALID_CONTEXT;
  return sticky;
}

CUresult State::checkNoCapture() const {
  if (CUresult error = check())
    return error;
  bool captures = defaultStream.isCapturing;
  for (const auto &[address, stream] : streams)
    captures |= stream->isCapturing;
  return captures ? CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED : CUDA_SUCCESS;
}

Stream *State::find(CUstream stream) {
  // 0, and the legacy and the per-thread default stream.
  if (reinterpret_cast<uintptr_t>(stream) <= 2)
    return &defaultStream;
  auto found = streams.find(reinterpret_cast<Stream *>(stream));
  return found == streams.end() ? nullptr : found->second.get();
}

CUresult State::submit(CUstream stream, Work work) {
  Stream *found = find(stream);
  if (!found)
    return CUDA_ERROR_INVALID_HANDLE;
  if (!found->isCapturing)
    return work();
  found->captured.work.push_back(std::move(work));
  return CUDA_SUCCESS;
}

CUresult State::remember(CUresult error, const std::string &text) {
  message = text;
  std::fprintf(stderr, "emulator: %s\n", text.c_str());
  return error;
}
