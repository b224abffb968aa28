// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which keys a query sees.
#ifndef MIXATTN_LIB_REFERENCE_VISIBILITY_H
#define MIXATTN_LIB_REFERENCE_VISIBILITY_H

#include "lib/Reference/Array.h"
#include "lib/Runtime/Manifest.h"

namespace mixattn {

/// The sizes that an operand of `shape` has where it broadcasts to `full`.
Shape broadcastShape(const Shape &shape, const Shape &full);

/// The mask, the lengths, the causal order, the band and the start of an op.
class Sight {
public:
  /// `full` is [B, H, N, S]; `visibility` must outlive this.
  Status bind(const Visibility &visibility, const Shape &full,
              const Arguments &arguments);

  /// Whether query i of head h of batch b may attend to key j.
  bool isVisible(int64_t b, int64_t h, int64_t i, int64_t j) const;
  /// Whether key j lies in the band of query i of batch b.
  bool isInside(const Band &band, int64_t b, int64_t i, int64_t j) const;

private:
  /// The key that query i stands at: the last query at the last key, or query
  /// 0 at the batch row's start.
  int64_t placeOf(int64_t b, int64_t i) const;

  const Visibility *op = nullptr;
  Array mask, lengths, start;
  int64_t queries = 0, keys = 0;
};

} // namespace mixattn

#endif // MIXATTN_LIB_REFERENCE_VISIBILITY_H
