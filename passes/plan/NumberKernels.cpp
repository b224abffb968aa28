// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// attn-number-kernels: numbers ops, for who measures what they become.

#include "passes/Passes.h"
#include "passes/entry/Entries.h"
#include "passes/entry/ManifestText.h"
#include "passes/plan/EntryCost.h"
#include "passes/profile/KernelMark.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"

namespace mixattn {
#define GEN_PASS_DEF_NUMBERKERNELSPASS
#include "passes/Passes.h.inc"
} // namespace mixattn

using namespace mlir;
using namespace mixattn;
using llvm::json::Array;
using llvm::json::Object;

/// Whether code may be made of `op`, rather than of ops inside of it.
static bool makesTensor(Operation *op) {
  return llvm::any_of(op->getResultTypes(), llvm::IsaPred<TensorType>) &&
         !op->hasTrait<OpTrait::ConstantLike>();
}

/// The entry of `op` in the manifest.
static Object describe(Operation *op, int64_t number, const Sizes &sizes) {
  std::optional<OpCost> cost = countOp(op, sizes);
  SizePolynomial bytes = cost ? cost->cost.bytes : 0;
  Object kernel{{"number", number},
                {"op", op->getName().getStringRef().str()},
                {"flops", countFlops(op, sizes).toTerms()},
                {"bytes", bytes.toTerms()}};
  std::vector<std::string> places = listPlaces(op->getLoc());
  if (!places.empty())
    kernel["place"] = places.front();
  if (places.size() > 1)
    kernel["called_at"] = Array(ArrayRef(places).drop_front());
  return kernel;
}

namespace {

struct NumberKernelsPass
    : mixattn::impl::NumberKernelsPassBase<NumberKernelsPass> {
  Array numberOps(func::FuncOp entry) {
    Sizes sizes(entry);
    Array kernels;
    entry.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (op == entry || isa<scf::SCFDialect>(op->getDialect()))
        return WalkResult::advance();
      if (makesTensor(op)) {
        kernels.push_back(describe(op, next, sizes));
        op->setLoc(withMark(op->getLoc(), {next++, ""}));
      }
      return WalkResult::skip();
    });
    return kernels;
  }

  void runOnOperation() override {
    next = 0;
    std::map<std::string, Array> kernels;
    for (func::FuncOp entry : getEntries(getOperation())) {
      if (failed(verifyNamed(entry)))
        return signalPassFailure();
      kernels[entry.getName().str()] = numberOps(entry);
    }
    changeEntries(getOperation(), [&](StringRef name, Object &entry) {
      if (auto found = kernels.find(name.str()); found != kernels.end())
        entry["kernels"] = std::move(found->second);
    });
  }

  int64_t next;
};

} // namespace
