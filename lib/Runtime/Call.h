// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls an entry on tensors in memory.
#ifndef MIXATTN_LIB_RUNTIME_CALL_H
#define MIXATTN_LIB_RUNTIME_CALL_H

#include "lib/Runtime/Manifest.h"
#include "lib/Runtime/Tensor.h"
#include <deque>

namespace mixattn {

/// An entry in memory.
struct LoadedEntry {
  mixattn_entry function = nullptr;
  /// How many threads a call has: as many as its OpenMP says now.
  int64_t threads = 1;
  /// Where to put room for events; null where the code tells none.
  mixattn_profile **profile = nullptr;
  /// Further functions of code for a GPU; else null.
  mixattn_workspace_query workspaceQuery = nullptr;
  mixattn_preparation preparation = nullptr;
  /// Which code calls take, of that for several CPUs; else null.
  mixattn_version_query versionQuery = nullptr;

  /// The bytes of memory that a call of `entry` takes: 0 where that is not
  /// known.
  Result<uint64_t> workspaceOf(const Entry &entry, const DimSizes &dims) const;
  /// Of an artifact for several CPUs, the one whose code calls take, and where
  /// that is not the first a sentence why.
  struct Version {
    size_t number;
    std::string whyNotFirst;
  };
  /// Nothing where there is code for one; an error where this machine runs
  /// none.
  Result<std::optional<Version>> version() const;
  /// Loads all code that calls of `entry` launch on a GPU.
  Status prepareFor(const Entry &entry, int device) const;
};

/// The tensors of a call, arguments first, then results, in the order of the
/// manifest. Memory stays the caller's.
class Call {
public:
  Call(const Entry &entry, const LoadedEntry &loaded, DLDevice device)
      : called(entry), loaded(loaded), device(device) {}
  Call(Call &&) = default;

  const Entry &entry() const { return called; }

  /// Adds the next tensor, dense and row-major, in memory of the device.
  void add(DType dtype, Shape shape, void *data);
  /// Runs the entry; an error holds its message. Code for a GPU launches on
  /// `stream`, and leaves word of bad values in `status`.
  Status run(void *stream = nullptr, uint32_t *status = nullptr) const;
  /// Asks code for a GPU how much memory a call on tensors of these shapes
  /// takes.
  Result<uint64_t> queryWorkspace() const;
  /// Gives the entry `bytes` bytes of memory for intermediate values.
  void giveWorkspace(void *memory, uint64_t bytes) {
    workspace = memory;
    workspaceBytes = bytes;
  }
  /// Gives it `bytes` bytes of memory for parameters that it packs once.
  void givePacked(void *memory, uint64_t bytes) {
    packed = memory;
    packedBytes = bytes;
  }

private:
  const Entry &called;
  LoadedEntry loaded;
  DLDevice device;
  void *workspace = nullptr;
  uint64_t workspaceBytes = 0;
  void *packed = nullptr;
  uint64_t packedBytes = 0;
  // Elements never move: a DLTensor points at its shape.
  std::deque<Shape> shapes;
  std::deque<DLTensor> tensors;
  std::vector<const DLTensor *> pointers;
};

} // namespace mixattn

#endif // MIXATTN_LIB_RUNTIME_CALL_H
