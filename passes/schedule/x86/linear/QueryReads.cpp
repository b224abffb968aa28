// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Features of queries, chunk by chunk, and quotients.

#include "passes/schedule/x86/linear/QueryReads.h"

#include "dialect/tile/TileOps.h"

using namespace mlir;
using namespace mixattn;

QueryReads::QueryReads(ImplicitLocOpBuilder &b, LinearReadsOpInterface op,
                       KernelOperands &operands, Value result,
                       const TileSizes &sizes, Scratch &scratch,
                       int64_t sources, int64_t inside)
    : FeatureRows(b, op, op.getQueryType().getDimSize(3), operands, sizes,
                  scratch),
      op(op), result(result), sources(sources), inside(inside) {}

void QueryReads::takeScratch() {
  left = takeMatrix(sizes.block, width());
  productTile = takeMatrix(sizes.rows, padded(valueFeatures()));
  if (op.getPremixer())
    queryTile = takeMatrix(1, columns);
  takeFeatureScratch();
}

void QueryReads::emitQueries(Value batch, Value head, Value first,
                             Value count) {
  Value matrix = KernelOperands::matrixAt(b, operands.bufferOf(op.getQuery()),
                                          {batch, head});
  Value mixer = op.getPremixer(), zero = at.value(0);
  forEach(0, count, 1, [&](Value row) {
    Source source = {matrix, at.add(first, row), Value(), Value()};
    emitPrefetchAhead(matrix, source.row);
    if (!mixer)
      return emitFeatures(source, left, row);
    emitFeatures(source, queryTile, zero);
    forEach(0, sources, 1, [&](Value k) {
      Value weight = spread(loadNumber(operands.bufferOf(mixer), {k, head}));
      Value begin = at.mul(k, columns);
      forEach(0, columns, sizes.lanes, [&](Value column) {
        store(mul(load(queryTile, zero, column), weight), left, row,
              at.add(begin, column));
      });
    });
  });
}

void QueryReads::emitQuotients(Value batch, Value head, Value first, Value row,
                               Value queries, Value right, Value totals,
                               Value terms) {
  tile::ProductClauses clauses;
  clauses.count = terms;
  tile::ProductOp::create(b, left, row, right, productTile, clauses);
  Value target = targetOf(batch, head);
  auto number = [&](double value) -> Value {
    return arith::ConstantOp::create(b, b.getF32FloatAttr(value));
  };
  forEach(row, at.min(at.add(row, sizes.rows), queries), 1, [&](Value query) {
    Value sum = emitDot(left, query, totals, width());
    sum = add(sum, number(op.getEps().convertToDouble()));
    Value isZero =
        arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, sum, number(0));
    Value factor = arith::DivFOp::create(
        b, number(op.getOutputScale().convertToDouble()), sum);
    Value factors = spread(factor);
    emitPrefetchAhead(target, at.add(first, query), /*isWrite=*/true);
    forEachPart(valueFeatures(), [&](Value column, Value mask) {
      Value result =
          mul(load(productTile, at.sub(query, row), column), factors);
      result = arith::SelectOp::create(b, isZero, splat(0), result);
      storePart(result, target, at.add(first, query), column, mask);
    });
  });
}

void QueryReads::emitZeros(Value batch, Value head, Value first, Value last) {
  Value target = targetOf(batch, head);
  forEach(first, last, 1, [&](Value row) {
    forEachPart(valueFeatures(), [&](Value column, Value mask) {
      storePart(splat(0), target, row, column, mask);
    });
  });
}
