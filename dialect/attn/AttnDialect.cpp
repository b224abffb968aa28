// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Registers the dialect and checks the attributes that entries carry.

#include "dialect/attn/OperandConditions.h"
#include "dialect/attn/ShortSums.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/IR/LinalgInterfaces.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mixattn;

#include "dialect/attn/AttnDialect.cpp.inc"
#include "dialect/attn/AttnEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dialect/attn/AttnAttrs.cpp.inc"

namespace {

/// Attention ops may be inlined anywhere.
struct AttnInlinerInterface : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;

  bool isLegalToInline(Operation *, Region *, bool,
                       IRMapping &) const override {
    return true;
  }
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const override {
    return true;
  }
};

} // namespace

void AttnDialect::initialize() {
  addInterfaces<AttnInlinerInterface>();
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
  // Wider than any tensor, and the sum with a position cannot overflow.
  constexpr int64_t widest = int64_t(1) << 62;
  for (int64_t width : {lower, upper})
    if (width < 0 || width > widest)
      return emitError() << "expected band widths from 0 to " << widest
                         << ", but got " << lower << " and " << upper;
  return success();
}

LogicalResult
FeatureMapAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                       FeatureKind kind, int64_t rolls) {
  // Each roll adds 2 D features.
  constexpr int64_t most = 64;
  if (kind == FeatureKind::Dpfp ? rolls < 1 || rolls > most : rolls != 0)
    return emitError() << "expected 'rolls' from 1 to " << most
                       << " with dpfp and none elsewhere, but got " << rolls;
  return success();
}

//===----------------------------------------------------------------------===//
// Attributes of entries
//===----------------------------------------------------------------------===//

namespace {

/// An argument or result of a function, and what an error calls it.
struct Party {
  Operation *function;
  const char *role;
  unsigned index;
  Type type;

  /// Begins the error about its attribute `name`.
  InFlightDiagnostic error(StringRef name) const {
    return function->emitOpError("expected '")
           << name << "' of " << role << " " << index << " ";
  }
};

} // namespace

bool mixattn::isIdentifier(StringRef name) {
  return !name.empty() && !llvm::isDigit(name.front()) &&
         llvm::all_of(name,
                      [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

static bool isIdentifierAttr(Attribute attr) {
  auto name = dyn_cast<StringAttr>(attr);
  return name && isIdentifier(name.getValue());
}

static LogicalResult verifyName(const Party &party, Attribute value) {
  if (!isIdentifierAttr(value))
    return party.error("attn.name") << "to be an identifier, but got " << value;
  return success();
}

static LogicalResult verifyDims(const Party &party, Attribute value) {
  auto names = dyn_cast<ArrayAttr>(value);
  if (!names || !llvm::all_of(names, isIdentifierAttr))
    return party.error("attn.dims")
           << "to be an array of identifiers, but got " << value;
  auto tensor = dyn_cast<ShapedType>(party.type);
  size_t dynamic = tensor && tensor.hasRank() ? tensor.getNumDynamicDims() : 0;
  if (names.size() != dynamic)
    return party.error("attn.dims")
           << "to name the " << dynamic << " dynamic dimensions of "
           << party.type << ", but got " << names.size() << " names";
  return success();
}

static LogicalResult verifyRange(const Party &party, Attribute value) {
  auto isNumber = [](Attribute bound) {
    auto number = dyn_cast<IntegerAttr>(bound);
    return number && number.getType().isSignlessInteger(64);
  };
  auto range = dyn_cast<ArrayAttr>(value);
  if (!range || range.size() != 2 || !llvm::all_of(range, [&](Attribute bound) {
        return isNumber(bound) || isIdentifierAttr(bound);
      }))
    return party.error("attn.range")
           << "to be two integers or names of dimensions, but got " << value;
  if (isNumber(range[0]) && isNumber(range[1]) &&
      cast<IntegerAttr>(range[0]).getInt() >
          cast<IntegerAttr>(range[1]).getInt())
    return party.error("attn.range") << "to ascend, but got " << value;
  if (StringRef(party.role) == "result")
    return party.error("attn.range") << "to be on an argument";
  auto tensor = dyn_cast<ShapedType>(party.type);
  if (!tensor || !tensor.getElementType().isSignlessInteger())
    return party.error("attn.range")
           << "to be on integers, but got " << party.type;
  return success();
}

static LogicalResult verifyHolds(const Party &party, Attribute value) {
  if (!isConditionOn(value, party.type))
    return party.error("attn.holds") << "to be a condition on values of "
                                     << party.type << ", but got " << value;
  if (StringRef(party.role) == "result")
    return party.error("attn.holds") << "to be on an argument";
  return success();
}

static LogicalResult verifyParameter(const Party &party, Attribute value) {
  if (!isa<UnitAttr>(value))
    return party.error("attn.parameter")
           << "to have no value, but got " << value;
  if (StringRef(party.role) == "result")
    return party.error("attn.parameter") << "to be on an argument";
  return success();
}

static LogicalResult verifyEntryAttribute(const Party &party,
                                          NamedAttribute attr) {
  StringRef name = attr.getName();
  if (name == "attn.name")
    return verifyName(party, attr.getValue());
  if (name == "attn.dims")
    return verifyDims(party, attr.getValue());
  if (name == "attn.range")
    return verifyRange(party, attr.getValue());
  if (name == "attn.holds")
    return verifyHolds(party, attr.getValue());
  if (name == "attn.parameter")
    return verifyParameter(party, attr.getValue());
  // The compiler itself marks updates (attn-bind-updates), and buffers.
  if ((name == "attn.updates" && StringRef(party.role) == "argument" &&
       isa<UnitAttr>(attr.getValue())) ||
      (name == "attn.updated" && StringRef(party.role) == "result" &&
       isa<StringAttr>(attr.getValue())))
    return success();
  if ((name == "attn.result" || name == "attn.boolean" ||
       name == "attn.workspace" || name == "attn.packed") &&
      isa<MemRefType>(party.type))
    return success();
  return party.function->emitOpError("has the unknown attribute '")
         << name << "' on " << party.role << " " << party.index;
}

LogicalResult AttnDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                    unsigned index,
                                                    NamedAttribute attr) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  Type type = function ? function.getArgumentTypes()[index] : Type();
  return verifyEntryAttribute({op, "argument", index, type}, attr);
}

LogicalResult AttnDialect::verifyRegionResultAttribute(Operation *op, unsigned,
                                                       unsigned index,
                                                       NamedAttribute attr) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  Type type = function ? function.getResultTypes()[index] : Type();
  return verifyEntryAttribute({op, "result", index, type}, attr);
}

