// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The feature maps of linear attention.
#ifndef MIXATTN_LIB_REFERENCE_FEATURES_H
#define MIXATTN_LIB_REFERENCE_FEATURES_H

#include "lib/Reference/Array.h"
#include "lib/Runtime/Manifest.h"

namespace mixattn {

/// The features of a query or a key; none is negative. `projection` is that of
/// Favor, [D, m].
std::vector<double> featuresOf(const FeatureMap &map, const Array &projection,
                               const std::vector<double> &x);

} // namespace mixattn

#endif // MIXATTN_LIB_REFERENCE_FEATURES_H
