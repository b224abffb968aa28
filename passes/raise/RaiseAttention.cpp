// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// attn-raise-attention: linalg that computes an attention becomes one op.

#include "dialect/attn/AttnOps.h"
#include "passes/Passes.h"
#include "passes/raise/EmitAttention.h"
#include "passes/raise/MatchAttention.h"
#include "passes/raise/PathsOfWeights.h"

#include "mlir/IR/Remarks.h"

namespace mixattn {
#define GEN_PASS_DEF_RAISEATTENTIONPASS
#include "passes/Passes.h.inc"
} // namespace mixattn

using namespace mlir;
using namespace mixattn;

static constexpr llvm::StringLiteral category = "attn-raise-attention";

namespace {

struct RaiseAttentionPass
    : mixattn::impl::RaiseAttentionPassBase<RaiseAttentionPass> {
  void runOnOperation() override {
    takesFactors =
        TargetAttr::of(getOperation()).getFamily() != TargetFamily::X86;
    // A softmax of parameters may be a mixer of another one's weights: then it
    // is part of that attention, and none with scores that are given.
    SmallVector<FoundSoftmax> softmaxes, given;
    divided.clear();
    auto keep = [&](const FoundSoftmax &found) {
      (isOfProduct(found.weights) ? softmaxes : given).push_back(found);
    };
    getOperation()->walk([&](Operation *op) {
      std::optional<FoundSoftmax> found = findSoftmax(op);
      if (!found)
        return;
      keep(*found);
      for (Operation *sum : sumsBefore(op))
        divided.insert(sum);
    });
    getOperation()->walk([&](Operation *op) {
      if (std::optional<FoundSoftmax> found = findPowers(op))
        keep(*found);
    });
    llvm::append_range(softmaxes, given);
    unsigned raised = 0, all = 0;
    for (const FoundSoftmax &softmax : softmaxes) {
      std::string why;
      unsigned count = raise(softmax, why);
      bool isRaised = count != 0;
      // A softmax of logits is none of an attention.
      if (!isRaised && why.empty())
        continue;
      all += std::max(count, 1u);
      raised += count;
      Location loc = softmax.weights.getLoc();
      remark::RemarkOpts options =
          remark::RemarkOpts::name("raise").category(category);
      if (isRaised)
        remark::passed(loc, options) << remark::reason("attention raised");
      else
        remark::missed(loc, options)
            << remark::reason("attention not raised: {0}", why);
    }
    if (all != 0)
      remark::passed(getOperation().getLoc(),
                     remark::RemarkOpts::name("raise").category(category))
          << remark::reason("raised {0} of {1} attentions", raised, all);
  }

private:
  /// A GPU's kernels read queries and keys of 16 bits alone. A CPU multiplies
  /// queries in f32, and reads a bias faster than a score_mod does.
  bool takesFactors = false;
  /// Sums that divide what they are the sums of.
  llvm::DenseSet<Operation *> divided;

  /// Replaces what sums the weights of `softmax`, and gives how many sums that
  /// are. `why` stays empty where it is no attention's.
  unsigned raise(const FoundSoftmax &softmax, std::string &why) {
    bool isAttention = isBetweenProducts(softmax);
    if (!softmax.whyNot.empty()) {
      if (isAttention)
        why = softmax.whyNot;
      return 0;
    }
    unsigned count = 0;
    // Weights by the same sum are a softmax of their own.
    bool isOther = softmax.sum && divided.contains(softmax.sum);
    // Sums of weights alone, masked ones, too, come last: where values are
    // summed otherwise, weights have to be computed all the same.
    SmallVector<linalg::LinalgOp> roots, sums;
    for (linalg::LinalgOp root :
         softmax.sum ? quotientsAfter(softmax) : sumsAfter(softmax.weights))
      (isSum(root) ? sums : roots).push_back(root);
    roots.append(sums);
    for (linalg::LinalgOp root : roots) {
      if (isSum(root) && !why.empty() && why != noSumOverKeys)
        break;
      // An attention has taken its place.
      if (!isRead(root) || (isOther && root.getNumReductionLoops() != 0))
        continue;
      Expressions make(&getContext());
      std::string reason;
      std::optional<RaisedAttention> attention =
          AttentionMatcher(make, takesFactors).match(root, softmax, reason);
      if (!attention) {
        // Of several the first one that is a sum over keys tells most.
        if (why.empty() || why == noSumOverKeys)
          why = reason;
        continue;
      }
      if (attention->computesPairs)
        remark::analysis(root.getLoc(),
                         remark::RemarkOpts::name("raise").category(category))
            << remark::reason("a bias is computed as a tensor of all pairs of "
                              "queries and keys");
      ImplicitLocOpBuilder b(root.getLoc(), root);
      Value result = root->getResult(0);
      Value emitted = emitAttention(b, make, *attention, result);
      result.replaceAllUsesWith(emitted);
      ++count;
    }
    if (count == 0 && (!isAttention || isOther || why == noProduct))
      why.clear();
    return count;
  }
};

} // namespace
