// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// attn-embed-parameters: entries read parameters where the artifact has them.

#include "passes/Passes.h"
#include "passes/entry/EmbeddedWeights.h"
#include "passes/entry/Entries.h"
#include "passes/entry/ManifestText.h"

namespace mixattn {
#define GEN_PASS_DEF_EMBEDPARAMETERSPASS
#include "passes/Passes.h.inc"
} // namespace mixattn

using namespace mlir;
using namespace mixattn;

/// The global of the parameter that argument `index` of `entry` is, or null
/// where there is none that fits it: an error has been reported.
static memref::GlobalOp findGlobal(ModuleOp module, func::FuncOp entry,
                                   unsigned index) {
  auto name = entry.getArgAttrOfType<StringAttr>(index, "attn.name");
  auto buffer = dyn_cast<MemRefType>(entry.getArgumentTypes()[index]);
  bool isCalled = !SymbolTable::symbolKnownUseEmpty(entry, module);
  if (!name || !buffer || isCalled) {
    entry.emitError("expected a parameter to be a buffer with a name, of an "
                    "entry that nobody calls");
    return {};
  }
  if (!buffer.hasStaticShape()) {
    entry.emitError("expected known sizes of the parameter ")
        << name << ", which is embedded, but got " << buffer;
    return {};
  }
  auto type = MemRefType::get(buffer.getShape(), buffer.getElementType());
  std::string symbol = (weightPrefix + name.getValue()).str();
  auto global = module.lookupSymbol<memref::GlobalOp>(symbol);
  if (!global)
    return declareWeight(module, symbol, type);
  if (global.getType() == type)
    return global;
  entry.emitError("expected the parameter ")
      << name << " to be the same in all entries, but got " << type << " and "
      << global.getType();
  return {};
}

static LogicalResult embed(ModuleOp module, func::FuncOp entry) {
  OpBuilder b(entry.getBody());
  for (unsigned index = entry.getNumArguments(); index-- > 0;) {
    if (!entry.getArgAttr(index, "attn.parameter"))
      continue;
    memref::GlobalOp global = findGlobal(module, entry, index);
    if (!global)
      return failure();
    BlockArgument argument = entry.getArgument(index);
    Value held = memref::GetGlobalOp::create(
        b, entry.getLoc(), global.getType(), global.getSymName());
    argument.replaceAllUsesWith(
        memref::CastOp::create(b, entry.getLoc(), argument.getType(), held));
    if (failed(entry.eraseArgument(index)))
      return failure();
  }
  return success();
}

/// Takes the parameters from an entry of the manifest. What it computes is no
/// longer said by its arguments.
static void dropParameters(llvm::json::Object &entry) {
  llvm::json::Array *arguments = entry.getArray("arguments");
  if (!arguments)
    return;
  llvm::json::Array others;
  for (llvm::json::Value &each : *arguments) {
    llvm::json::Object *argument = each.getAsObject();
    if (!argument || !argument->getBoolean("parameter").value_or(false))
      others.push_back(each);
  }
  if (others.size() == arguments->size())
    return;
  *arguments = std::move(others);
  if (entry.getObject("attention")) {
    entry["attention"] = nullptr;
    entry["attention_reason"] = "its parameters are embedded";
  }
}

namespace {

struct EmbedParametersPass
    : mixattn::impl::EmbedParametersPassBase<EmbedParametersPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto isParameter = [](func::FuncOp entry, unsigned index) {
      return entry.getArgAttr(index, "attn.parameter") != nullptr;
    };
    bool areThere = llvm::any_of(getEntries(module), [&](func::FuncOp entry) {
      return llvm::any_of(
          llvm::seq(entry.getNumArguments()),
          [&](unsigned index) { return isParameter(entry, index); });
    });
    if (!areThere) {
      emitError(module.getLoc(),
                "expected parameters to embed, but no entry has any");
      return signalPassFailure();
    }
    for (func::FuncOp entry : getEntries(module))
      if (failed(embed(module, entry)))
        return signalPassFailure();
    if (Attribute manifest = module->getAttr("attn.manifest")) {
      // Kernels have no events yet, without which no manifest is whole.
      changeEntries(module, [](StringRef, llvm::json::Object &entry) {
        entry.erase("kernels");
      });
      module->setAttr(embeddedManifest, module->getAttr("attn.manifest"));
      module->setAttr("attn.manifest", manifest);
    }
    changeEntries(module, [](StringRef, llvm::json::Object &entry) {
      dropParameters(entry);
    });
  }
};

} // namespace
