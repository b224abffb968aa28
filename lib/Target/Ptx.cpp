// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From kernels in the LLVM dialect to PTX, by upstream's NVVM target.
#include "lib/Target/Ptx.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/Scalar/Scalarizer.h"

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

/// Whether the chip of `module` has instructions for pairs of floats: sm_100
/// and later ones do (PTX ISA, add{.rnd}{.ftz}.f32x2).
static bool hasPairs(mlir::ModuleOp module) {
  bool found = false;
  module.walk([&](mlir::gpu::GPUModuleOp kernels) {
    for (mlir::Attribute target : kernels.getTargetsAttr()) {
      llvm::StringRef chip =
          mlir::cast<mlir::NVVM::NVVMTargetAttr>(target).getChip();
      unsigned number = 0;
      constexpr unsigned first = 100;
      found |= chip.consume_front("sm_") &&
               !chip.consumeInteger(/*Radix=*/10, number) && number >= first;
    }
  });
  return found;
}

/// Keeps LLVM from making pairs of floats: they take registers side by side, of
/// which ptxas then spills some (test/emulator/rows.py).
static void keepScalars(mlir::ModuleOp module) {
  module.walk([](mlir::LLVM::LLVMFuncOp function) {
    if (!function.isExternal())
      function.setPassthroughAttr(mlir::Builder(function.getContext())
                                      .getStrArrayAttr({"noimplicitfloat"}));
  });
}

/// Leaves no vector in `code`, of which LLVM's code generator would make pairs.
static void splitVectors(llvm::Module &code) {
  llvm::PassBuilder builder;
  llvm::FunctionAnalysisManager analyses;
  builder.registerFunctionAnalyses(analyses);
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::ScalarizerPass());
  for (llvm::Function &function : code)
    if (!function.isDeclaration())
      passes.run(function, analyses);
}

/// Upstream looks for CUDA's library of device functions, and makes an error of
/// not finding it, but goes on: kernels call none of these.
static bool isOfDeviceLibrary(const mlir::Diagnostic &diagnostic) {
  std::string text = diagnostic.str();
  return llvm::StringRef(text).starts_with("CUDA path: ") ||
         llvm::StringRef(text).starts_with("LibDevice path: ");
}

Result<std::string> mixattn::emitPtx(mlir::ModuleOp module) {
  declareSharedMemory(module);
  annotateLoops(module);
  llvm::function_ref<void(llvm::Module &)> last;
  if (hasPairs(module)) {
    keepScalars(module);
    last = splitVectors;
  }
  mlir::ScopedDiagnosticHandler hush(
      module.getContext(), [](mlir::Diagnostic &each) {
        return mlir::success(isOfDeviceLibrary(each));
      });
  // Text: it is ptxas that knows the machine.
  mlir::gpu::TargetOptions options(
      /*toolkitPath=*/{}, /*librariesToLink=*/{}, /*cmdOptions=*/{},
      /*elfSection=*/{}, mlir::gpu::CompilationTarget::Assembly,
      /*getSymbolTableCallback=*/{}, /*initialLlvmIRCallback=*/{},
      /*linkedLlvmIRCallback=*/{}, /*optimizedLlvmIRCallback=*/last);
  if (mlir::failed(mlir::gpu::transformGpuModulesToBinaries(
          module, /*handler=*/nullptr, options)))
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
