// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Registers the dialect and checks the attributes that entries carry.

#include "dialect/attn/AttnOps.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mixattn;

#include "dialect/attn/AttnDialect.cpp.inc"
#include "dialect/attn/AttnInterfaces.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dialect/attn/AttnAttrs.cpp.inc"

void AttnDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialect/attn/AttnAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialect/attn/AttnOps.cpp.inc"
      >();
}

LogicalResult BandAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               int64_t lower, int64_t upper) {
  if (lower < 0 || upper < 0)
    return emitError() << "expected band widths of 0 or more, but got "
                       << lower << " and " << upper;
  return success();
}

//===----------------------------------------------------------------------===//
// Attributes of entries
//===----------------------------------------------------------------------===//

/// Whether `name` is a C identifier: names of arguments and dims become
/// identifiers of the generated header.
static bool isIdentifier(StringRef name) {
  return !name.empty() && !llvm::isDigit(name.front()) &&
         llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

static LogicalResult verifyName(Operation *op, Attribute value) {
  auto name = dyn_cast<StringAttr>(value);
  if (!name || !isIdentifier(name.getValue()))
    return op->emitOpError("expected 'attn.name' to be an identifier, but got ")
           << value;
  return success();
}

static LogicalResult verifyDims(Operation *op, Attribute value, Type type) {
  auto tensor = dyn_cast<ShapedType>(type);
  auto names = dyn_cast<ArrayAttr>(value);
  if (!names || !llvm::all_of(names, [](Attribute a) {
        auto name = dyn_cast<StringAttr>(a);
        return name && isIdentifier(name.getValue());
      }))
    return op->emitOpError(
               "expected 'attn.dims' to be an array of identifiers, but got ")
           << value;
  int64_t dynamic =
      tensor && tensor.hasRank() ? tensor.getNumDynamicDims() : 0;
  if (static_cast<int64_t>(names.size()) != dynamic)
    return op->emitOpError("expected 'attn.dims' to name the ")
           << dynamic << " dynamic dimensions of " << type << ", but got "
           << names.size() << " names";
  return success();
}

static LogicalResult verifyRange(Operation *op, Attribute value, Type type) {
  auto isBound = [](Attribute bound) {
    return isa<IntegerAttr>(bound) || isa<StringAttr>(bound);
  };
  auto range = dyn_cast<ArrayAttr>(value);
  if (!range || range.size() != 2 || !llvm::all_of(range, isBound))
    return op->emitOpError("expected 'attn.range' to be two integers or names "
                           "of dimensions, but got ")
           << value;
  auto low = dyn_cast<IntegerAttr>(range[0]);
  auto high = dyn_cast<IntegerAttr>(range[1]);
  if (low && high && low.getInt() > high.getInt())
    return op->emitOpError("expected 'attn.range' to ascend, but got ")
           << value;
  auto tensor = dyn_cast<ShapedType>(type);
  if (!tensor || !tensor.getElementType().isSignlessInteger())
    return op->emitOpError("expected 'attn.range' on an integer tensor, but "
                           "got ")
           << type;
  return success();
}

static LogicalResult verifyEntryAttribute(Operation *op, NamedAttribute attr,
                                          Type type) {
  StringRef name = attr.getName();
  if (name == "attn.name")
    return verifyName(op, attr.getValue());
  if (name == "attn.dims")
    return verifyDims(op, attr.getValue(), type);
  if (name == "attn.range")
    return verifyRange(op, attr.getValue(), type);
  return op->emitOpError("expected 'attn.name', 'attn.dims' or 'attn.range' on "
                         "an argument or result, but got '")
         << name << "'";
}

LogicalResult AttnDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                    unsigned index,
                                                    NamedAttribute attr) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  Type type = function ? function.getArgumentTypes()[index] : Type();
  return verifyEntryAttribute(op, attr, type);
}

LogicalResult AttnDialect::verifyRegionResultAttribute(Operation *op, unsigned,
                                                       unsigned index,
                                                       NamedAttribute attr) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  Type type = function ? function.getResultTypes()[index] : Type();
  return verifyEntryAttribute(op, attr, type);
}

LogicalResult AttnDialect::verifyOperationAttribute(Operation *op,
                                                    NamedAttribute attr) {
  // The compiler itself leaves the manifest on the module.
  if (attr.getName() == "attn.manifest" && isa<ModuleOp>(op) &&
      isa<StringAttr>(attr.getValue()))
    return success();
  return op->emitOpError("has the unknown attribute '")
         << attr.getName().getValue() << "'";
}
