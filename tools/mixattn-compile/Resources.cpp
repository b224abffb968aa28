// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parser takes a dense_resource as it is named; nothing later can report
// one that the file does not hold.
#include "tools/mixattn-compile/Resources.h"

#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;
using namespace mixattn;

static LogicalResult checkResource(Operation *op,
                                   DenseResourceElementsAttr elements) {
  DenseResourceElementsHandle handle = elements.getRawHandle();
  AsmResourceBlob *blob = handle.getBlob();
  if (!blob)
    return op->emitError("expected a resource '")
           << handle.getKey() << "' in the file, but got none";
  ShapedType type = elements.getType();
  uint64_t bytes = type.getNumElements() *
                   llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  if (blob->getData().size() != bytes)
    return op->emitError("expected ")
           << bytes << " bytes in resource '" << handle.getKey()
           << "', but got " << blob->getData().size();
  return success();
}

LogicalResult mixattn::checkResources(ModuleOp module) {
  WalkResult result = module.walk([](Operation *op) {
    return op->getAttrDictionary().walk([op](DenseResourceElementsAttr each) {
      return WalkResult(checkResource(op, each));
    });
  });
  return failure(result.wasInterrupted());
}
