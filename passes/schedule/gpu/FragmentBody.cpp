// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An attention's body on fragments, for every family of GPUs.

#include "passes/schedule/gpu/FragmentBody.h"
#include "passes/schedule/gpu/FragmentMap.h"

#include "passes/body/References.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <limits>

using namespace mlir;
using namespace mixattn;

static Value emitExp2(ImplicitLocOpBuilder &b, Value exponent) {
  return math::Exp2Op::create(b, exponent);
}

FragmentBody::FragmentBody(ImplicitLocOpBuilder &b, KernelOp kernel,
                           AttentionOpInterface op, int64_t numHeads,
                           int64_t exps)
    : b(b), at(b), kernel(kernel), op(op),
      buffers(ValueRange(kernel.getInputs())), body(op, buffers),
      softmax(b, emitExp2), heads(numHeads), exps(exps) {}

Value FragmentBody::constant(Type type, double number) {
  if (type.isF32())
    return arith::ConstantOp::create(b, b.getF32FloatAttr(number));
  return arith::ConstantOp::create(
      b, DenseElementsAttr::get(cast<VectorType>(type), float(number)));
}

void FragmentBody::emitItem(tile::GridOp grid, int64_t queries) {
  emitItem(ValueRange(grid.getItem()), queries);
  reportLengths();
}

void FragmentBody::emitItem(ValueRange item, int64_t queries) {
  numQueries = sizeOf(op.getQueriesDim());
  Value block = item[0];
  // Items begin in the order of their numbers, and late queries see most keys:
  // what takes longest begins first.
  if (op.getCausal()) {
    Value blocks = at.div(at.add(numQueries, queries - 1), queries);
    block = at.sub(at.sub(blocks, 1), block);
  }
  firstQuery = at.mul(block, queries);
  Value first = at.mul(item[1], int64_t(heads.size()) * rowHeads);
  for (auto [g, head] : llvm::enumerate(heads))
    head = at.add(first, int64_t(g));
  batch = item[2];
  Value here = at.min(at.sub(numQueries, firstQuery), queries);
  // Where rows of heads come in turn, those of the last query may not fill up
  // the block.
  endOfRows =
      rowHeads == 1 ? numQueries : at.mul(at.add(firstQuery, here), rowHeads);
  range = emitKeyRange(b, op, buffers, firstQuery, here, batch);
  // The two keys that share random words begin at an even one, and so must a
  // fragment's pairs. A key before the range is hidden.
  if (op.getSeed())
    range.begin = at.mul(at.div(range.begin, 2), 2);
}

void FragmentBody::reportLengths() {
  for (auto [isBad, counts] : {std::pair(range.isLengthBad, op.getLengths()),
                               std::pair(range.isStartBad, op.getStart())})
    if (isBad)
      tile::ReportOp::create(b, isBad, buffers.bufferOf(counts));
}

void FragmentBody::fetchOfItem(Value query) {
  buffers.fetchOfItem(b,
                      {batch, heads.front(), queryHead(0), keyHead(0), query});
}

FragmentBody::Values FragmentBody::emitMap(
    int64_t g, Value firstKey, ValueRange operands, size_t results,
    function_ref<Values(const ScorePlace &, Value, ValueRange)> element) {
  return emitFragmentMap(
      b, firstRow(), firstKey, operands, results,
      [&](Value row, Value key, ValueRange elements) {
        // Queries and keys that are not there have the place of the last one.
        // Windows hold zeros for them.
        Value query = queryOfRow(row);
        buffers.setElement(query, key);
        ScorePlace place = {
            batch, headOfRow(g, row), at.min(query, at.sub(numQueries, 1)),
            at.min(key, at.sub(range.keys, 1)), range.alignment};
        if (op.getSeed()) {
          place.number = key;
          place.pair = tile::FirstOfPairOp::create(b, key);
        }
        return element(place, key, elements);
      });
}

