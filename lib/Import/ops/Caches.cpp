// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Caches of keys and values, which calls write new positions into.
#include "lib/Import/ops/Caches.h"

#include "dialect/attn/AttnOps.h"

using namespace mlir;
using namespace mixattn;

/// One integer for each item of the batch.
static Built spreadStart(OpCall &op, const Built &start,
                         const SizePolynomial &batch) {
  if (start.constant)
    return op.build.filledInteger(start.dtype, {batch}, *start.constant);
  if (start.sizes == SizeList{batch})
    return start;
  return op.build.pointwise(
      start.dtype, {batch}, start,
      [](OpBuilder &, Location, ValueRange numbers) { return numbers[0]; });
}

Built mixattn::appendRows(OpCall &op, const Built &cache, const Built &rows,
                          int64_t along, const Built &start, bool isRing) {
  GraphBuilder &build = op.build;
  if (!cache || !rows || !start || build.failure())
    return {};
  int64_t rank = cache.rank();
  SizeList sizes = cache.sizes;
  if (rank == rows.rank() && along < rank)
    sizes[along] = rows.sizes[along];
  auto numberOf = [&](const Built &of, int64_t otherwise) {
    return along < of.rank() ? of.sizes[along].asNumber().value_or(otherwise)
                             : otherwise;
  };
  if (!isRing && numberOf(rows, 0) > numberOf(cache, INT64_MAX))
    return build.fail(makeError("expected as many new positions as the cache "
                                "has room for, but got shapes {} and {}",
                                toText(rows.sizes), toText(cache.sizes)));
  // A position fills a row of the innermost dim at least.
  if (rank < 3 || along == 0 || along == rank - 1 || sizes != rows.sizes ||
      cache.dtype != rows.dtype || cache.dtype == DType::I1)
    return build.fail(makeError(
        "expected a cache and new positions of it along a dim that is neither "
        "the first nor the last, but got {} of shape {} and {} of shape {} "
        "along dim {}",
        nameOf(cache.dtype), toText(cache.sizes), nameOf(rows.dtype),
        toText(rows.sizes), along));
  Built first = spreadStart(op, start, cache.sizes[0]);
  OpBuilder &b = build.builder();
  Value given[] = {build.valueOf(rows), build.valueOf(cache),
                   build.valueOf(first)};
  if (build.failure())
    return {};
  Value updated = AppendOp::create(b, build.location(),
                                   build.typeOf(cache.dtype, cache.sizes),
                                   given[0], given[1], given[2],
                                   isRing ? b.getUnitAttr() : UnitAttr(),
                                   b.getI64IntegerAttr(along))
                      .getResult();
  Built result = {cache.dtype, cache.sizes, updated};
  result.isUpdated = cache.isUpdated;
  return result;
}

/// The position of a cache at which each batch row's first new one goes: 0
/// where the file does not say.
static Built startOf(OpCall &op, const SizePolynomial &batch) {
  if (!op.has("write_indices"))
    return op.build.filledInteger(DType::I64, {batch}, 0);
  Built start = op.tensor("write_indices");
  if (start && (start.sizes != SizeList{batch} ||
                (start.dtype != DType::I32 && start.dtype != DType::I64)))
    return op.build.fail(makeError("expected a position as i32 or i64 for each "
                                   "item of the batch, but got {} of shape {}",
                                   nameOf(start.dtype), toText(start.sizes)));
  return start;
}

/// ONNX's TensorScatter, which is attn.append.
static void scatter(OpCall &op) {
  Built cache = op.tensor("past_cache"), rows = op.tensor("update");
  std::string mode = op.text("mode", "linear");
  if (!cache || !rows || !cache.rank())
    return;
  if (mode != "linear" && mode != "circular")
    op.build.fail(makeError("expected the mode 'linear' or 'circular', but got "
                            "'{}'",
                            mode));
  op.give(appendRows(op, cache, rows, op.dim("axis", cache.rank(), -2),
                     startOf(op, cache.sizes[0]), mode == "circular"));
}

void mixattn::addCaches(OpTable &table) {
  table["onnx.TensorScatter"] =
      fromOnnx({"past_cache", "update", "write_indices"}, {}, scatter);
}
