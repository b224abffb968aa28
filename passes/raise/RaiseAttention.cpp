// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// attn-raise-attention: linalg that computes an attention becomes one op.

#include "passes/Passes.h"
#include "passes/raise/EmitAttention.h"
#include "passes/raise/MatchAttention.h"

#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include <queue>

namespace mixattn {
#define GEN_PASS_DEF_RAISEATTENTIONPASS
#include "passes/Passes.h.inc"
} // namespace mixattn

using namespace mlir;
using namespace mixattn;

static constexpr llvm::StringLiteral category = "attn-raise-attention";

/// The sums that the weights of `softmax` come to, the nearest first.
static SmallVector<linalg::LinalgOp> sumsAfter(const FoundSoftmax &softmax) {
  SmallVector<linalg::LinalgOp> sums;
  llvm::SetVector<Operation *> seen;
  std::queue<Value> left;
  left.push(softmax.weights);
  // More ops than mixers take.
  constexpr size_t most = 64;
  while (!left.empty() && seen.size() < most) {
    for (Operation *user : left.front().getUsers()) {
      if (!seen.insert(user) || user->getNumResults() != 1 ||
          !isa<RankedTensorType>(user->getResult(0).getType()))
        continue;
      auto loops = dyn_cast<linalg::LinalgOp>(user);
      if (loops && loops.getNumReductionLoops() != 0)
        sums.push_back(loops);
      left.push(user->getResult(0));
    }
    left.pop();
  }
  return sums;
}

/// Whether `value` is computed from a product of two tensors.
static bool isOfProduct(Value value) {
  llvm::SetVector<Value> seen;
  seen.insert(value);
  // More ops than stand between products and a softmax.
  constexpr size_t most = 4096;
  for (size_t next = 0; next < seen.size() && next < most; ++next) {
    auto loops = seen[next].getDefiningOp<linalg::LinalgOp>();
    if (loops && loops.getNumReductionLoops() != 0 &&
        loops.getNumDpsInputs() == 2)
      return true;
    if (Operation *op = seen[next].getDefiningOp())
      seen.insert(op->operand_begin(), op->operand_end());
  }
  return false;
}

/// Whether what the function returns depends on `op`.
static bool isRead(Operation *op) {
  llvm::SetVector<Operation *> readers;
  readers.insert(op);
  for (size_t next = 0; next < readers.size(); ++next)
    for (Operation *user : readers[next]->getUsers()) {
      // A reader within loops is a part of them.
      while (user && !isa<FunctionOpInterface>(user->getParentOp()))
        user = user->getParentOp();
      if (user->hasTrait<OpTrait::IsTerminator>())
        return true;
      readers.insert(user);
    }
  return false;
}

namespace {

struct RaiseAttentionPass
    : mixattn::impl::RaiseAttentionPassBase<RaiseAttentionPass> {
  void runOnOperation() override {
    // A softmax of parameters may be a mixer of another one's weights: then it
    // is part of that attention, and none with scores that are given.
    SmallVector<FoundSoftmax> softmaxes, given;
    getOperation()->walk([&](Operation *op) {
      if (std::optional<FoundSoftmax> found = findSoftmax(op))
        (isOfProduct(found->weights) ? softmaxes : given).push_back(*found);
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
  /// Replaces what sums the weights of `softmax`, and gives how many sums that
  /// are. `why` stays empty where it is no attention's.
  unsigned raise(const FoundSoftmax &softmax, std::string &why) {
    SmallVector<linalg::LinalgOp> sums = sumsAfter(softmax);
    if (!softmax.whyNot.empty()) {
      if (!sums.empty() && isOfProduct(softmax.weights))
        why = softmax.whyNot;
      return 0;
    }
    unsigned count = 0;
    bool isGiven = !isOfProduct(softmax.weights);
    for (linalg::LinalgOp sum : sums) {
      // An attention has taken its place.
      if (isGiven && !isRead(sum))
        continue;
      Expressions make(&getContext());
      std::string reason;
      std::optional<RaisedAttention> attention =
          AttentionMatcher(make).match(sum, softmax, reason);
      if (!attention) {
        // Of several sums the first one that is over keys tells most.
        if (why.empty() || why == noSumOverKeys)
          why = reason;
        continue;
      }
      if (attention->computesPairs)
        remark::analysis(sum.getLoc(),
                         remark::RemarkOpts::name("raise").category(category))
            << remark::reason("a bias is computed as a tensor of all pairs of "
                              "queries and keys");
      ImplicitLocOpBuilder b(sum.getLoc(), sum);
      Value result = sum->getResult(0);
      Value emitted =
          emitAttention(b, make, *attention, getElementTypeOrSelf(result));
      result.replaceAllUsesWith(emitted);
      ++count;
    }
    if (count == 0 && isGiven)
      why.clear();
    return count;
  }
};

} // namespace
