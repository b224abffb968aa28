// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensor maps as manifests have them.

#ifndef MIXATTN_PASSES_ENTRY_TENSOR_MAPS_H
#define MIXATTN_PASSES_ENTRY_TENSOR_MAPS_H

#include "dialect/tile/TileOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/JSON.h"

#include <optional>
#include <string>

namespace mixattn {

/// The name of the entry's argument or result that `buffer` is; none of others.
std::optional<std::string> nameOfTensor(mlir::func::FuncOp entry,
                                        mlir::Value buffer);

/// The tensor map of `buffer`, the innermost dim first: one of the entry's
/// tensors, a part of the workspace, or a view of that; none where it has no
/// words.
std::optional<llvm::json::Object>
describeTensorMap(mlir::func::FuncOp entry, tile::ParameterAttr parameter,
                  mlir::Value buffer);

} // namespace mixattn

#endif // MIXATTN_PASSES_ENTRY_TENSOR_MAPS_H
