// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From a module in the LLVM dialect to LLVM IR, assembly or an object.
#include "lib/Target/Object.h"
#include "lib/Target/Instrument.h"
#include "lib/Target/Optimize.h"
#include "lib/Target/Parts.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/OpenMP/OpenMPToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

using namespace mixattn;

/// Stands where compilers write the source file's name.
static constexpr llvm::StringLiteral moduleName = "mixattn";

void mixattn::registerCodeTranslations(mlir::DialectRegistry &registry) {
  mlir::registerBuiltinDialectTranslation(registry);
  mlir::registerLLVMDialectTranslation(registry);
  mlir::registerOpenMPDialectTranslation(registry);
}

/// Makes LLVM's code generator for `options`.
static std::unique_ptr<llvm::TargetMachine>
createGenerator(const CodeOptions &options) {
  LLVMInitializeX86TargetInfo();
  LLVMInitializeX86Target();
  LLVMInitializeX86TargetMC();
  LLVMInitializeX86AsmPrinter();
  LLVMInitializeX86AsmParser();
  llvm::Triple triple("x86_64-unknown-linux-gnu");
  std::string reason;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, reason);
  assert(target && "LLVMInitializeX86Target links only where x86 is there");
  // LLVM 22 allocates no registers of AMX to loops without any optimisation.
  auto least = options.machine.has("amx-tile") ? llvm::CodeGenOptLevel::Less
                                               : llvm::CodeGenOptLevel::None;
  auto level = options.isOptimized ? llvm::CodeGenOptLevel::Aggressive : least;
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, options.machine.cpu, options.machine.featureString,
      llvm::TargetOptions(), llvm::Reloc::PIC_, std::nullopt, level));
}

/// Tells `module` what it is compiled for.
static void setTarget(llvm::Module &module, const Machine &machine,
                      const llvm::TargetMachine &generator) {
  module.setModuleIdentifier(moduleName);
  module.setSourceFileName(moduleName);
  module.setTargetTriple(generator.getTargetTriple());
  module.setDataLayout(generator.createDataLayout());
  module.setPICLevel(llvm::PICLevel::BigPIC);
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", machine.cpu);
    function.addFnAttr("target-features", machine.featureString);
  }
}

/// Makes `module` a part of a library that has entries and a manifest of its
/// own: what it defines gets `prefix` before its name.
static void makePart(llvm::Module &module, const std::string &prefix) {
  for (llvm::GlobalVariable &each :
       llvm::make_early_inc_range(module.globals()))
    if (each.getSection() == manifestSection)
      each.eraseFromParent();
  for (llvm::GlobalValue &value : module.global_values())
    if (!value.isDeclaration() && !value.getName().starts_with("llvm."))
      value.setName(prefix + value.getName());
}

/// What `options` make of `code`, which knows its target: a text or an object.
static std::string generate(llvm::Module &code, const CodeOptions &options) {
  std::unique_ptr<llvm::TargetMachine> generator = createGenerator(options);
  if (options.isOptimized)
    optimize(code, *generator);
  instrument(code, *generator, options.sanitizer);

  llvm::SmallString<0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  if (options.kind == CodeKind::LlvmIr) {
    code.print(stream, /*AAW=*/nullptr);
    return bytes.str().str();
  }
  auto fileType = options.kind == CodeKind::Assembly
                      ? llvm::CodeGenFileType::AssemblyFile
                      : llvm::CodeGenFileType::ObjectFile;
  llvm::legacy::PassManager passes;
  [[maybe_unused]] bool isImpossible = generator->addPassesToEmitFile(
      passes, stream, /*DwoOut=*/nullptr, fileType);
  assert(!isImpossible && "x86 has assembly and objects");
  passes.run(code);
  return bytes.str().str();
}

Result<std::vector<std::string>> mixattn::emitCode(mlir::ModuleOp module,
                                                   const CodeOptions &options) {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> code =
      mlir::translateModuleToLLVMIR(module, context, moduleName);
  if (!code)
    return makeError("the module cannot be put into LLVM IR");
  setTarget(*code, options.machine, *createGenerator(options));
  if (!options.prefix.empty())
    makePart(*code, options.prefix);
  // A sanitizer's tables are those of a whole module.
  bool mayBeParts = options.mayBeParts && options.isOptimized &&
                    options.sanitizer == Sanitizer::None;
  unsigned parts = mayBeParts ? countParts(*code) : 1;
  if (parts == 1)
    return std::vector<std::string>{generate(*code, options)};
  dropUnreadArguments(*code, *createGenerator(options));
  markKernels(*code);
  return compileParts(*code, parts, [&](llvm::Module &part) {
    return generate(part, options);
  });
}

std::string mixattn::emitObject(llvm::Module &module) {
  CodeOptions options;
  options.machine = *lookUpMachine("x86-64");
  setTarget(module, options.machine, *createGenerator(options));
  return generate(module, options);
}
