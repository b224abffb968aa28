// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks the conditions of a manifest on the values of arguments.
#ifndef MIXATTN_LIB_RUNTIME_HOLDS_H
#define MIXATTN_LIB_RUNTIME_HOLDS_H

#include "lib/Runtime/Manifest.h"
#include "lib/Runtime/Tensor.h"

namespace mixattn {

/// Checks the values of an argument against its `holds`, if it has one; its
/// shape is the manifest's. Errors say where: `argument 'prior': expected
/// values of at least 0, but got -0.5 at element 3`.
Status checkHolds(const Parameter &argument, const Tensor &tensor,
                  const DimSizes &sizes);

} // namespace mixattn

#endif // MIXATTN_LIB_RUNTIME_HOLDS_H
