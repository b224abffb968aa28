// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From kernels in the LLVM dialect to PTX, by upstream's NVVM target.
#include "lib/Target/Ptx.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

using namespace mixattn;

/// Dynamic shared memory has no size in PTX and is defined elsewhere: by the
/// launch. Upstream makes it a variable of its own, of one byte.
static void declareSharedMemory(mlir::ModuleOp module) {
  module.walk([](mlir::LLVM::GlobalOp global) {
    auto bytes = mlir::dyn_cast<mlir::LLVM::LLVMArrayType>(global.getType());
    bool isShared =
        global.getAddrSpace() == unsigned(mlir::NVVM::NVVMMemorySpace::Shared);
    if (isShared && bytes && bytes.getNumElements() == 0)
      global.setLinkage(mlir::LLVM::Linkage::External);
  });
}

/// A schedule annotates a loop, and the branch to its start has the annotation
/// in the end, as an attribute like any other. Upstream's translation reads
/// only the property of `llvm.br`.
static void annotateLoops(mlir::ModuleOp module) {
  module.walk([](mlir::LLVM::BrOp branch) {
    if (auto annotation = branch->getAttrOfType<mlir::LLVM::LoopAnnotationAttr>(
            "llvm.loop_annotation"))
      branch.setLoopAnnotationAttr(annotation);
  });
}

Result<std::string> mixattn::emitPtx(mlir::ModuleOp module) {
  declareSharedMemory(module);
  annotateLoops(module);
  mlir::PassManager passes(module.getContext());
  // Text: it is ptxas that knows the machine.
  mlir::GpuModuleToBinaryPassOptions options;
  options.compilationTarget = "isa";
  passes.addPass(mlir::createGpuModuleToBinaryPass(options));
  if (mlir::failed(passes.run(module)))
    return makeError("the module cannot be put into PTX");
  auto binaries = module.getOps<mlir::gpu::BinaryOp>();
  if (!llvm::hasSingleElement(binaries))
    return makeError("the module holds no kernels");
  auto object =
      mlir::cast<mlir::gpu::ObjectAttr>((*binaries.begin()).getObjects()[0]);
  std::string text = object.getObject().str();
  // The text ends where a C string does.
  return text.substr(0, text.find('\0'));
}
