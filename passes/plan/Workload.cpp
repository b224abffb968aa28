// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads what predictions need to know from an op, through its interface.

#include "passes/plan/Workload.h"

#include "dialect/attn/Contraction.h"

#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"

using namespace mlir;
using namespace mixattn;

/// A count that is a number, as nominal sizes make it.
static double number(const SizePolynomial &count) {
  return double(count.asNumber().value_or(0));
}

std::array<OperandDim, 3> mixattn::getPlanDims(Operation *op) {
  if (auto scored = dyn_cast<ScoreOpInterface>(op))
    return {scored.getBatchDim(), scored.getQueriesDim(), scored.getKeysDim()};
  if (auto linear = dyn_cast<LinearAttentionOpInterface>(op))
    return {linear.getBatchDim(), linear.getQueriesDim(), linear.getKeysDim()};
  if (std::optional<Contraction> found = findContraction(op))
    return {found->dimOf(found->lanes.back()), found->dimOf(found->rows.back()),
            found->dimOf(found->depths.back())};
  Value value = cast<StructuredPoolOp>(op).getValue();
  return {OperandDim{value, 0}, OperandDim{value, 2}, OperandDim{value, 2}};
}

/// Counts each stage of a softmax attention by pair.
static PairCounts countPair(AttentionOpInterface op, const StageCosts &stages,
                            const Sizes &nominal, double pairs) {
  PairCounts pair;
  for (const auto &[name, cost] : stages) {
    double multiplyAdds = number(cost.multiplyAdds) / pairs;
    if (name == "pool")
      pair.pool += multiplyAdds;
    else if (name == "postmix")
      pair.postmix += multiplyAdds;
    else if (name != "project" && name != "scores")
      pair.premix += multiplyAdds;
    pair.other += number(cost.other) / pairs;
    pair.exps += number(cost.exps) / pairs;
  }
  // Components that differ by a term share one product; terms are few.
  if (op.getQuery()) {
    bool isShared = op.getKeyType().getRank() == 4;
    pair.scores =
        double(op.getNumQueryHeads() * op.getQueryType().getDimSize(3) *
               (isShared ? 1 : op.getNumComponents()));
  }
  for (Value operand :
       {op.getGivenScores(), op.getBias(), op.getMask(), op.getNoise()})
    if (operand)
      pair.reads += number(nominal.elements(operand)) / pairs;
  if (op.getSeed())
    pair.draws =
        double(op.getNoiseKind() == NoiseKind::Local ? op.getNumHeads()
                                                     : op.getNumQueryHeads());
  return pair;
}

static void read(AttentionOpInterface op, Workload &work) {
  work.kind = Workload::Kind::Softmax;
  work.queryHeads = op.getNumQueryHeads();
  work.heads = op.getNumHeads();
  work.groups = op.hasPremix() || op.hasPostmix() ? 1 : work.heads;
  work.isCausal = op.getCausal();
  work.returnsWeights = bool(op.getWeights());
  auto widthOf = [](BandAttr band) {
    return std::min(band.getLower() + band.getUpper() + 1,
                    std::numeric_limits<int64_t>::max() / 4);
  };
  if (std::optional<BandAttr> band = op.getBand())
    work.band = widthOf(*band);
  if (std::optional<BandAttr> kept = op.getKeep())
    work.kept = widthOf(*kept);
  work.keyHeads = 0;
  if (op.getQuery()) {
    work.keyHeads = op.getKeyType().getDimSize(1);
    if (op.getKeyType().getRank() == 5)
      work.keyHeads *= op.getNumComponents();
    work.keyFeatures = op.getQueryType().getDimSize(3);
  }
  work.valueHeads = op.getValueType().getDimSize(1);
  work.valueFeatures = op.getValueType().getDimSize(3);
  work.bits = op.getValueType().getElementTypeBitWidth();
  work.isBf16 = op.getValueType().getElementType().isBF16();
}

static void read(LinearAttentionOpInterface op, Workload &work) {
  work.kind = Workload::Kind::Linear;
  work.queryHeads = work.heads = op.getNumHeads();
  work.keyHeads = op.getNumKeyHeads() * op.getNumComponents();
  work.valueHeads = op.getValueType().getDimSize(1);
  work.keyFeatures = op.getQueryType().getDimSize(3);
  work.valueFeatures = op.getValueType().getDimSize(3);
  work.features = op.getNumFeatures();
  work.groups = op.hasPremix() ? 1 : work.heads;
  work.isCausal = op.getCausal();
  work.bits = op.getValueType().getElementTypeBitWidth();
  work.isBf16 = op.getValueType().getElementType().isBF16();
}

static void read(StructuredPoolOp op, Workload &work) {
  work.kind = Workload::Kind::Pool;
  work.heads = op.getHeadsDim().size();
  work.valueFeatures = op.getValue().getType().getDimSize(3);
  work.bits = op.getValue().getType().getElementTypeBitWidth();
}

static void read(const Contraction &product, Workload &work) {
  work.kind = Workload::Kind::Contraction;
  Type element = getElementTypeOrSelf(product.right);
  work.bits = element.getIntOrFloatBitWidth();
  work.isBf16 = element.isBF16();
}

