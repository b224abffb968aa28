// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks of shapes that verifiers share.

#include "dialect/attn/VerifyShapes.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mixattn;
using mixattn::detail::Party;

static bool sizesAgree(int64_t a, int64_t b) {
  return a == b || ShapedType::isDynamic(a) || ShapedType::isDynamic(b);
}

/// Prints a shape, dynamic sizes as the IR does: [?, 8, ?, 64].
static std::string shapeText(ArrayRef<int64_t> shape) {
  auto sizeText = [](int64_t size) {
    return ShapedType::isDynamic(size) ? "?" : std::to_string(size);
  };
  return "[" + llvm::join(llvm::map_range(shape, sizeText), ", ") + "]";
}

InFlightDiagnostic &mixattn::detail::noteDefinition(InFlightDiagnostic &error,
                                                    const Party &party) {
  error.attachNote(party.value.getLoc())
      << "'" << party.name << "' defined here, of type " << party.type();
  return error;
}

LogicalResult mixattn::detail::verifyDimsAgree(Operation *op, StringRef what,
                                               const Party &a, unsigned aDim,
                                               const Party &b, unsigned bDim) {
  int64_t aSize = a.type().getDimSize(aDim), bSize = b.type().getDimSize(bDim);
  if (sizesAgree(aSize, bSize))
    return success();
  InFlightDiagnostic error = op->emitOpError("expected '")
                             << a.name << "' and '" << b.name
                             << "' to agree on the " << what << ", but got "
                             << aSize << " and " << bSize;
  noteDefinition(noteDefinition(error, a), b);
  return error;
}

LogicalResult mixattn::detail::verifyShape(Operation *op, const Party &party,
                                           ArrayRef<int64_t> shape) {
  bool agree = llvm::all_of(
      llvm::zip_equal(party.type().getShape(), shape), [](auto pair) {
        return sizesAgree(std::get<0>(pair), std::get<1>(pair));
      });
  if (agree)
    return success();
  InFlightDiagnostic error = op->emitOpError("expected '")
                             << party.name << "' to have the shape "
                             << shapeText(shape) << ", but got "
                             << party.type();
  return noteDefinition(error, party);
}

LogicalResult mixattn::detail::verifyBroadcast(Operation *op,
                                               const Party &party,
                                               ArrayRef<int64_t> shape) {
  ArrayRef<int64_t> own = party.type().getShape();
  bool agree = llvm::all_of(
      llvm::zip_equal(own, shape.take_back(own.size())), [](auto pair) {
        return std::get<0>(pair) == 1 ||
               sizesAgree(std::get<0>(pair), std::get<1>(pair));
      });
  if (agree)
    return success();
  InFlightDiagnostic error =
      op->emitOpError("expected '")
      << party.name << "' to broadcast from the right to " << shapeText(shape)
      << ", but got " << party.type();
  return noteDefinition(error, party);
}

LogicalResult mixattn::detail::verifyStatic(Operation *op, const Party &party,
                                            unsigned dim, StringRef what) {
  if (!party.type().isDynamicDim(dim))
    return success();
  InFlightDiagnostic error = op->emitOpError("expected '")
                             << party.name << "' to have static " << what;
  return noteDefinition(error, party);
}

LogicalResult mixattn::detail::verifyElementTypes(Operation *op,
                                                  const Party &query,
                                                  const Party &key) {
  // Keys that a stage of a kernel projected are f32.
  bool isProjected = key.type().getElementType().isF32() &&
                     isa_and_present<KernelOp>(op->getParentOp());
  if (isProjected ||
      query.type().getElementType() == key.type().getElementType())
    return success();
  InFlightDiagnostic error =
      op->emitOpError("expected 'query' and 'key' to agree on the element "
                      "type, but got ")
      << query.type().getElementType() << " and "
      << key.type().getElementType();
  noteDefinition(noteDefinition(error, query), key);
  return error;
}

LogicalResult mixattn::detail::verifyHeadsDivide(Operation *op,
                                                 const Party &party,
                                                 StringRef of, int64_t heads,
                                                 const Party &other) {
  int64_t shared = party.type().getDimSize(1);
  if (heads != 0 && shared != 0 && heads % shared == 0)
    return success();
  InFlightDiagnostic error = op->emitOpError("expected the heads of '")
                             << party.name << "' to divide the heads of " << of
                             << ", but got " << shared << " and " << heads;
  noteDefinition(noteDefinition(error, other), party);
  return error;
}

LogicalResult mixattn::detail::verifyMlp(Operation *op, Value w1, Value b1,
                                         Value w2, Value b2, int64_t sources,
                                         int64_t heads) {
  if (!w1 != !b1 || !w1 != !w2 || !w1 != !b2)
    return op->emitOpError(
        "expected 'w1', 'b1', 'w2' and 'b2' together or not at all");
  if (!w1)
    return success();
  int64_t hidden = OperandDim{w1, 1}.size();
  if (ShapedType::isDynamic(hidden))
    return op->emitOpError("expected 'w1' to have static columns");
  return success(succeeded(verifyShape(op, {"w1", w1}, {sources, hidden})) &&
                 succeeded(verifyShape(op, {"b1", b1}, {hidden})) &&
                 succeeded(verifyShape(op, {"w2", w2}, {hidden, heads})) &&
                 succeeded(verifyShape(op, {"b2", b2}, {heads})));
}
