// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tile-drop-parameters: kernels take what they read.

#include "dialect/tile/TileOps.h"
#include "passes/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionImplementation.h"

namespace mixattn {
#define GEN_PASS_DEF_DROPPARAMETERSPASS
#include "passes/Passes.h.inc"
} // namespace mixattn

using namespace mlir;
using namespace mixattn;

/// Takes the arguments that `kernel` does not read from it and from `launch`,
/// the one that runs it.
static void drop(LLVM::LLVMFuncOp kernel, tile::LaunchOp launch) {
  BitVector unread(kernel.getNumArguments());
  SmallVector<Attribute> parameters;
  SmallVector<Value> values;
  SmallVector<Type> types;
  for (BlockArgument argument : kernel.getArguments()) {
    unsigned number = argument.getArgNumber();
    if (argument.use_empty()) {
      unread.set(number);
      continue;
    }
    types.push_back(argument.getType());
    parameters.push_back(launch.getParameters()[number]);
    values.push_back(launch.getValues()[number]);
  }
  launch.getValuesMutable().assign(values);
  launch.setParametersAttr(ArrayAttr::get(launch.getContext(), parameters));
  // The interface's way refuses functions that return nothing.
  function_interface_impl::eraseFunctionArguments(
      kernel, unread,
      LLVM::LLVMFunctionType::get(kernel.getFunctionType().getReturnType(),
                                  types));
}

/// Has tensor maps passed by value: TMA reads them where parameters lie.
static void passMapsByValue(LLVM::LLVMFuncOp kernel, tile::LaunchOp launch) {
  Builder b(launch.getContext());
  constexpr int64_t bytes = 128, alignment = 64;
  Type map = LLVM::LLVMArrayType::get(b.getIntegerType(8), bytes);
  for (auto [number, attribute] : llvm::enumerate(launch.getParameters())) {
    if (cast<tile::ParameterAttr>(attribute).getKind() !=
        tile::ParameterKind::TensorMap)
      continue;
    kernel.setArgAttr(number, LLVM::LLVMDialect::getByValAttrName(),
                      TypeAttr::get(map));
    kernel.setArgAttr(number, LLVM::LLVMDialect::getAlignAttrName(),
                      b.getI64IntegerAttr(alignment));
    kernel.setArgAttr(number, NVVM::NVVMDialect::getGridConstantAttrName(),
                      b.getUnitAttr());
  }
}

namespace {

struct DropParametersPass
    : mixattn::impl::DropParametersPassBase<DropParametersPass> {
  void runOnOperation() override {
    WalkResult result = getOperation()->walk([&](tile::LaunchOp launch) {
      auto kernel = dyn_cast_if_present<LLVM::LLVMFuncOp>(
          SymbolTable::lookupSymbolIn(getOperation(), launch.getKernel()));
      if (!kernel || kernel.getNumArguments() != launch.getValues().size()) {
        launch.emitOpError(
            "expected a function of LLVM with an argument for each value");
        return WalkResult::interrupt();
      }
      drop(kernel, launch);
      passMapsByValue(kernel, launch);
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
