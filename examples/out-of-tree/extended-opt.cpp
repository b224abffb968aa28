// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An `opt` tool that knows the attn dialect and one pass of its own.

#include "ReportMixers.h"

#include "dialect/attn/AttnOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  registerReportMixers();
  mlir::DialectRegistry registry;
  registry.insert<mixattn::AttnDialect, mlir::arith::ArithDialect,
                  mlir::func::FuncDialect, mlir::math::MathDialect,
                  mlir::tensor::TensorDialect>();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "attention report\n", registry));
}
