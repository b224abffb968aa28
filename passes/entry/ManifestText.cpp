// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads the module's manifest and writes it again.

#include "passes/entry/ManifestText.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mixattn;

void mixattn::changeEntries(
    ModuleOp module,
    function_ref<void(StringRef, llvm::json::Object &)> change) {
  auto text = module->getAttrOfType<StringAttr>("attn.manifest");
  llvm::Expected<llvm::json::Value> manifest =
      llvm::json::parse(text ? text.getValue() : "");
  if (!manifest)
    return llvm::consumeError(manifest.takeError());
  llvm::json::Object *root = manifest->getAsObject();
  llvm::json::Array *entries = root ? root->getArray("entries") : nullptr;
  if (!entries)
    return;
  for (llvm::json::Value &each : *entries)
    if (llvm::json::Object *entry = each.getAsObject())
      if (auto name = entry->getString("name"))
        change(name->str(), *entry);
  module->setAttr("attn.manifest",
                  StringAttr::get(module.getContext(),
                                  llvm::formatv("{0}\n", *manifest).str()));
}
