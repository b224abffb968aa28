// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors that TMA can copy from.

#include "passes/schedule/wgmma/MapSources.h"

#include "dialect/attn/AttnOps.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mixattn;

/// Whether rows of `slice` begin and follow each other by pieces of 16 bytes,
/// where the whole tensor's first one does.
static bool hasPieces(tensor::ExtractSliceOp slice) {
  constexpr int64_t pieceElements = 8;
  auto isWhole = [&](int64_t number) {
    return !ShapedType::isDynamic(number) && number % pieceElements == 0;
  };
  return isWhole(slice.getSourceType().getShape().back()) &&
         isWhole(slice.getStaticOffsets().back()) &&
         llvm::all_of(slice.getStaticStrides(),
                      [](int64_t step) { return step == 1; });
}

/// Whether `made` may lie in a result of the function: as a part of it, or as a
/// whole where `isView` asks for views of that.
static bool mayBeInResult(Value made, bool isView) {
  return llvm::any_of(made.getUsers(), [&](Operation *user) {
    auto insert = dyn_cast<tensor::InsertSliceOp>(user);
    return (insert && insert.getSource() == made) ||
           (isView &&
            isa<func::ReturnOp, bufferization::MaterializeInDestinationOp>(
                user));
  });
}

std::string wgmma::whyNoMap(Value tensor, StringRef name) {
  constexpr int64_t mostDims = 5;
  int64_t dims = cast<ShapedType>(tensor.getType()).getRank();
  if (dims > mostDims)
    return llvm::formatv("TMA copies from tensors of up to {0} dims, but {1} "
                         "have {2}",
                         mostDims, name, dims);
  bool isView = false;
  auto ofArgument = [&]() -> std::string {
    if (!isView)
      return "";
    return llvm::formatv("TMA copies from whole arguments, but {0} are a view "
                         "of one",
                         name);
  };
  while (true) {
    if (auto argument = dyn_cast<BlockArgument>(tensor)) {
      // In a kernel a tensor has the name of what is given to it; where that is
      // a buffer, it has been asked for before.
      auto kernel = dyn_cast<KernelOp>(argument.getOwner()->getParentOp());
      if (kernel && isa<TensorType>(kernel.getOperandOf(argument).getType())) {
        tensor = kernel.getOperandOf(argument);
        continue;
      }
      return kernel ? "" : ofArgument();
    }
    Operation *op = tensor.getDefiningOp();
    if (isa<bufferization::ToTensorOp>(op))
      return ofArgument();
    if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op);
        slice && !hasPieces(slice))
      return llvm::formatv(
          "TMA copies rows that 16 bytes divide, but {0} are a "
          "slice between them",
          name);
    bool isViewOp = isa<tensor::ExtractSliceOp, tensor::CollapseShapeOp,
                        tensor::ExpandShapeOp>(op);
    if (!isViewOp && !isa<tensor::CastOp>(op))
      break;
    isView |= isViewOp;
    tensor = op->getOperand(0);
  }
  if (mayBeInResult(tensor, isView))
    return llvm::formatv("TMA copies from whole results, but {0} may be a part "
                         "of one",
                         name);
  return "";
}