FragmentBody::Values FragmentBody::emitSeenExponents(int64_t first,
                                                     int64_t count,
                                                     Value firstKey,
                                                     ValueRange products) {
  // The factor will be a part of what subtracts the reference.
  if (body.isScaledProduct() && !op.hasPremix())
    return Values(products);
  return emitMap(first, firstKey, products, count * body.numExponents(),
                 [&](const ScorePlace &place, Value, ValueRange elements) {
                   return emitExponentsAt(place, first, count, elements);
                 });
}

Value FragmentBody::emitScaledProduct(Value product) {
  if (body.isScaledProduct())
    return product;
  return arith::MulFOp::create(b, product,
                               constant(b.getF32Type(), body.queryFactor()),
                               arith::FastMathFlags::contract);
}

FragmentBody::Values FragmentBody::emitStartAt(const ScorePlace &place,
                                               ValueRange products) {
  Values scaled = llvm::map_to_vector(
      products, [&](Value product) { return emitScaledProduct(product); });
  return body.emitStart(b, scaled, place);
}

FragmentBody::Values FragmentBody::emitExponentsAt(ScorePlace place,
                                                   int64_t first, int64_t count,
                                                   ValueRange products) {
  Values start = emitStartAt(place, products), exponents;
  for (int64_t g = first; g < first + count; ++g) {
    if (g > first)
      place.h = heads[g];
    llvm::append_range(exponents, body.emitExponents(b, start, place));
  }
  return exponents;
}

/// Work that heads share is done once for all of them.
FragmentBody::Scores FragmentBody::emitScores(Value firstKey,
                                              ValueRange products) {
  Scores scores;
  scores.products = Values(products);
  if (body.sharesWork())
    scores.exponents = emitSeenExponents(0, heads.size(), firstKey, products);
  return scores;
}

FragmentBody::Scores FragmentBody::emitStarts(Value firstKey,
                                              ValueRange products) {
  Scores scores;
  scores.products = Values(products);
  if (body.isCoupled())
    scores.starts =
        emitMap(0, firstKey, products, body.numStarts(),
                [&](const ScorePlace &place, Value, ValueRange elements) {
                  return emitStartAt(place, elements);
                });
  return scores;
}