Workload mixattn::readWorkload(Operation *op, const Sizes &nominal) {
  Workload work;
  work.op = op;
  auto attention = dyn_cast<AttentionOpInterface>(op);
  if (attention)
    read(attention, work);
  else if (auto linear = dyn_cast<LinearAttentionOpInterface>(op))
    read(linear, work);
  else if (std::optional<Contraction> product = findContraction(op))
    read(*product, work);
  else
    read(cast<StructuredPoolOp>(op), work);
  auto [batch, queries, keys] = getPlanDims(op);
  auto size = [&](OperandDim of) {
    return std::max(1.0, number(nominal.size(of.value, of.dim)));
  };
  bool hasPairs = attention || work.kind == Workload::Kind::Contraction;
  double units = size(batch) * size(queries) * (hasPairs ? size(keys) : 1);
  OpCost counted = *countOp(op, nominal);
  if (attention)
    work.pair = countPair(attention, counted.stages, nominal, units);
  work.plainMultiplyAdds = number(counted.cost.multiplyAdds) / units;
  work.plainOther = number(counted.cost.other) / units;
  work.plainExps = number(counted.cost.exps) / units;
  work.movedBytes = number(counted.cost.bytes) / units;
  return work;
}

Workload mixattn::readRows(ArrayRef<Operation *> members,
                           const Sizes &nominal) {
  Workload work;
  work.kind = Workload::Kind::Rows;
  llvm::SetVector<Value> moved;
  for (Operation *op : members) {
    if (std::optional<OpCost> counted = countOp(op, nominal)) {
      work.plainMultiplyAdds += number(counted->cost.multiplyAdds);
      work.plainOther += number(counted->cost.other);
      work.plainExps += number(counted->cost.exps);
    }
    auto isOther = [&](Operation *user) {
      return !llvm::is_contained(members, user);
    };
    for (Value result : op->getResults())
      if (llvm::any_of(result.getUsers(), isOther))
        moved.insert(result);
    for (Value input : cast<DestinationStyleOpInterface>(op).getDpsInputs())
      if (isa<TensorType>(input.getType()) &&
          !(input.getDefiningOp() &&
            llvm::is_contained(members, input.getDefiningOp())))
        moved.insert(input);
  }
  for (Value tensor : moved)
    work.movedBytes += number(nominal.bytes(tensor));
  return work;
}

RowCounts mixattn::countRows(Operation *op, ArrayRef<Operation *> producers,
                             const Sizes &nominal) {
  Contraction product = *findContraction(op);
  auto count = [&](ArrayRef<unsigned> loops) {
    double all = 1;
    for (unsigned loop : loops) {
      OperandDim dim = product.dimOf(loop);
      all *= std::max(1.0, number(nominal.size(dim.value, dim.dim)));
    }
    return all;
  };
  Workload work = readRows(producers, nominal);
  double numbers = std::max(1.0, number(nominal.elements(product.left)));
  RowCounts rows;
  rows.operations = (work.plainMultiplyAdds + work.plainOther) / numbers;
  rows.exps = work.plainExps / numbers;
  rows.movedBytes = work.movedBytes / numbers;
  rows.outerRows =
      count(ArrayRef(product.rows).drop_back()) * count(product.batches);
  rows.outerLanes = count(ArrayRef(product.lanes).drop_back());
  return rows;
}

double Workload::units(const PlanSizes &sizes) const {
  double queries = double(sizes.batch) * double(sizes.queries);
  if (kind == Kind::Rows)
    return 1;
  bool hasPairs = kind == Kind::Softmax || kind == Kind::Contraction;
  return hasPairs ? queries * double(sizes.keys) : queries;
}

double Workload::visibleKeys(const PlanSizes &sizes, int64_t tile,
                             int64_t block) const {
  int64_t tiles = llvm::divideCeil(std::max<int64_t>(sizes.queries, 1), tile);
  // Some tiles stand for all: what they see grows evenly.
  int64_t step = llvm::divideCeil(tiles, 256), counted = 0;
  double sum = 0;
  for (int64_t t = step / 2; t < tiles; t += step, ++counted) {
    int64_t keys = sizes.keys;
    if (isCausal)
      keys = std::clamp<int64_t>(std::min((t + 1) * tile, sizes.queries) +
                                     keys - sizes.queries,
                                 0, keys);
    if (band)
      keys = std::min(keys, *band + tile - 1);
    sum += double(std::min<int64_t>(llvm::alignTo(keys, block), sizes.keys));
  }
  return sum / double(std::max<int64_t>(counted, 1));
}

double Workload::keptKeys(const PlanSizes &sizes, int64_t tile,
                          int64_t block) const {
  if (!kept)
    return 0;
  Workload narrow = *this;
  narrow.band = std::min(*kept, band.value_or(*kept));
  return narrow.visibleKeys(sizes, tile, block);
}

double Workload::usefulFlops(const PlanSizes &sizes) const {
  double queries = double(sizes.batch) * double(sizes.queries);
  if (kind == Kind::Rows)
    return 0;
  if (kind == Kind::Softmax)
    return 2 * pair.products() * queries * visibleKeys(sizes, 1, 1);
  if (kind == Kind::Pool)
    return 2 * plainMultiplyAdds * queries;
  if (kind == Kind::Contraction)
    return 2 * plainMultiplyAdds * queries * double(sizes.keys);
  return 2 * double(heads * valueFeatures * features) *
         (queries + double(sizes.batch) * double(sizes.keys));
}
