// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Caches of keys and values, which calls write new positions into.
#include "dialect/attn/AttnOps.h"
#include "lib/Import/OpTable.h"

using namespace mlir;
using namespace mixattn;

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
  GraphBuilder &build = op.build;
  Built cache = op.tensor("past_cache"), rows = op.tensor("update");
  std::string mode = op.text("mode", "linear");
  if (!cache || !rows)
    return;
  int64_t rank = cache.rank();
  int64_t along = op.dim("axis", rank, -2);
  bool isRing = mode == "circular";
  SizeList sizes = cache.sizes;
  if (rank == rows.rank() && along < rank)
    sizes[along] = rows.sizes[along];
  // A position fills a row of the innermost dim at least.
  if (rank < 3 || along == 0 || along == rank - 1 || sizes != rows.sizes ||
      cache.dtype != rows.dtype || cache.dtype == DType::I1 ||
      (!isRing && mode != "linear"))
    return void(build.fail(makeError(
        "expected a cache and new positions of it along a dim that is neither "
        "the first nor the last, in mode 'linear' or 'circular', but got {} of "
        "shape {} and {} of shape {} along dim {} in mode '{}'",
        nameOf(cache.dtype), toText(cache.sizes), nameOf(rows.dtype),
        toText(rows.sizes), along, mode)));
  Built start = startOf(op, cache.sizes[0]);
  if (!start || build.failure())
    return;
  OpBuilder &b = build.builder();
  Value updated =
      AppendOp::create(
          b, build.location(), build.typeOf(cache.dtype, cache.sizes),
          build.valueOf(rows), build.valueOf(cache), build.valueOf(start),
          isRing ? b.getUnitAttr() : UnitAttr(), b.getI64IntegerAttr(along))
          .getResult();
  op.give({cache.dtype, cache.sizes, updated});
}

void mixattn::addCaches(OpTable &table) {
  table["onnx.TensorScatter"] =
      fromOnnx({"past_cache", "update", "write_indices"}, {}, scatter);
}
