// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensor maps of tensors, of parts of the workspace, and of views of these.

#include "passes/entry/TensorMaps.h"

#include "passes/entry/SizeExpression.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mixattn;
using llvm::json::Array;
using llvm::json::Object;
using Size = llvm::json::Value;

std::optional<std::string> mixattn::nameOfTensor(func::FuncOp entry,
                                                 Value buffer) {
  auto argument = dyn_cast<BlockArgument>(buffer);
  if (!argument || argument.getOwner() != &entry.getBody().front())
    return std::nullopt;
  auto name =
      entry.getArgAttrOfType<StringAttr>(argument.getArgNumber(), "attn.name");
  return name ? std::optional(name.str()) : std::nullopt;
}

/// A tensor map whose sizes are `sizes`, the innermost dim last.
static Object describe(tile::ParameterAttr parameter, Type element,
                       llvm::json::Value tensor, ArrayRef<Size> sizes,
                       function_ref<Size(size_t dim)> strideOf) {
  Array dims, strides, box;
  size_t rank = sizes.size(), unboxed = rank - parameter.getBox().size();
  for (size_t dim = rank; dim-- > 0;) {
    dims.push_back(sizes[dim]);
    if (dim + 1 < rank)
      strides.push_back(strideOf(dim));
    box.push_back(dim < unboxed ? 1 : parameter.getBox()[dim - unboxed]);
  }
  return Object{{"tensor_map", std::move(tensor)},
                {"type", element.isBF16() ? "bf16" : "f16"},
                {"dims", std::move(dims)},
                {"strides", std::move(strides)},
                {"box", std::move(box)},
                {"swizzle", parameter.getSwizzle()}};
}

/// The map of `argument`, the entry's tensor called `name`.
static Object describeArgument(func::FuncOp entry,
                               tile::ParameterAttr parameter,
                               BlockArgument argument,
                               const std::string &name) {
  auto type = cast<MemRefType>(argument.getType());
  auto names =
      entry.getArgAttrOfType<ArrayAttr>(argument.getArgNumber(), "attn.dims");
  SmallVector<Size> sizes;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim))
      sizes.push_back(
          cast<StringAttr>(names[type.getDynamicDimIndex(dim)]).str());
    else
      sizes.push_back(type.getDimSize(dim));
  return describe(parameter, type.getElementType(), name, sizes,
                  [&](size_t dim) -> Size {
                    return Object{{"stride", name}, {"dim", int64_t(dim)}};
                  });
}

namespace {

/// Where the elements of a view of the workspace lie: its sizes, and its first
/// byte and its strides, in bytes.
struct Layout {
  Size first;
  SmallVector<Size> sizes, strides;
};

} // namespace

/// `word` of two sizes, or the number that it is.
static Size combine(StringRef word, const Size &left, const Size &right) {
  std::optional<int64_t> x = left.getAsInteger(), y = right.getAsInteger();
  bool isSum = word == "add";
  if (x && y)
    return isSum ? *x + *y : *x * *y;
  if (!isSum && (x == 0 || y == 0))
    return 0;
  int64_t neutral = isSum ? 0 : 1;
  if (x == neutral)
    return right;
  if (y == neutral)
    return left;
  return Array{word, left, right};
}

/// `sizes` as words, or none where one has no word.
static std::optional<SmallVector<Size>>
describeAll(ArrayRef<OpFoldResult> sizes) {
  SmallVector<Size> words;
  for (OpFoldResult size : sizes) {
    if (std::optional<int64_t> number = getConstantIntValue(size)) {
      words.push_back(*number);
      continue;
    }
    Value value = cast<Value>(size);
    if (!isSizeOfArguments(value))
      return std::nullopt;
    words.push_back(describeSize(value));
  }
  return words;
}

/// The strides of `sizes` that lie one after the other, the innermost of which
/// has `innermost` bytes.
static SmallVector<Size> stridesOf(ArrayRef<Size> sizes, Size innermost) {
  SmallVector<Size> strides(sizes.size(), innermost);
  for (size_t dim = sizes.size(); dim-- > 1;)
    strides[dim - 1] = combine("multiply", strides[dim], sizes[dim]);
  return strides;
}

static std::optional<Layout> layoutOf(Value buffer);

