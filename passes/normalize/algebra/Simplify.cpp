// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// attn-simplify: exact rewrites of the normal form.

#include "passes/Passes.h"
#include "passes/normalize/algebra/Algebra.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace mixattn {
#define GEN_PASS_DEF_SIMPLIFYPASS
#include "passes/Passes.h.inc"
} // namespace mixattn

using namespace mlir;
using namespace mixattn;

namespace {

struct SimplifyPass : mixattn::impl::SimplifyPassBase<SimplifyPass> {
  using Base::Base;

  void runOnOperation() override {
    // Each rule sees each op once, so that it explains itself once. Fewer
    // heads and components first: the others then have less to do. Factors and
    // terms fold once there are all terms.
    SmallVector<void (*)(RewritePatternSet &)> rules = {
        populatePruneHeads, populateSelectHeads, populateDropSingleComponent};
    if (makeTerms)
      rules.push_back(populateMakeTerms);
    if (mixOutputs)
      rules.push_back(populateMixOutputs);
    if (makeTerms)
      rules.push_back(populateFoldPrior);
    rules.push_back(populateFoldLog2e);
    if (foldScale)
      rules.push_back(populateFoldScale);
    if (mixFeatures)
      rules.push_back(populateMixFeatures);
    for (auto populate : rules) {
      RewritePatternSet patterns(&getContext());
      populate(patterns);
      walkAndApplyPatterns(getOperation(), std::move(patterns));
    }
  }
};

} // namespace
