// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops that stay loops.

#include "passes/body/NeverUnroll.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

void mixattn::neverUnroll(scf::ForOp loop) {
  MLIRContext *context = loop.getContext();
  auto unroll = LLVM::LoopUnrollAttr::get(
      context, /*disable=*/BoolAttr::get(context, true), /*count=*/{},
      /*runtimeDisable=*/{}, /*full=*/{}, /*followupUnrolled=*/{},
      /*followupRemainder=*/{}, /*followupAll=*/{});
  loop->setDiscardableAttr(
      "llvm.loop_annotation",
      LLVM::LoopAnnotationAttr::get(
          context, /*disableNonforced=*/{}, /*vectorize=*/{},
          /*interleave=*/{}, unroll, /*unrollAndJam=*/{}, /*licm=*/{},
          /*distribute=*/{}, /*pipeline=*/{}, /*peeled=*/{}, /*unswitch=*/{},
          /*mustProgress=*/{}, /*isVectorized=*/{}, /*startLoc=*/{},
          /*endLoc=*/{}, /*parallelAccesses=*/{}));
}
