// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls an entry on tensors in memory.
#ifndef MIXATTN_LIB_RUNTIME_CALL_H
#define MIXATTN_LIB_RUNTIME_CALL_H

#include "lib/Runtime/Manifest.h"
#include "lib/Runtime/Tensor.h"
#include <deque>

namespace mixattn {

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

private:
  const Entry &entry;
  mixattn_entry function;
  // Elements never move: a DLTensor points at its shape.
  std::deque<Shape> shapes;
  std::deque<DLTensor> tensors;
  std::vector<const DLTensor *> pointers;
};

} // namespace mixattn

#endif // MIXATTN_LIB_RUNTIME_CALL_H
