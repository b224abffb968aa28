// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the ops that make the rows of a contraction's left side.

#include "passes/schedule/x86/dense/Producers.h"

#include "passes/schedule/DenseConsumers.h"
#include "passes/schedule/x86/dense/Dense.h"
#include "passes/schedule/RowLoops.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mixattn;

std::optional<unsigned> mixattn::countRowDims(const Contraction &op) {
  unsigned rows = op.leftMap.getNumResults() - op.depths.size();
  for (auto [i, loop] : llvm::enumerate(op.depths))
    if (findLoop(op.leftMap, loop) != rows + i)
      return std::nullopt;
  return rows;
}

/// Whether the result of a contraction goes through `op` in that one's kernel.
static bool followsContraction(Operation *op) {
  for (Value input : cast<linalg::LinalgOp>(op).getDpsInputs()) {
    Operation *before = input.getDefiningOp();
    if (!isa_and_present<linalg::LinalgOp>(before) || !input.hasOneUse() ||
        before->getBlock() != op->getBlock())
      continue;
    if ((findContraction(before) || followsContraction(before)) &&
        whyNotFused({before}, op).empty())
      return true;
  }
  return false;
}

namespace {

/// Collects ops from the last one to the first.
class ProducerFinder {
public:
  ProducerFinder(const Contraction &product, unsigned rows)
      : contraction(product.op), left(product.left), rows(rows) {}

  SmallVector<Operation *> run();

private:
  void addInputs(linalg::LinalgOp op);
  bool isReadBy(Operation *op, Operation *reader) const;
  bool takes(Operation *op) const;

  Operation *contraction;
  Value left;
  unsigned rows;
  /// Ops that members read.
  DenseSet<Operation *> pending;
  llvm::SetVector<Operation *> members;
};

} // namespace

void ProducerFinder::addInputs(linalg::LinalgOp op) {
  for (Value input : op.getDpsInputs())
    if (Operation *made = input.getDefiningOp();
        made && made->getBlock() == contraction->getBlock())
      pending.insert(made);
}

/// Whether `reader` is known, and reads rows of `op` as they are made.
bool ProducerFinder::isReadBy(Operation *op, Operation *reader) const {
  // Who asks for a size reads nothing.
  if (isa<tensor::DimOp>(reader))
    return true;
  if (members.contains(reader))
    return whyNotInRow(op, reader, rows).empty();
  // The contraction reads it once, as its left side.
  return reader == contraction && left.getDefiningOp() == op &&
         llvm::count(reader->getOperands(), left) == 1;
}

bool ProducerFinder::takes(Operation *op) const {
  if (findContraction(op) || !whyNotOfRows(op, rows).empty() ||
      followsContraction(op))
    return false;
  RowLoops loops = RowLoops::of(cast<linalg::LinalgOp>(op), rows);
  for (OpResult result : op->getResults())
    if (!loops.isByRow(loops.mapOf(*loops.op.getTiedOpOperand(result))))
      return false;
  // A kernel of its own transposes squares of them.
  for (OpOperand *input : loops.op.getDpsInputOperands())
    if (isTurned(loops, input))
      return false;
  return llvm::all_of(op->getUsers(),
                      [&](Operation *reader) { return isReadBy(op, reader); });
}

SmallVector<Operation *> ProducerFinder::run() {
  if (Operation *made = left.getDefiningOp();
      made && made->getBlock() == contraction->getBlock())
    pending.insert(made);
  // From the last op on: whoever reads an op's results is known by then.
  for (Operation *op = contraction->getPrevNode(); op && !pending.empty();
       op = op->getPrevNode()) {
    if (!pending.erase(op) || !takes(op))
      continue;
    members.insert(op);
    addInputs(cast<linalg::LinalgOp>(op));
  }
  return llvm::to_vector(llvm::reverse(members));
}

SmallVector<Operation *> mixattn::findRowProducers(Operation *op) {
  std::optional<Contraction> product = findContraction(op);
  if (!product)
    return {};
  std::optional<unsigned> rows = countRowDims(*product);
  if (!rows)
    return {};
  return ProducerFinder(*product, *rows).run();
}
