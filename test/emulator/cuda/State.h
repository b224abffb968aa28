// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The state of the stand-in for libcuda: one device, its modules and streams.
#ifndef MIXATTN_TEST_EMULATOR_CUDA_STATE_H
#define MIXATTN_TEST_EMULATOR_CUDA_STATE_H

#include "Emulator.h"
#include "driver.h"

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <set>

namespace mixattn::emulator {

struct LoadedModule;

struct Function {
  LoadedModule *module = nullptr;
  const Kernel *kernel = nullptr;
  /// Without an opt-in, a launch may use 48 KiB.
  unsigned maxDynamicShared = 48 * 1024;
};

struct LoadedModule {
  Module module;
  std::map<std::string, Function> functions;
};

using Work = std::function<CUresult()>;

struct Graph {
  std::vector<Work> work;
};

struct Stream {
  bool isCapturing = false;
  Graph captured;
};

struct Event {
  std::chrono::steady_clock::time_point time;
};

/// Limits of a chip (CUDA C++ Programming Guide, Technical Specifications).
struct Chip {
  int major = 8, minor = 0;
  unsigned sharedOptIn = 163 * 1024;
  bool hasTensorMaps() const { return major >= 9; }
};

class State {
public:
  static State &get();

  /// CUDA_SUCCESS, or why no call can do anything now.
  CUresult check(bool needsContext = true) const;
  /// The same for calls that stream capture forbids.
  CUresult checkNoCapture() const;
  /// Does the work now, or records it where the stream captures.
  CUresult submit(CUstream stream, Work work);
  Stream *find(CUstream stream);
  CUresult remember(CUresult error, const std::string &text);
  bool setChip(const std::string &name);

  std::recursive_mutex mutex;
  Device device;
  Chip chip;
  bool isInitialised = false;
  /// Whether the environment names a chip that there is.
  bool isChipKnown = true;
  /// A failed launch ends the context: all later calls give its error.
  CUresult sticky = CUDA_SUCCESS;
  std::string message, countersText;
  std::map<LoadedModule *, std::unique_ptr<LoadedModule>> modules;
  std::map<Stream *, std::unique_ptr<Stream>> streams;
  std::map<Graph *, std::unique_ptr<Graph>> graphs;
  std::map<Event *, std::unique_ptr<Event>> events;
  Stream defaultStream;

private:
  State();
};

/// Makes a new element of a map of owned objects.
template <class T>
T *create(std::map<T *, std::unique_ptr<T>> &owner, T value = {}) {
  auto object = std::make_unique<T>(std::move(value));
  T *address = object.get();
  owner.emplace(address, std::move(object));
  return address;
}

} // namespace mixattn::emulator

/// Begins an exported function: one call at a time, and only if calls can work.
#define MIXATTN_CUDA_ENTER(check)                                              \
  State &state = State::get();                                                 \
  std::lock_guard<std::recursive_mutex> lock(state.mutex);                     \
  if (CUresult error = state.check)                                            \
  return error

#define MIXATTN_CUDA_EXPORT extern "C" __attribute__((visibility("default")))

#endif // MIXATTN_TEST_EMULATOR_CUDA_STATE_H
