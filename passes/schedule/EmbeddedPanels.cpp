// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Panels of parameters that the artifact holds.

#include "passes/schedule/EmbeddedPanels.h"

#include "passes/entry/EmbeddedWeights.h"

#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace mixattn;

memref::GetGlobalOp mixattn::findEmbedded(Value buffer) {
  while (auto view = buffer.getDefiningOp<ViewLikeOpInterface>())
    buffer = view.getViewSource();
  auto held = buffer.getDefiningOp<memref::GetGlobalOp>();
  bool isEmbedded = held && held.getName().starts_with(weightPrefix);
  return isEmbedded ? held : memref::GetGlobalOp();
}

/// The elements of panels, as embeddedPanels says them; null where their places
/// are not known.
static DictionaryAttr describe(Value source, const PanelLayout &layout) {
  StringRef symbol = findEmbedded(source).getName();
  // Casts forget strides that are known.
  while (auto cast = source.getDefiningOp<memref::CastOp>())
    source = cast.getSource();
  auto type = cast<MemRefType>(source.getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)) ||
      ShapedType::isDynamic(offset) || ShapedType::isDynamicShape(strides))
    return {};
  Builder b(source.getContext());
  auto list = [&](StringRef name, ArrayRef<int64_t> values) {
    return b.getNamedAttr(name, b.getDenseI64ArrayAttr(values));
  };
  return b.getDictionaryAttr(
      {b.getNamedAttr("of",
                      b.getStringAttr(symbol.drop_front(weightPrefix.size()))),
       list("offset", offset), list("sizes", type.getShape()),
       list("strides", strides), list("terms", layout.terms),
       list("lanes", layout.lanes), list("batches", layout.batches),
       list("width", layout.width), list("pairs", layout.arePairs)});
}

Value EmbeddedPanels::take(func::FuncOp entry, Value source,
                           const PanelLayout &layout, MemRefType panels) {
  DictionaryAttr description = describe(source, layout);
  if (!description)
    return {};
  memref::GlobalOp &global = globals[description.getAsOpaquePointer()];
  if (!global) {
    NamedAttrList all(module->getAttrOfType<DictionaryAttr>(embeddedPanels));
    std::string name =
        "mixattn_panels." + std::to_string(all.getAttrs().size());
    global = declareWeight(module, name, panels);
    all.append(name, description);
    module->setAttr(embeddedPanels, all.getDictionary(module.getContext()));
  }
  OpBuilder b(entry.getBody());
  return memref::GetGlobalOp::create(b, entry.getLoc(), panels,
                                     global.getSymName());
}