/// Blocks of keys that every query sees all of are left alone.
FragmentBody::Exponents FragmentBody::emitExponents(int64_t g, Value firstKey,
                                                    int64_t keys,
                                                    const Scores &scores,
                                                    bool collapses) {
  Exponents exponents;
  int64_t each = body.numExponents();
  if (collapses)
    exponents = emitCollapsed(g, firstKey, scores.products);
  else if (!scores.starts.empty())
    exponents.all =
        emitMap(g, firstKey, scores.starts, each,
                [&](const ScorePlace &place, Value, ValueRange elements) {
                  return body.emitExponents(b, elements, place);
                });
  else if (body.sharesWork())
    llvm::append_range(exponents.all,
                       ArrayRef(scores.exponents).slice(g * each, each));
  else
    exponents.all = emitSeenExponents(g, 1, firstKey, scores.products);
  Values fragments = exponents.all;
  if (collapses)
    fragments.push_back(exponents.factor);
  auto take = [&](Values hidden) -> Exponents {
    Value factor = collapses ? hidden.pop_back_val() : Value();
    return {hidden, factor};
  };
  auto hide = [&] {
    return emitMap(
        g, firstKey, fragments, fragments.size(),
        [&](const ScorePlace &place, Value key, ValueRange elements) {
          Value seen = at.compare(arith::CmpIPredicate::slt, key, range.end);
          if (Value visible =
                  body.emitIsVisible(b, place, /*isBelowLength=*/true))
            seen = arith::AndIOp::create(b, seen, visible);
          Value hidden = constant(b.getF32Type(),
                                  -std::numeric_limits<double>::infinity());
          Values shown =
              llvm::map_to_vector(elements, [&](Value exponent) -> Value {
                return arith::SelectOp::create(b, seen, exponent, hidden);
              });
          // The power is 0: a factor that is NaN must not make it so.
          if (collapses)
            shown.back() = arith::SelectOp::create(b, seen, elements.back(),
                                                   constant(b.getF32Type(), 0));
          return shown;
        });
  };
  if (op.getMask())
    return take(hide());
  Value last = at.add(firstKey, keys);
  Value isInside = arith::AndIOp::create(
      b, at.compare(arith::CmpIPredicate::sge, firstKey, range.insideBegin),
      at.compare(arith::CmpIPredicate::sle, last, range.insideEnd));
  auto choice = scf::IfOp::create(b, ValueRange(fragments).getTypes(), isInside,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  scf::YieldOp::create(b, fragments);
  b.setInsertionPointToStart(choice.elseBlock());
  scf::YieldOp::create(b, hide());
  return take(Values(choice.getResults()));
}

/// The weight of `elements`: exponents, or a product that the factor makes one,
/// and their row's reference.
Value FragmentBody::emitWeight(ValueRange elements) {
  if (!body.isScaledProduct())
    return softmax.emitWeight(elements.drop_back(), elements.back());
  Value factor = constant(b.getF32Type(), body.queryFactor());
  Value less = arith::NegFOp::create(b, elements.back());
  Value exponent = math::FmaOp::create(b, elements[0], factor, less);
  return softmax.emitWeight(exponent);
}

/// A reference lags: powers of 2 to the slack are far from the largest number,
/// so that most blocks leave all rows as they are, and lanes need not meet.
FragmentBody::Rescale FragmentBody::emitReferences(ValueRange exponents,
                                                   Statistics &statistics) {
  Value largest;
  for (Value each : exponents) {
    Value own = tile::RowMaxOp::create(b, each);
    largest =
        largest ? arith::MaxNumFOp::create(b, largest, own).getResult() : own;
  }
  if (body.isScaledProduct())
    largest =
        arith::MulFOp::create(b, largest, constant(rows(), body.queryFactor()));
  Value before = statistics.reference;
  double own = slack;
  if (std::optional<Collapse> collapse = Collapse::of(op))
    own = collapse->slack;
  else if (op.getValueType().getElementType().isF16())
    own = slackOfHalves;
  Value bound = arith::AddFOp::create(b, before, constant(rows(), own));
  auto isAbove = [&](Value number) {
    return arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, number, bound);
  };
  Value isNeeded = tile::AnyOp::create(b, isAbove(largest));
  SmallVector<Type> types(2, rows());
  auto choice = scf::IfOp::create(b, types, isNeeded, /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(choice.thenBlock());
    largest = tile::JoinMaxOp::create(b, largest);
    Value raised =
        arith::SelectOp::create(b, isAbove(largest), largest, before);
    Value sum = arith::MulFOp::create(b, statistics.sum,
                                      softmax.emitRescale(before, raised));
    scf::YieldOp::create(b, ValueRange{raised, sum});
    b.setInsertionPointToStart(choice.elseBlock());
    scf::YieldOp::create(b, ValueRange{before, statistics.sum});
  }
  statistics = {choice.getResult(0), choice.getResult(1)};
  return {isNeeded, before, statistics.reference};
}

Value FragmentBody::emitWeights(int64_t g, Value firstKey, int64_t keys,
                                const Scores &scores, Statistics &statistics,
                                Rescale &rescale) {
  auto emitForm = [&](bool collapses) {
    return emitWeightsOf(firstKey,
                         emitExponents(g, firstKey, keys, scores, collapses),
                         statistics, rescale);
  };
  if (!areApart)
    return emitForm(/*collapses=*/false);
  Statistics before = statistics;
  SmallVector<Type> types = {fragment(keys), rows(), rows(), b.getI1Type()};
  auto choice = scf::IfOp::create(b, types, areApart, /*withElseRegion=*/true);
  for (Block *block : {choice.thenBlock(), choice.elseBlock()}) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(block);
    statistics = before;
    Value weights = emitForm(/*collapses=*/block == choice.elseBlock());
    scf::YieldOp::create(b, ValueRange{weights, statistics.reference,
                                       statistics.sum, rescale.isNeeded});
  }
  statistics = {choice.getResult(1), choice.getResult(2)};
  rescale = {choice.getResult(3), before.reference, statistics.reference};
  return choice.getResult(0);
}

