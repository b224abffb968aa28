// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constants of the text.
#ifndef MIXATTN_LIB_IMPORT_CONSTANT_H
#define MIXATTN_LIB_IMPORT_CONSTANT_H

#include "lib/Import/Graph.h"
#include "lib/Import/GraphBuilder.h"

namespace mixattn {

/// The elements of `weight` as a tensor of that type and those sizes: the same
/// number everywhere, a diagonal, or a dense constant.
Built buildConstant(GraphBuilder &build, const GraphValue &type,
                    const Tensor &weight);

} // namespace mixattn

#endif // MIXATTN_LIB_IMPORT_CONSTANT_H
