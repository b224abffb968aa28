// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// attn-fold-transposes: contractions whose result others read in another order
// write it so.

#include "dialect/attn/Contraction.h"
#include "passes/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mixattn {
#define GEN_PASS_DEF_FOLDTRANSPOSESPASS
#include "passes/Passes.h.inc"
} // namespace mixattn

using namespace mlir;
using namespace mixattn;

namespace {

/// A contraction, the pointwise ops that its result goes through, and what puts
/// the last one's dims in another order, some of them split before.
struct Chain {
  linalg::LinalgOp contraction;
  SmallVector<linalg::GenericOp> pointwise;
  linalg::TransposeOp transpose;
  /// The dims that each dim of the contraction's result is split into, and
  /// their sizes: only the first one may be open, and is not split then.
  SmallVector<ReassociationIndices> groups;
  SmallVector<int64_t> shape;
  /// Where each of these dims stands in the result.
  SmallVector<int64_t> places;
};

/// Writes a chain so that its result comes in its last order.
class ChainRewriter {
public:
  ChainRewriter(IRRewriter &rewriter, const Chain &chain)
      : b(rewriter), chain(chain), loc(chain.contraction->getLoc()),
        rank(chain.places.size()) {
    linalg::LinalgOp op = chain.contraction;
    b.setInsertionPoint(op);
    for (int64_t size : chain.shape)
      sizes.push_back(
          ShapedType::isDynamic(size)
              ? tensor::getMixedSize(b, op.getLoc(), op.getDpsInits()[0], 0)
              : b.getIndexAttr(size));
  }

  void run();

private:
  std::pair<Value, AffineMap> split(Value operand, AffineMap map,
                                    ArrayRef<int64_t> dimOf,
                                    ArrayRef<unsigned> loopOf,
                                    unsigned numLoops);
  Value emptyOf(Type element);
  Value makeSums();
  Value makePointwise(linalg::GenericOp op, Value before, Value after);

  IRRewriter &b;
  const Chain &chain;
  Location loc;
  unsigned rank;
  /// Those of `chain.shape`.
  SmallVector<OpFoldResult> sizes;
};

} // namespace

/// `operand`, whose dims are loops of its op by `map`, with these loops split;
/// and the map of its dims to the loops of the new op, of which there are
/// `numLoops`. `dimOf` has the dim of the result that each old loop is, or -1,
/// and `loopOf` the new loops of the others.
std::pair<Value, AffineMap> ChainRewriter::split(Value operand, AffineMap map,
                                                 ArrayRef<int64_t> dimOf,
                                                 ArrayRef<unsigned> loopOf,
                                                 unsigned numLoops) {
  SmallVector<ReassociationIndices> groups;
  SmallVector<OpFoldResult> own;
  SmallVector<int64_t> shape;
  SmallVector<AffineExpr> exprs;
  bool isSplit = false;
  for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
    unsigned loop = cast<AffineDimExpr>(expr).getPosition();
    ReassociationIndices &group = groups.emplace_back();
    auto add = [&](OpFoldResult size, unsigned to) {
      group.push_back(own.size());
      own.push_back(size);
      shape.push_back(getConstantIntValue(size).value_or(ShapedType::kDynamic));
      exprs.push_back(getAffineDimExpr(to, b.getContext()));
    };
    if (dimOf[loop] >= 0 && chain.groups[dimOf[loop]].size() > 1) {
      isSplit = true;
      for (int64_t part : chain.groups[dimOf[loop]])
        add(sizes[part], chain.places[part]);
      continue;
    }
    add(tensor::getMixedSize(b, operand.getLoc(), operand, dim),
        dimOf[loop] >= 0 ? chain.places[chain.groups[dimOf[loop]].front()]
                         : loopOf[loop]);
  }
  AffineMap made = AffineMap::get(numLoops, 0, exprs, b.getContext());
  if (!isSplit)
    return {operand, made};
  auto type = cast<RankedTensorType>(operand.getType()).clone(shape);
  return {tensor::ExpandShapeOp::create(b, operand.getLoc(), type, operand,
                                        groups, own),
          made};
}

/// A tensor of the sizes of the result.
Value ChainRewriter::emptyOf(Type element) {
  SmallVector<OpFoldResult> inOrder(rank);
  for (auto [part, place] : llvm::enumerate(chain.places))
    inOrder[place] = sizes[part];
  return tensor::EmptyOp::create(b, loc, inOrder, element);
}

Value ChainRewriter::makeSums() {
  linalg::LinalgOp op = chain.contraction;
  b.setInsertionPoint(op);
  AffineMap result = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  // Loops of the result come first, then those of the sums.
  unsigned numLoops = rank;
  SmallVector<int64_t> dimOf(op.getNumLoops(), -1);
  SmallVector<unsigned> loopOf(op.getNumLoops(), 0);
  for (auto [dim, expr] : llvm::enumerate(result.getResults()))
    dimOf[cast<AffineDimExpr>(expr).getPosition()] = dim;
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
    if (dimOf[loop] < 0)
      loopOf[loop] = numLoops++;
  SmallVector<utils::IteratorType> loops(numLoops,
                                         utils::IteratorType::reduction);
  std::fill_n(loops.begin(), rank, utils::IteratorType::parallel);
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  for (OpOperand *input : op.getDpsInputOperands()) {
    auto [value, map] = split(input->get(), op.getMatchingIndexingMap(input),
                              dimOf, loopOf, numLoops);
    inputs.push_back(value);
    maps.push_back(map);
  }
  maps.push_back(AffineMap::getMultiDimIdentityMap(numLoops, b.getContext())
                     .getMajorSubMap(rank));
  Type element = getElementTypeOrSelf(op->getResult(0));
  Value zero =
      arith::ConstantOp::create(b, op.getLoc(), b.getZeroAttr(element));
  Value zeros = linalg::FillOp::create(b, op.getLoc(), zero, emptyOf(element))
                    .getResult(0);
  auto sums = linalg::GenericOp::create(b, op.getLoc(), zeros.getType(), inputs,
                                        zeros, maps, loops);
  b.cloneRegionBefore(op->getRegion(0), sums.getRegion(),
                      sums.getRegion().begin());
  return sums.getResult(0);
}

