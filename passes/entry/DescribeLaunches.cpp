// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// attn-describe-launches: the manifest says how kernels are launched.

#include "dialect/tile/TileOps.h"
#include "passes/Passes.h"
#include "passes/entry/Entries.h"
#include "passes/entry/ManifestText.h"
#include "passes/entry/SizeExpression.h"
#include "passes/entry/TensorMaps.h"

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

/// `parameter`, of `value`, as manifests have it; none where it has no words.
static std::optional<Object>
describe(func::FuncOp entry, tile::ParameterAttr parameter, Value value) {
  if (parameter.getKind() == tile::ParameterKind::Number) {
    if (!isSizeOfArguments(value))
      return std::nullopt;
    return Object{{"scalar", describeSize(value)}, {"type", "i32"}};
  }
  if (parameter.getKind() == tile::ParameterKind::TensorMap)
    return describeTensorMap(entry, parameter, value);
  auto part = value.getDefiningOp<memref::ViewOp>();
  if (part && parameter.getKind() == tile::ParameterKind::Pointer &&
      isSizeOfArguments(part.getByteShift()))
    return Object{{"workspace", describeSize(part.getByteShift())}};
  std::optional<std::string> name = nameOfTensor(entry, value);
  if (!name)
    return std::nullopt;
  if (parameter.getKind() == tile::ParameterKind::Status)
    return Object{{"status", *name}};
  if (parameter.getKind() == tile::ParameterKind::Pointer)
    return Object{{"pointer", *name}, {"alignment", parameter.getAlignment()}};
  return Object{
      {"stride", *name}, {"dim", parameter.getDim()}, {"type", "i64"}};
}

/// The blocks of `launch` along its first axis, `count` of them where its
/// conditions hold; where one does not they are 0, and hosts pass over it.
static FailureOr<Size> describeBlocks(tile::LaunchOp launch, Size count) {
  Array product{"multiply"};
  for (const RunCondition &each : getRunConditions(launch)) {
    if (!isSizeOfArguments(each.holds))
      return launch.emitOpError("expected conditions on sizes of arguments");
    Size holds = describeSize(each.holds);
    product.push_back(each.isElse ? Array{"subtract", 1, std::move(holds)}
                                  : std::move(holds));
  }
  if (product.size() == 1)
    return count;
  // A product of products is one.
  Array *factors = count.getAsArray();
  if (factors && factors->front() == product.front())
    product.insert(product.end(), factors->begin() + 1, factors->end());
  else
    product.push_back(std::move(count));
  return Size(std::move(product));
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
  FailureOr<Size> blocks = describeBlocks(launch, std::move(grid[0]));
  if (failed(blocks))
    return failure();
  grid[0] = std::move(*blocks);
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
                {"block", Array{launch.getThreads(), launch.getTeams(), 1}},
                {"cluster", Array{1, 1, 1}},
                {"shared", launch.getShared()},
                {"parameters", std::move(parameters)}};
}

namespace {

struct DescribeLaunchesPass
    : mixattn::impl::DescribeLaunchesPassBase<DescribeLaunchesPass> {
  void runOnOperation() override {
    llvm::StringMap<Array> launches;
    for (func::FuncOp entry : getEntries(getOperation())) {
      WalkResult walked = entry.walk([&](tile::LaunchOp launch) {
        FailureOr<Object> described = describe(entry, launch);
        if (succeeded(described))
          launches[entry.getName()].push_back(std::move(*described));
        return WalkResult(described);
      });
      if (walked.wasInterrupted())
        return signalPassFailure();
    }
    changeEntries(getOperation(), [&](StringRef name, Object &entry) {
      entry["launches"] = std::move(launches[name]);
    });
  }
};

} // namespace
