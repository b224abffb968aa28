// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The same elements under other sizes or in another order.
#include "lib/Import/ops/Repeats.h"
#include "lib/Import/ops/Sizes.h"

using namespace mlir;
using namespace mixattn;

/// To the sizes that the file gives the result, or that another tensor has: the
/// number of elements is compared with that of the operand.
static OpWriter reshapeOf(std::initializer_list<const char *> sizes) {
  return [names = std::vector<const char *>(sizes)](OpCall &op) {
    for (const char *name : names)
      op.sizes(name);
    if (op.has("other"))
      op.tensor("other");
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

/// Two dims in each other's place, under other names of the arguments.
static OpWriter transposeOf(const char *one, const char *other) {
  return [one, other](OpCall &op) {
    op.rename(one, "dim0", std::nullopt);
    op.rename(other, "dim1", std::nullopt);
    transpose(op);
  };
}

/// Dims at other places; the others keep their order.
static void moveDims(OpCall &op) {
  Built tensor = op.tensor("self");
  SmallVector<int64_t> from = op.orderedDims("source", tensor.rank()),
                       to = op.orderedDims("destination", tensor.rank());
  if (from.size() != to.size())
    op.build.fail(makeError("expected as many places as dims, but got {} for "
                            "{}",
                            to.size(), from.size()));
  if (op.build.failure())
    return;
  if (!tensor.rank())
    return op.give(tensor);
  SmallVector<int64_t> order;
  for (int64_t dim = 0; dim < tensor.rank(); ++dim)
    if (!llvm::is_contained(from, dim))
      order.push_back(dim);
  // Places in ascending order: what comes before is there.
  SmallVector<std::pair<int64_t, int64_t>> moves;
  for (auto [place, dim] : llvm::zip_equal(to, from))
    moves.emplace_back(place, dim);
  llvm::sort(moves);
  for (auto [place, dim] : moves)
    order.insert(order.begin() + place, dim);
  op.give(op.build.transpose(tensor, order));
}

/// The transpose of a matrix; of less, the tensor itself.
static void matrixTranspose(OpCall &op) {
  Built tensor = op.tensor("self");
  if (tensor.rank() < 2)
    return op.give(tensor);
  if (tensor.rank() > 2)
    return void(op.build.fail(makeError("expected a matrix, but got shape {}",
                                        toText(tensor.sizes))));
  op.give(op.build.transpose(tensor, {1, 0}));
}

/// The transposes of matrices, which the last two dims are.
static void matricesTranspose(OpCall &op) {
  Built tensor = op.tensor("self");
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, tensor.rank()));
  if (tensor.rank() < 2)
    return op.give(tensor);
  std::swap(order.back(), order[order.size() - 2]);
  op.give(op.build.transpose(tensor, order));
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

/// ONNX's, of which each dim that is named has size 1.
static void squeezeOnes(OpCall &op) {
  Built tensor = op.tensor("self");
  if (op.has("dim") && tensor.rank())
    for (int64_t dim : op.dims("dim", tensor.rank()))
      if (!(tensor.sizes[dim] == SizePolynomial(1)) && !op.sizes("dim").empty())
        op.build.fail(makeError("expected dims of size 1 to leave out, but got "
                                "dim {} of shape {}",
                                dim, toText(tensor.sizes)));
  squeeze(op);
}

/// Spread to larger sizes.
static void expand(OpCall &op) {
  Built tensor = op.tensor("self");
  op.sizes("size");
  if (op.has("other"))
    op.tensor("other");
  const SizeList &sizes = op.result().sizes;
  if (tensor.sizes == sizes)
    return op.give(tensor);
  Built place = op.build.filled(tensor.dtype, sizes, 0);
  if (!tensor || op.build.broadcast({tensor, place}) != sizes)
    return;
  op.give(spreadTo(op.build, tensor, sizes));
}

/// The elements of another tensor in place of a tensor's, of its type.
static void replaceAll(OpCall &op) {
  Built tensor = op.tensor("self"), source = op.tensor("src");
  // How it is done, not what.
  op.flag("non_blocking", false);
  Built same = op.build.convert(source, tensor.dtype);
  if (!tensor || op.build.broadcast({tensor, same}) != tensor.sizes)
    return;
  op.give(same.sizes == tensor.sizes ? same
                                     : spreadTo(op.build, same, tensor.sizes));
}

/// ONNX's reshape: 0 keeps a size, and -1 is what the others leave.
static void reshapeTo(OpCall &op) {
  Built tensor = op.tensor("self");
  SizeList sizes = op.sizes("shape"), others;
  bool keepsZeros = op.flag("allowzero", false);
  SizePolynomial *open = nullptr;
  for (size_t dim = 0; dim < sizes.size(); ++dim) {
    if (sizes[dim].isZero() && !keepsZeros && dim < tensor.sizes.size())
      sizes[dim] = tensor.sizes[dim];
    if (sizes[dim].asNumber() == -1 && !open)
      open = &sizes[dim];
    else
      others.push_back(sizes[dim]);
  }
  if (open)
    *open = quotientOf(tensor.sizes, others);
  if (open && !open->isKnown())
    op.build.failQuotient(makeError("expected a size for -1 that is a "
                                    "polynomial of dims, but got shape {} and "
                                    "{}",
                                    toText(tensor.sizes), toText(others)),
                          productOf(tensor.sizes), productOf(others));
  op.give(op.build.reshape(tensor, sizes));
}

/// A matrix: the dims before `axis` are one, those from there on the other.
static void flatten(OpCall &op) {
  Built tensor = op.tensor("self");
  int64_t axis = op.integer("axis", 1), rank = tensor.rank();
  if (axis < -rank || axis > rank)
    op.build.fail(makeError("expected argument 'axis' to be from {} to {}, but "
                            "got {}",
                            -rank, rank, axis));
  axis = axis < 0 ? axis + rank : axis;
  SizeList sizes = {1, 1};
  for (int64_t dim = 0; dim < tensor.rank(); ++dim)
    sizes[dim >= axis] *= tensor.sizes[dim];
  op.give(op.build.reshape(tensor, sizes));
}

/// In the order that `perm` gives, or the other way round.
static void transposeBy(OpCall &op) {
  if (op.has("dims"))
    return permute(op);
  Built tensor = op.tensor("self");
  auto order =
      llvm::to_vector(llvm::reverse(llvm::seq<int64_t>(0, tensor.rank())));
  op.give(op.build.transpose(tensor, order));
}

/// With dims of size 1 at these places of the result.
static void unsqueezeAll(OpCall &op) {
  Built tensor = op.tensor("self");
  int64_t rank = tensor.rank() + int64_t(op.sizes("dim").size());
  op.give(op.build.withOnes(tensor, op.orderedDims("dim", rank)));
}

/// Spread to what both the tensor's sizes and `shape` spread to.
static void expandTo(OpCall &op) {
  Built tensor = op.tensor("self");
  Built place = op.build.filled(tensor.dtype, op.sizes("shape"), 0);
  for (const SizePolynomial &size : place.sizes)
    if (size.asNumber().value_or(1) < 1)
      return void(op.build.fail(makeError("expected sizes of at least 1 to "
                                          "spread to, but got {}",
                                          toText(place.sizes))));
  SizeList sizes = op.build.broadcast({tensor, place});
  if (!tensor || tensor.sizes == sizes)
    return op.give(tensor);
  op.give(spreadTo(op.build, tensor, sizes));
}

/// ONNX's spellings.
static void addOnnxViews(OpTable &table) {
  table["onnx.Reshape"] = fromOnnx({"self", "shape"}, {}, reshapeTo);
  table["onnx.Flatten"] = fromOnnx({"self"}, {}, flatten);
  table["onnx.Transpose"] = fromOnnx({"self"}, {{"dims", "perm"}}, transposeBy);
  table["onnx.Squeeze"] = fromOnnx({"self", "dim"}, {}, squeezeOnes);
  table["onnx.Unsqueeze"] = fromOnnx({"self", "dim"}, {}, unsqueezeAll);
  table["onnx.Expand"] = fromOnnx({"self", "shape"}, {}, expandTo);
}

void mixattn::addViews(OpTable &table) {
  table["aten.view"] = reshapeOf({"size"});
  table["aten._unsafe_view"] = reshapeOf({"size"});
  table["aten.reshape"] = reshapeOf({"shape"});
  table["aten.flatten"] = reshapeOf({"start_dim", "end_dim"});
  table["aten.unflatten"] = reshapeOf({"dim", "sizes"});
  table["aten.permute"] = permute;
  table["aten.transpose"] = transpose;
  table["aten.swapaxes"] = transposeOf("axis0", "axis1");
  table["aten.swapdims"] = transpose;
  table["aten.movedim"] = table["aten.moveaxis"] = moveDims;
  table["aten.mT"] = table["aten.adjoint"] = matricesTranspose;
  table["aten.t"] = matrixTranspose;
  table["aten.unsqueeze"] = unsqueeze;
  table["aten.squeeze"] = squeeze;
  table["aten.expand"] = expand;
  table["aten.copy"] = replaceAll;
  addOnnxViews(table);
}