Value FragmentBody::emitPowers(const Exponents &exponents, Value reference) {
  Values operands(exponents.all);
  operands.push_back(reference);
  if (exponents.factor)
    operands.push_back(exponents.factor);
  Value powers =
      emitMap(0, at.value(0), operands, 1,
              [&](const ScorePlace &, Value, ValueRange elements) -> Values {
                if (!exponents.factor)
                  return {emitWeight(elements)};
                return {arith::MulFOp::create(
                    b, emitWeight(elements.drop_back()), elements.back())};
              })
          .front();
  powers.getDefiningOp<tile::MapOp>().setExps(exps);
  return powers;
}

Value FragmentBody::emitWeightsOf(Value firstKey, const Exponents &exponents,
                                  Statistics &statistics, Rescale &rescale) {
  rescale = emitReferences(exponents.all, statistics);
  Value weights = emitPowers(exponents, statistics.reference);
  statistics.sum = arith::AddFOp::create(b, statistics.sum,
                                         tile::RowSumOp::create(b, weights));
  return weights;
}

Value FragmentBody::emitKept(Value firstKey, Value weights) {
  if (!op.getKeep())
    return weights;
  return emitMap(0, firstKey, weights, 1,
                 [&](const ScorePlace &place, Value, ValueRange elements) {
                   return Values{arith::SelectOp::create(
                       b, body.emitIsKept(b, place), elements[0],
                       constant(b.getF32Type(), 0))};
                 })
      .front();
}

Value FragmentBody::emitScaled(Value fragment, Value factors) {
  return emitMap(0, at.value(0), {fragment, factors}, 1,
                 [&](const ScorePlace &, Value, ValueRange elements) {
                   return Values{
                       arith::MulFOp::create(b, elements[0], elements[1])};
                 })
      .front();
}

Value FragmentBody::emitRescaled(Value outputs, const Rescale &rescale) {
  auto choice = scf::IfOp::create(b, TypeRange(outputs.getType()),
                                  rescale.isNeeded, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  Value factors = softmax.emitRescale(rescale.before, rescale.after);
  scf::YieldOp::create(b, emitScaled(outputs, factors));
  b.setInsertionPointToStart(choice.elseBlock());
  scf::YieldOp::create(b, outputs);
  return choice.getResult(0);
}

FragmentBody::Statistics FragmentBody::emitNoStatistics() {
  return {constant(rows(), lowest), constant(rows(), 0)};
}

SmallVector<Value> mixattn::countItems(ImplicitLocOpBuilder &b, KernelOp kernel,
                                       AttentionOpInterface op, int64_t queries,
                                       int64_t heads) {
  IndexMath at(b);
  auto sizeOf = [&](OperandDim of) {
    return b.createOrFold<memref::DimOp>(kernel.getOperandOf(of.value), of.dim);
  };
  Value blocks =
      at.div(at.add(sizeOf(op.getQueriesDim()), queries - 1), queries);
  return {blocks, at.value(op.getNumHeads() / heads), sizeOf(op.getBatchDim())};
}

tile::GridOp mixattn::makeBlocks(ImplicitLocOpBuilder &b, KernelOp kernel,
                                 AttentionOpInterface op, int64_t queries,
                                 int64_t heads, int64_t threads) {
  auto grid = tile::GridOp::create(b, countItems(b, kernel, op, queries, heads),
                                   threads);
  b.setInsertionPointToStart(&grid.getBody().front());
  return grid;
}
