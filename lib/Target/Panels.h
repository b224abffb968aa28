// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Panels of weights, as the code reads them.
#ifndef MIXATTN_LIB_TARGET_PANELS_H
#define MIXATTN_LIB_TARGET_PANELS_H

#include "lib/Runtime/Files.h"
#include "lib/Runtime/Tensor.h"

namespace mixattn {

/// How panels are made of a tensor, as `attn.panels` says it: of a view of it,
/// whose element at `place` lies `offset` and the sum of place times stride
/// elements after the tensor's first.
struct Panels {
  int64_t offset = 0, width = 0;
  bool arePairs = false;
  Shape sizes;
  std::vector<int64_t> strides;
  /// Dims of the view.
  std::vector<int64_t> terms, lanes, batches;
};

/// Whether the view that `panels` are made of lies within `weight`, whose
/// elements are floats.
bool fits(const Panels &panels, const Tensor &weight);

/// The bytes of `panels` of `weight`, which they fit, panel after panel. The
/// tensor lasts as long as they are asked for.
SizedBytes packPanels(Panels panels, const Tensor &weight);

} // namespace mixattn

#endif // MIXATTN_LIB_TARGET_PANELS_H
