// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds entries and checks that they are named.

#include "passes/entry/Entries.h"

using namespace mlir;
using namespace mixattn;

SmallVector<func::FuncOp> mixattn::getEntries(ModuleOp module) {
  SmallVector<func::FuncOp> entries;
  for (auto function : module.getOps<func::FuncOp>())
    if (function.isPublic() && !function.isExternal())
      entries.push_back(function);
  return entries;
}

bool mixattn::isEntryType(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || tensor.getEncoding())
    return false;
  Type element = tensor.getElementType();
  return element.isF16() || element.isBF16() || element.isF32() ||
         element.isF64() || element.isSignlessInteger(1) ||
         element.isSignlessInteger(8) || element.isSignlessInteger(16) ||
         element.isSignlessInteger(32) || element.isSignlessInteger(64);
}

MemRefType mixattn::getEntryBuffer(RankedTensorType tensor) {
  Type element = tensor.getElementType();
  if (element.isInteger(1))
    element = IntegerType::get(tensor.getContext(), 8);
  if (tensor.getRank() < 2)
    return MemRefType::get(tensor.getShape(), element);
  SmallVector<int64_t> strides(tensor.getRank(), ShapedType::kDynamic);
  strides.back() = 1;
  auto layout = StridedLayoutAttr::get(tensor.getContext(), 0, strides);
  return MemRefType::get(tensor.getShape(), element, layout);
}

SmallVector<Attribute> mixattn::getValueBounds(func::FuncOp entry,
                                               unsigned index) {
  SmallVector<Attribute> bounds;
  if (auto range = entry.getArgAttrOfType<ArrayAttr>(index, "attn.range"))
    llvm::append_range(bounds, range);
  if (auto holds = entry.getArgAttrOfType<DictionaryAttr>(index, "attn.holds"))
    if (auto extents = holds.getAs<ArrayAttr>("extents"))
      llvm::append_range(bounds, extents);
  return bounds;
}

LogicalResult mixattn::verifyNamed(func::FuncOp entry) {
  auto isNamed = [](Type type, Attribute name, Attribute dims) {
    return isEntryType(type) && isa_and_present<StringAttr>(name) &&
           (cast<RankedTensorType>(type).hasStaticShape() || dims);
  };
  bool named = entry.getBody().hasOneBlock() &&
               isa<func::ReturnOp>(entry.getBody().front().back());
  for (unsigned i = 0; named && i < entry.getNumArguments(); ++i)
    named =
        isNamed(entry.getArgumentTypes()[i], entry.getArgAttr(i, "attn.name"),
                entry.getArgAttr(i, "attn.dims"));
  for (unsigned i = 0; named && i < entry.getNumResults(); ++i)
    named =
        isNamed(entry.getResultTypes()[i], entry.getResultAttr(i, "attn.name"),
                entry.getResultAttr(i, "attn.dims"));
  if (named)
    return success();
  return entry.emitError("expected entry '")
         << entry.getName() << "' to be named by attn-bind-names";
}
