// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// attn-describe-launches: the manifest says how kernels are launched.

#include "dialect/tile/TileOps.h"
#include "passes/Passes.h"
#include "passes/entry/Entries.h"
#include "passes/entry/ManifestText.h"
#include "passes/entry/SizeExpression.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace mixattn {
#define GEN_PASS_DEF_DESCRIBELAUNCHESPASS
#include "passes/Passes.h.inc"
} // namespace mixattn

using namespace mlir;
using namespace mixattn;
using llvm::json::Array;
using llvm::json::Object;
using Size = llvm::json::Value;

/// The name of the entry's argument or result that `buffer` is; none of others.
static std::optional<std::string> nameOf(func::FuncOp entry, Value buffer) {
  auto argument = dyn_cast<BlockArgument>(buffer);
  if (!argument || argument.getOwner() != &entry.getBody().front())
    return std::nullopt;
  auto name =
      entry.getArgAttrOfType<StringAttr>(argument.getArgNumber(), "attn.name");
  return name ? std::optional(name.str()) : std::nullopt;
}

/// The tensor map of a tensor of `type`, as manifests have it, the innermost
/// dim first: its name or place is `tensor`, and its dims are `sizes`.
static Object describeMap(tile::ParameterAttr parameter, MemRefType type,
                          llvm::json::Value tensor, ArrayRef<Size> sizes,
                          function_ref<Size(int64_t dim)> strideOf) {
  Array dims, strides, box;
  int64_t rank = type.getRank(), unboxed = rank - parameter.getBox().size();
  for (int64_t dim = rank - 1; dim >= 0; --dim) {
    dims.push_back(sizes[dim]);
    if (dim + 1 < rank)
      strides.push_back(strideOf(dim));
    box.push_back(dim < unboxed ? 1 : parameter.getBox()[dim - unboxed]);
  }
  return Object{{"tensor_map", std::move(tensor)},
                {"type", type.getElementType().isBF16() ? "bf16" : "f16"},
                {"dims", std::move(dims)},
                {"strides", std::move(strides)},
                {"box", std::move(box)},
                {"swizzle", parameter.getSwizzle()}};
}

/// The tensor map of `argument`, the entry's tensor called `name`.
static Object describeMapOf(func::FuncOp entry, tile::ParameterAttr parameter,
                            BlockArgument argument, const std::string &name) {
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
  return describeMap(parameter, type, name, sizes, [&](int64_t dim) -> Size {
    return Object{{"stride", name}, {"dim", dim}};
  });
}

/// The tensor map of a part of the workspace, which is dense; none where a size
/// has no words.
static std::optional<Object> describeMapOf(tile::ParameterAttr parameter,
                                           memref::ViewOp part) {
  auto type = cast<MemRefType>(part.getType());
  if (!isSizeOfArguments(part.getByteShift()) ||
      !llvm::all_of(part.getSizes(), isSizeOfArguments))
    return std::nullopt;
  SmallVector<Size> sizes;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    sizes.push_back(
        type.isDynamicDim(dim)
            ? describeSize(part.getSizes()[type.getDynamicDimIndex(dim)])
            : Size(type.getDimSize(dim)));
  return describeMap(
      parameter, type, Object{{"workspace", describeSize(part.getByteShift())}},
      sizes, [&](int64_t dim) -> Size {
        Array bytes{"multiply", type.getElementTypeBitWidth() / 8};
        for (int64_t inner = dim + 1; inner < type.getRank(); ++inner)
          bytes.push_back(sizes[inner]);
        return bytes;
      });
}

/// `parameter`, of `value`, as manifests have it; none where it has no words.
static std::optional<Object>
describe(func::FuncOp entry, tile::ParameterAttr parameter, Value value) {
  if (parameter.getKind() == tile::ParameterKind::Number) {
    if (!isSizeOfArguments(value))
      return std::nullopt;
    return Object{{"scalar", describeSize(value)}, {"type", "i32"}};
  }
  auto part = value.getDefiningOp<memref::ViewOp>();
  if (part && parameter.getKind() == tile::ParameterKind::TensorMap)
    return describeMapOf(parameter, part);
  if (part && parameter.getKind() == tile::ParameterKind::Pointer &&
      isSizeOfArguments(part.getByteShift()))
    return Object{{"workspace", describeSize(part.getByteShift())}};
  std::optional<std::string> name = nameOf(entry, value);
  if (!name)
    return std::nullopt;
  if (parameter.getKind() == tile::ParameterKind::TensorMap)
    return describeMapOf(entry, parameter, cast<BlockArgument>(value), *name);
  if (parameter.getKind() == tile::ParameterKind::Status)
    return Object{{"status", *name}};
  if (parameter.getKind() == tile::ParameterKind::Pointer)
    return Object{{"pointer", *name}, {"alignment", parameter.getAlignment()}};
  return Object{
      {"stride", *name}, {"dim", parameter.getDim()}, {"type", "i64"}};
}

static FailureOr<Object> describe(func::FuncOp entry, tile::LaunchOp launch) {
  Array grid;
  for (Value count : launch.getCounts()) {
    if (!isSizeOfArguments(count))
      return launch.emitOpError("expected counts that are sizes of arguments");
    grid.push_back(describeSize(count));
  }
  while (grid.size() < 3)
    grid.push_back(1);
  Array parameters;
  for (auto [attribute, value] :
       llvm::zip(launch.getParameters(), launch.getValues())) {
    std::optional<Object> parameter =
        describe(entry, cast<tile::ParameterAttr>(attribute), value);
    if (!parameter)
      return launch.emitOpError("expected values that are tensors of the entry "
                                "and sizes of its arguments");
    parameters.push_back(std::move(*parameter));
  }
  return Object{{"kernel", launch.getKernel().getLeafReference().str()},
                {"grid", std::move(grid)},
                {"block", Array{launch.getThreads(), 1, 1}},
                {"cluster", Array{1, 1, 1}},
                {"shared", launch.getShared()},
                {"parameters", std::move(parameters)}};
}

namespace {

struct DescribeLaunchesPass
    : mixattn::impl::DescribeLaunchesPassBase<DescribeLaunchesPass> {
  void runOnOperation() override {
    llvm::StringMap<Array> launches;
    for (func::FuncOp entry : getEntries(getOperation()))
      for (auto launch : entry.getOps<tile::LaunchOp>()) {
        FailureOr<Object> described = describe(entry, launch);
        if (failed(described))
          return signalPassFailure();
        launches[entry.getName()].push_back(std::move(*described));
      }
    changeEntries(getOperation(), [&](StringRef name, Object &entry) {
      entry["launches"] = std::move(launches[name]);
    });
  }
};

} // namespace
