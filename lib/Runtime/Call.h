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

  /// The bytes of memory that a call of `entry` takes: 0 where that is not
  /// known.
  uint64_t workspaceOf(const Entry &entry, const DimSizes &dims) const;
};

/// The tensors of a call, arguments first, then results, in the order of the
/// manifest. Memory stays the caller's.
class Call {
public:
  Call(const Entry &entry, mixattn_entry function)
      : entry(entry), function(function) {}
  Call(Call &&) = default;

  /// Adds the next tensor, dense and row-major.
  void add(DType dtype, Shape shape, void *data);
  /// Runs the entry; an error holds its message.
  Status run() const;
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
  const Entry &entry;
  mixattn_entry function;
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
