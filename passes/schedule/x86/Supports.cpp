// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which attentions the schedules for x86 can compute.

#include "passes/schedule/x86/Supports.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mixattn;

/// Schedules write out code for each feature of a head, each head of those that
/// meet and each component of a key. No more of it than compiles in seconds.
static constexpr int64_t mostFeatures = 4096, mostMeetingHeads = 128,
                         mostComponents = 128;

static constexpr StringLiteral noElements =
    "one of its operands has no elements";

/// Whether values of `op` have no elements, whatever its lengths.
static bool hasEmptyOperand(Operation *op) {
  return llvm::any_of(op->getOperandTypes(), [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && llvm::is_contained(tensor.getShape(), 0);
  });
}

/// Why no schedule that makes tiles of scores can compute `op`, or nothing.
static StringRef whyNoTiles(Operation *op) {
  auto attention = dyn_cast<GenericOp>(op);
  if (!attention)
    return "it is not the normal form of a softmax attention";
  if (attention.getWeights())
    return "its weights are a result";
  return hasEmptyOperand(op) ? StringRef(noElements) : StringRef();
}

/// Why the linear schedule cannot compute `op`, or nothing.
static StringRef whyNoStates(Operation *op) {
  auto generic = dyn_cast<LinearGenericOp>(op);
  if (!generic)
    return "it is not the normal form of linear attention";
  LinearAttentionOpInterface attention = generic;
  if (attention.getW1() && attention.getCausal())
    return "an MLP mixes the states at each position, so chunks of keys do not "
           "add up";
  return hasEmptyOperand(op) ? StringRef(noElements) : StringRef();
}

/// Why the banded schedule cannot compute `op`, or nothing.
static StringRef whyNoPieces(Operation *op) {
  if (!isa<StructuredPoolOp>(op))
    return "its weights are not given";
  return hasEmptyOperand(op) ? StringRef(noElements) : StringRef();
}

static StringRef whyNot(Algorithm algorithm, Operation *op) {
  auto attention = dyn_cast<AttentionOpInterface>(op);
  switch (algorithm) {
  case Algorithm::Online:
    // Heads that share their values mix what they pool.
    if (attention && attention.hasPostmix() &&
        attention.getValueType().getDimSize(1) != 1)
      return "weights of several heads mix, which takes the sums of whole rows "
             "first";
    return whyNoTiles(op);
  case Algorithm::Panel:
    if (attention && !attention.hasPostmix())
      return "no weights mix, so nothing has to wait for whole rows";
    return whyNoTiles(op);
  case Algorithm::Decode:
    return whyNoTiles(op);
  case Algorithm::ChunkedLinear:
    return whyNoStates(op);
  case Algorithm::Banded:
    return whyNoPieces(op);
  case Algorithm::Unfused:
    return {};
  }
  llvm_unreachable("all algorithms are known");
}

/// Why schedules would write out too much code for `op`, or nothing.
static std::string whyTooLarge(Operation *op) {
  int64_t features = 0, heads = 0, components = 1;
  if (auto generic = dyn_cast<GenericOp>(op)) {
    AttentionOpInterface attention = generic;
    ScoreOpInterface scores = generic;
    features = attention.getValueType().getDimSize(3);
    if (Value query = scores.getQuery())
      features = std::max(
          features, cast<RankedTensorType>(query.getType()).getDimSize(3));
    if (attention.hasPremix() || attention.hasPostmix())
      heads = attention.getNumHeads();
    components = scores.getNumComponents();
  } else if (auto generic = dyn_cast<LinearGenericOp>(op)) {
    LinearAttentionOpInterface attention = generic;
    features = std::max(attention.getNumFeatures(),
                        attention.getValueType().getDimSize(3));
    if (attention.getPremixer() || attention.getW1())
      heads = std::max(attention.getNumHeads(), attention.getNumKeyHeads());
    components = attention.getNumComponents();
  }
  if (features > mostFeatures)
    return llvm::formatv("its heads have {0} features, more than the {1} that "
                         "a schedule writes out",
                         features, mostFeatures);
  if (heads > mostMeetingHeads)
    return llvm::formatv("{0} of its heads meet, more than the {1} that a "
                         "schedule writes out",
                         heads, mostMeetingHeads);
  if (components > mostComponents)
    return llvm::formatv("its keys have {0} components, more than the {1} that "
                         "a schedule writes out",
                         components, mostComponents);
  return "";
}

bool x86::isSupported(Algorithm algorithm, Operation *op, std::string &why) {
  why = whyNot(algorithm, op).str();
  if (why.empty() && algorithm != Algorithm::Unfused)
    why = whyTooLarge(op);
  return why.empty();
}

std::string x86::whyNoSizes(const PlanCase &plan, int64_t narrowest,
                            int64_t widest) {
  int64_t lanes = plan.lanes, block = plan.block, split = plan.split;
  if (lanes &&
      (!llvm::isPowerOf2_64(lanes) || lanes < narrowest || lanes > widest))
    return llvm::formatv("expected lanes to be a power of 2 from {0} to {1} on "
                         "this target, but got {2}",
                         narrowest, widest, lanes);
  constexpr int64_t step = 16, longest = 1024;
  if (block % step != 0 || block > longest)
    return llvm::formatv("expected block to be a multiple of {0} up to {1}, "
                         "but got {2}",
                         step, longest, block);
  if (split && (block == 0 || split % block != 0))
    return llvm::formatv("expected split to be a multiple of the block {0}, "
                         "but got {1}",
                         block, split);
  return "";
}