/// `op` on `after`, which stands for the result `before` of the one before.
Value ChainRewriter::makePointwise(linalg::GenericOp op, Value before,
                                   Value after) {
  b.setInsertionPoint(op);
  SmallVector<int64_t> dimOf(op.getNumLoops());
  AffineMap result = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  for (auto [dim, expr] : llvm::enumerate(result.getResults()))
    dimOf[cast<AffineDimExpr>(expr).getPosition()] = dim;
  AffineMap each = AffineMap::getMultiDimIdentityMap(rank, b.getContext());
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  for (OpOperand *input : op.getDpsInputOperands()) {
    if (input->get() == before) {
      inputs.push_back(after);
      maps.push_back(each);
      continue;
    }
    auto [value, map] =
        split(input->get(), op.getMatchingIndexingMap(input), dimOf, {}, rank);
    inputs.push_back(value);
    maps.push_back(map);
  }
  maps.push_back(each);
  Value empty = emptyOf(getElementTypeOrSelf(op.getResult(0)));
  SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
  auto made = linalg::GenericOp::create(b, op.getLoc(), empty.getType(), inputs,
                                        empty, maps, loops);
  b.cloneRegionBefore(op.getRegion(), made.getRegion(),
                      made.getRegion().begin());
  return made.getResult(0);
}

void ChainRewriter::run() {
  Value before = chain.contraction->getResult(0), after = makeSums();
  for (linalg::GenericOp op : chain.pointwise) {
    after = makePointwise(op, before, after);
    before = op.getResult(0);
  }
  b.replaceOp(chain.transpose, after);
}

/// Whether `op` is pointwise, and each element of its result is that of the
/// same place of `value`; its other inputs have dims of the result.
static bool continues(linalg::GenericOp op, Value value) {
  if (!isPointwise(op) || op.hasIndexSemantics() ||
      !llvm::is_contained(op.getInputs(), value) ||
      op.payloadUsesValueFromOperand(op.getDpsInitOperand(0)))
    return false;
  AffineMap result = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  return llvm::all_of(op.getDpsInputOperands(), [&](OpOperand *input) {
    AffineMap map = op.getMatchingIndexingMap(input);
    return input->get() == value ? map == result : map.isProjectedPermutation();
  });
}

/// The only reader of `value`, or null.
static Operation *onlyReader(Value value) {
  return value.hasOneUse() ? *value.getUsers().begin() : nullptr;
}

/// The chain that begins with `contraction`, if vectors of its result stay as
/// they are.
static std::optional<Chain> findChain(linalg::LinalgOp contraction) {
  std::optional<Contraction> found = findContraction(contraction);
  if (!found || !found->beginsWithZeros() ||
      !llvm::all_of(contraction.getIndexingMapsArray(),
                    [](AffineMap map) { return map.isProjectedPermutation(); }))
    return std::nullopt;
  Chain chain;
  chain.contraction = contraction;
  Value value = contraction->getResult(0);
  Operation *reader = onlyReader(value);
  while (auto op = dyn_cast_or_null<linalg::GenericOp>(reader)) {
    if (!continues(op, value))
      return std::nullopt;
    chain.pointwise.push_back(op);
    value = op.getResult(0);
    reader = onlyReader(value);
  }
  if (auto expand = dyn_cast_or_null<tensor::ExpandShapeOp>(reader)) {
    chain.groups = expand.getReassociationIndices();
    value = expand.getResult();
    reader = onlyReader(value);
  } else {
    int64_t rank = cast<RankedTensorType>(value.getType()).getRank();
    for (int64_t dim = 0; dim < rank; ++dim)
      chain.groups.push_back({dim});
  }
  chain.shape =
      llvm::to_vector(cast<RankedTensorType>(value.getType()).getShape());
  chain.transpose = dyn_cast_or_null<linalg::TransposeOp>(reader);
  if (!chain.transpose || !chain.transpose.hasPureTensorSemantics() ||
      chain.transpose.getInput() != value)
    return std::nullopt;
  chain.places.resize(chain.shape.size());
  for (auto [place, dim] : llvm::enumerate(chain.transpose.getPermutation()))
    chain.places[dim] = place;
  return chain;
}

namespace {

struct FoldTransposesPass
    : mixattn::impl::FoldTransposesPassBase<FoldTransposesPass> {
  void runOnOperation() override {
    std::vector<Chain> chains;
    getOperation()->walk([&](linalg::LinalgOp op) {
      if (std::optional<Chain> chain = findChain(op); chain && pays(*chain))
        chains.push_back(std::move(*chain));
    });
    IRRewriter rewriter(&getContext());
    for (const Chain &chain : chains)
      ChainRewriter(rewriter, chain).run();
  }

private:
  /// Whether rows of the result that vectors fill stay together, and places of
  /// rows are found by numbers that are known.
  static bool pays(const Chain &chain) {
    constexpr int64_t lanes = 16;
    ArrayRef<int64_t> shape = chain.shape;
    bool isOpen = ShapedType::isDynamic(shape.front());
    return !(llvm::any_of(shape.drop_front(), ShapedType::isDynamic) ||
             (isOpen && chain.groups.front().size() > 1) ||
             chain.places.back() != int64_t(shape.size()) - 1 ||
             shape.back() % lanes);
  }
};

} // namespace