/// Each dim has a rule: one end or two that ascend, or a text.
static LogicalResult verifySizes(Operation *op, Attribute value) {
  if (!isa<FunctionOpInterface>(op))
    return op->emitOpError("expected 'attn.sizes' to be on a function");
  auto sizes = dyn_cast<DictionaryAttr>(value);
  if (!sizes)
    return op->emitOpError("expected 'attn.sizes' to be a dictionary, but got ")
           << value;
  for (NamedAttribute each : sizes) {
    StringRef name = each.getName().getValue();
    if (!isIdentifier(name))
      return op->emitOpError("expected the names in 'attn.sizes' to be "
                             "identifiers, but got '")
             << name << "'";
    if (isa<StringAttr>(each.getValue()))
      continue;
    auto ends = dyn_cast<ArrayAttr>(each.getValue());
    auto isSize = [](Attribute end) {
      auto number = dyn_cast<IntegerAttr>(end);
      return number && number.getType().isSignlessInteger(64) &&
             number.getInt() >= 0;
    };
    bool isRange = ends && (ends.size() == 1 || ends.size() == 2) &&
                   llvm::all_of(ends, isSize);
    if (isRange && ends.size() == 2)
      isRange = cast<IntegerAttr>(ends[0]).getInt() <=
                cast<IntegerAttr>(ends[1]).getInt();
    if (!isRange)
      return op->emitOpError("expected 'attn.sizes' to give '")
             << name << "' one or two sizes that ascend, or a text, but got "
             << each.getValue();
  }
  return success();
}

/// Whether all that `op` computes is an f64 to which an f32 is added. MLIR
/// verifies attributes before the op and its region, which are read here.
static bool addsF32ToF64(Operation *op) {
  auto linalg = dyn_cast<linalg::LinalgOp>(op);
  if (!linalg || failed(op->getName().verifyInvariants(op)) ||
      op->getRegion(0).empty() || op->getRegion(0).front().empty() ||
      op->getRegion(0).front().getNumArguments() != op->getNumOperands() ||
      linalg.getNumDpsInits() != 1)
    return false;
  auto yield = dyn_cast<linalg::YieldOp>(linalg.getBlock()->back());
  if (!yield || yield.getNumOperands() != 1)
    return false;
  auto adds = yield.getOperand(0).getDefiningOp<arith::AddFOp>();
  auto term = adds ? adds.getRhs().getDefiningOp<arith::ExtFOp>() : nullptr;
  return term && adds.getType().isF64() && term.getIn().getType().isF32() &&
         adds.getLhs() == linalg.getRegionOutputArgs()[0];
}

LogicalResult AttnDialect::verifyOperationAttribute(Operation *op,
                                                    NamedAttribute attr) {
  // The compiler itself leaves the manifest on the module, and what parameters
  // are embedded.
  StringRef name = attr.getName();
  if ((name == "attn.manifest" || name == "attn.embedded_manifest") &&
      isa<ModuleOp>(op) && isa<StringAttr>(attr.getValue()))
    return success();
  if (name == "attn.embedded_panels" && isa<ModuleOp>(op) &&
      isa<DictionaryAttr>(attr.getValue()))
    return success();
  if (name == shortSumsInF32) {
    if (!addsF32ToF64(op))
      return op->emitOpError("expected '")
             << shortSumsInF32 << "' to be on a sum in f64 of f32";
    return success();
  }
  if (attr.getName() == "attn.sizes")
    return verifySizes(op, attr.getValue());
  if (attr.getName() == TargetAttr::attributeName) {
    if (!isa<ModuleOp>(op))
      return op->emitOpError("expected 'attn.target' to be on a module");
    if (!isa<TargetAttr>(attr.getValue()))
      return op->emitOpError("expected 'attn.target' to be a target, but got ")
             << attr.getValue();
    return success();
  }
  if (attr.getName() == "attn.plan") {
    // MLIR verifies attributes before the op, whose loops are read here.
    auto linalg = dyn_cast<linalg::LinalgOp>(op);
    if (linalg && (failed(op->getName().verifyInvariants(op)) ||
                   failed(op->getName().verifyRegionInvariants(op))))
      return failure();
    // A contraction that no kernel computes keeps its plan on buffers, too.
    if (!canBePlanned(op) &&
        !(linalg && linalg::isaContractionOpInterface(linalg)))
      return op->emitOpError("expected 'attn.plan' to be on an attention or a "
                             "contraction");
    if (!isa<PlanAttr>(attr.getValue()))
      return op->emitOpError("expected 'attn.plan' to be a plan, but got ")
             << attr.getValue();
    return success();
  }
  return op->emitOpError("has the unknown attribute '")
         << attr.getName().getValue() << "'";
}