static std::optional<Layout> layoutOf(memref::ViewOp part) {
  auto type = cast<MemRefType>(part.getType());
  std::optional<SmallVector<Size>> sizes = describeAll(getMixedValues(
                                       type.getShape(), part.getSizes(),
                                       part.getContext())),
                                   first = describeAll(
                                       OpFoldResult(part.getByteShift()));
  if (!sizes || !first)
    return std::nullopt;
  return Layout{first->front(), *sizes,
                stridesOf(*sizes, type.getElementTypeBitWidth() / 8)};
}

static std::optional<Layout> layoutOf(memref::SubViewOp part) {
  std::optional<Layout> source = layoutOf(part.getSource());
  std::optional<SmallVector<Size>> offsets =
                                       describeAll(part.getMixedOffsets()),
                                   sizes = describeAll(part.getMixedSizes()),
                                   steps = describeAll(part.getMixedStrides());
  if (!source || !offsets || !sizes || !steps)
    return std::nullopt;
  Layout layout{source->first, {}, {}};
  llvm::SmallBitVector dropped = part.getDroppedDims();
  for (size_t dim = 0; dim < sizes->size(); ++dim) {
    layout.first =
        combine("add", layout.first,
                combine("multiply", (*offsets)[dim], source->strides[dim]));
    if (dropped[dim])
      continue;
    layout.sizes.push_back((*sizes)[dim]);
    layout.strides.push_back(
        combine("multiply", (*steps)[dim], source->strides[dim]));
  }
  return layout;
}

static std::optional<Layout> layoutOf(memref::ExpandShapeOp op) {
  std::optional<Layout> source = layoutOf(op.getSrc());
  std::optional<SmallVector<Size>> sizes =
      describeAll(op.getMixedOutputShape());
  if (!source || !sizes)
    return std::nullopt;
  Layout layout{source->first, *sizes, {}};
  for (auto [dim, group] : llvm::enumerate(op.getReassociationIndices()))
    llvm::append_range(
        layout.strides,
        stridesOf(ArrayRef(*sizes).slice(group.front(), group.size()),
                  source->strides[dim]));
  return layout;
}

static std::optional<Layout> layoutOf(memref::CollapseShapeOp op) {
  std::optional<Layout> source = layoutOf(op.getSrc());
  if (!source)
    return std::nullopt;
  Layout layout{source->first, {}, {}};
  for (const ReassociationIndices &group : op.getReassociationIndices()) {
    // A dim of size 1 may have any stride: another one says how far elements
    // are from each other.
    int64_t innermost = group.back();
    for (int64_t dim : llvm::reverse(group))
      if (source->sizes[dim] != Size(1)) {
        innermost = dim;
        break;
      }
    Size size = 1;
    for (int64_t dim : group)
      size = combine("multiply", size, source->sizes[dim]);
    layout.sizes.push_back(size);
    layout.strides.push_back(source->strides[innermost]);
  }
  return layout;
}

/// Where the elements of `buffer` lie in the workspace; none where it is no
/// part of that, or sizes have no words.
static std::optional<Layout> layoutOf(Value buffer) {
  Operation *op = buffer.getDefiningOp();
  if (!op)
    return std::nullopt;
  return llvm::TypeSwitch<Operation *, std::optional<Layout>>(op)
      .Case<memref::ViewOp, memref::SubViewOp, memref::ExpandShapeOp,
            memref::CollapseShapeOp>([](auto op) { return layoutOf(op); })
      .Case([](memref::CastOp op) { return layoutOf(op.getSource()); })
      .Default([](Operation *) { return std::nullopt; });
}

std::optional<Object> mixattn::describeTensorMap(func::FuncOp entry,
                                                 tile::ParameterAttr parameter,
                                                 Value buffer) {
  if (std::optional<std::string> name = nameOfTensor(entry, buffer))
    return describeArgument(entry, parameter, cast<BlockArgument>(buffer),
                            *name);
  std::optional<Layout> layout = layoutOf(buffer);
  if (!layout)
    return std::nullopt;
  return describe(parameter,
                  cast<MemRefType>(buffer.getType()).getElementType(),
                  Object{{"workspace", layout->first}}, layout->sizes,
                  [&](size_t dim) { return layout->strides[dim]; });
}
