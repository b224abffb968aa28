// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// attn-fold: attentions that couple heads or keys as plain ones.

#include "passes/Passes.h"
#include "passes/normalize/algebra/Algebra.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace mixattn {
#define GEN_PASS_DEF_FOLDPASS
#include "passes/Passes.h.inc"
} // namespace mixattn

using namespace mlir;
using namespace mixattn;

namespace {

struct FoldPass : mixattn::impl::FoldPassBase<FoldPass> {
  using FoldPassBase::FoldPassBase;

  void runOnOperation() override {
    auto fold = [&](bool isAsked, auto populate) {
      if (!isAsked)
        return;
      RewritePatternSet patterns(&getContext());
      populate(patterns);
      walkAndApplyPatterns(getOperation(), std::move(patterns));
    };
    fold(keys, populateConcatenateKeys);
    fold(heads, populateConcatenateHeads);
    fold(values, populateConcatenateValues);
  }
};

} // namespace
