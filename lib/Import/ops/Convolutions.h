// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Convolutions of both directions.
#ifndef MIXATTN_LIB_IMPORT_OPS_CONVOLUTIONS_H
#define MIXATTN_LIB_IMPORT_OPS_CONVOLUTIONS_H

#include "lib/Import/OpTable.h"

namespace mixattn {

/// Fails where the file says another size of windows than `weight` [.., ..,
/// I, J] has.
void checkWindow(OpCall &op, const Built &weight);

/// sums [B, O, ...] plus bias [O], if there is one.
Built withBias(OpCall &op, const Built &sums, const Built &bias);

/// x [B, G C, H, W] by weight [G C, O, I, J]: x[b, g C + c, h, w] weight[g C +
/// c, o, i, j] is added to the result [b, g O + o, h sH + i dH, w sW + j dW],
/// which borders cut off, plus bias [G O]; likewise of one dim and of three.
void convolveTransposed(OpCall &op);

/// Columns [B, C I J, windows] as images [B, C, H, W]: im2col read backwards,
/// where windows overlap their sum.
void fold(OpCall &op);

} // namespace mixattn

#endif // MIXATTN_LIB_IMPORT_OPS_CONVOLUTIONS_H
