// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The memory of calls, for reports.
#include "tools/mixattn-compile/Memory.h"

#include "lib/Runtime/Manifest.h"
#include "passes/target/CpuModel.h"
#include "passes/target/Target.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"

using namespace mixattn;

EntryMemory mixattn::findMemory(mlir::ModuleOp module,
                                const PipelineOptions &options,
                                const GivenSizes &given) {
  EntryMemory memory;
  if (options.family != TargetFamily::X86)
    return memory;
  mlir::MLIRContext &context = *module.getContext();
  mlir::OwningOpRef<mlir::ModuleOp> copy = module.clone();
  auto passes = mlir::PassManager::on<mlir::ModuleOp>(&context);
  buildWorkspace(passes, options);
  passes.enableVerifier(false);
  mlir::ScopedDiagnosticHandler hush(&context, [](mlir::Diagnostic &) {});
  if (mlir::failed(passes.run(*copy)))
    return memory;
  auto text = (*copy)->getAttrOfType<mlir::StringAttr>("attn.manifest");
  auto manifest = parseManifest(text ? text.getValue() : "");
  if (!manifest)
    return memory;
  int64_t threads = describeCpu(TargetAttr::of(*copy)).threads;
  DimSizes sizes(given.begin(), given.end());
  for (const Entry &entry : manifest->entries) {
    if (!entry.workspace && !entry.packed)
      continue;
    CallMemory &made = memory[entry.name];
    made.packed = int64_t(entry.packed);
    if (!entry.workspace)
      continue;
    const SizeExpression &all = *entry.workspace;
    made.formula = all.toString();
    // A part is a term of the sum.
    std::vector<SizeExpression> terms = {all};
    if (all.kind == SizeExpression::Kind::Add)
      terms = all.operands;
    std::vector<int64_t> parts;
    for (const SizeExpression &term : terms)
      if (auto bytes =
              term.hasDimsOf(sizes) ? term.in(sizes, threads) : std::nullopt)
        parts.push_back(*bytes);
    if (parts.size() == terms.size())
      made.parts = parts;
  }
  return memory;
}
