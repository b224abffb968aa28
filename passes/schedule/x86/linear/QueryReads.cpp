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
      op(op), result(result), sources(sources), inside(inside),
      usesAmx(mayMultiplyThirds(op.getResult(), sizes)),
      thirds(b, sizes, scratch) {}

void QueryReads::takeScratch() {
  left = takeMatrix(sizes.block, width());
  productTile = takeMatrix(sizes.rows, padded(valueFeatures()));
  if (usesAmx) {
    leftThirds = takeMatrix(sizes.block, terms(), b.getBF16Type());
    amxTile = takeMatrix(amxRows, padded(valueFeatures()));
  }
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
  emitResults(batch, head, first, row, sizes.rows, queries, productTile,
              totals);
}

void QueryReads::emitQuotientsByAmx(Value batch, Value head, Value first,
                                    Value row, Value queries, Value right,
                                    Value totals, Value terms) {
  thirds.emitProduct(leftThirds, row, right, terms, amxTile);
  emitResults(batch, head, first, row, amxRows, queries, amxTile, totals);
}

void QueryReads::emitQueryThirds(Value count) {
  forEach(0, sources, 1, [&](Value source) {
    Value own = partOf(left, at.value(0), at.mul(source, columns), sizes.block,
                       columns);
    thirds.emitLeft(own, count, leftThirds, at.mul(source, featureTerms()),
                    Thirds::Right::Split);
  });
}

void QueryReads::emitStateThirds(Value matrix, Value pairs) {
  int64_t lanes = cast<MemRefType>(matrix.getType()).getDimSize(1);
  forEach(0, sources, 1, [&](Value source) {
    Value own =
        partOf(matrix, at.mul(source, columns), at.value(0), columns, lanes);
    thirds.emitRight(own, pairs, at.mul(source, featureTerms() / 2),
                     Thirds::Right::Split);
  });
}

/// Writes the results of up to `rows` queries from `row` on, whose numerators
/// are `products`.
void QueryReads::emitResults(Value batch, Value head, Value first, Value row,
                             int64_t rows, Value queries, Value products,
                             Value totals) {
  Value target = targetOf(batch, head);
  auto number = [&](double value) -> Value {
    return arith::ConstantOp::create(b, b.getF32FloatAttr(value));
  };
  forEach(row, at.min(at.add(row, rows), queries), 1, [&](Value query) {
    Value sum = emitDot(left, query, totals, width());
    sum = add(sum, number(op.getEps().convertToDouble()));
    Value isZero =
        arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, sum, number(0));
    Value factor = arith::DivFOp::create(
        b, number(op.getOutputScale().convertToDouble()), sum);
    Value factors = spread(factor);
    emitPrefetchAhead(target, at.add(first, query), /*isWrite=*/true);
    forEachPart(valueFeatures(), [&](Value column, Value mask) {
      Value result = mul(load(products, at.sub(query, row), column), factors);
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
