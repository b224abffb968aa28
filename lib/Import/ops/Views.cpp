// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The same elements under other sizes or in another order.
#include "lib/Import/OpTable.h"

using namespace mlir;
using namespace mixattn;

/// To the sizes that the file gives the result, whose number of elements is
/// compared with that of the operand.
static OpWriter reshapeOf(std::initializer_list<const char *> sizes) {
  return [names = std::vector<const char *>(sizes)](OpCall &op) {
    for (const char *name : names)
      op.sizes(name);
    op.give(op.build.reshape(op.tensor("self"), op.result().sizes));
  };
}

static void permute(OpCall &op) {
  Built tensor = op.tensor("self");
  SmallVector<int64_t> order = op.orderedDims("dims", tensor.rank());
  if (int64_t(order.size()) != tensor.rank()) {
    op.build.fail(makeError("expected an order of {} dims, but got {}",
                            tensor.rank(), order.size()));
    return;
  }
  op.give(op.build.transpose(tensor, order));
}

static void transpose(OpCall &op) {
  Built tensor = op.tensor("self");
  int64_t first = op.dim("dim0", tensor.rank(), 0);
  int64_t second = op.dim("dim1", tensor.rank(), 1);
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, tensor.rank()));
  if (tensor.rank())
    std::swap(order[first], order[second]);
  op.give(op.build.transpose(tensor, order));
}

/// The transpose of a matrix; of less, the tensor itself.
static void matrixTranspose(OpCall &op) {
  Built tensor = op.tensor("self");
  if (tensor.rank() < 2)
    return op.give(tensor);
  op.give(op.build.transpose(tensor, {1, 0}));
}

static void unsqueeze(OpCall &op) {
  Built tensor = op.tensor("self");
  int64_t dim = op.dim("dim", tensor.rank() + 1, 0);
  SizeList sizes = tensor.sizes;
  sizes.insert(sizes.begin() + dim, 1);
  op.give(op.build.reshape(tensor, sizes));
}

/// Without dims of size 1: all, or those named.
static void squeeze(OpCall &op) {
  Built tensor = op.tensor("self");
  SmallVector<int64_t> dims = op.dims("dim", tensor.rank());
  SizeList sizes;
  for (int64_t dim = 0; dim < tensor.rank(); ++dim)
    if (!llvm::is_contained(dims, dim) ||
        !(tensor.sizes[dim] == SizePolynomial(1)))
      sizes.push_back(tensor.sizes[dim]);
  op.give(op.build.reshape(tensor, sizes));
}

/// Spread to larger sizes.
static void expand(OpCall &op) {
  Built tensor = op.tensor("self");
  op.sizes("size");
  const SizeList &sizes = op.result().sizes;
  if (tensor.sizes == sizes)
    return op.give(tensor);
  Built place = op.build.filled(tensor.dtype, sizes, 0);
  if (!tensor || op.build.broadcast({tensor, place}) != sizes)
    return;
  op.give(op.build.pointwise(
      tensor.dtype, sizes, tensor,
      [](OpBuilder &, Location, ValueRange numbers) { return numbers[0]; }));
}

void mixattn::addViews(OpTable &table) {
  table["aten.view"] = reshapeOf({"size"});
  table["aten._unsafe_view"] = reshapeOf({"size"});
  table["aten.reshape"] = reshapeOf({"shape"});
  table["aten.flatten"] = reshapeOf({"start_dim", "end_dim"});
  table["aten.unflatten"] = reshapeOf({"dim", "sizes"});
  table["aten.permute"] = permute;
  table["aten.transpose"] = transpose;
  table["aten.t"] = matrixTranspose;
  table["aten.unsqueeze"] = unsqueeze;
  table["aten.squeeze"] = squeeze;
  table["aten.expand"] = expand;
}
