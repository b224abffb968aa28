// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pieces that families of pointwise ops share.
#ifndef MIXATTN_LIB_IMPORT_OPS_ELEMENTWISE_H
#define MIXATTN_LIB_IMPORT_OPS_ELEMENTWISE_H

#include "lib/Import/OpTable.h"

namespace mixattn {

/// The type to which PyTorch promotes operands: the widest of the highest kind,
/// where numbers of the model's text count by their kind alone.
DType promote(llvm::ArrayRef<Built> operands);

/// Operands converted to `computed`, combined, and converted to `result`. The
/// body works on f32 where `computed` has 16 bits.
Built combine(GraphBuilder &build, llvm::ArrayRef<Built> operands,
              DType computed, DType result, NumberBody body);

/// A function of one float.
OpWriter unaryOfFloats(NumberBody body);

/// Rows of `table` along `dim`, picked by `indices`: dims before it, those of
/// the indices, dims after it.
Built pickRows(OpCall &op, const Built &table, int64_t dim,
               const Built &indices);

} // namespace mixattn

#endif // MIXATTN_LIB_IMPORT_OPS_ELEMENTWISE_H
