// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The conditions of ops on the values of operands; whether constants meet them.

#include "dialect/attn/OperandConditions.h"

#include "dialect/attn/VerifyShapes.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Matchers.h"

#include <limits>

using namespace mlir;
using namespace mixattn;

//===----------------------------------------------------------------------===//
// The conditions of ops
//===----------------------------------------------------------------------===//

static constexpr std::pair<ConditionKind, StringLiteral> kindNames[] = {
    {ConditionKind::Prior, "prior"},
    {ConditionKind::LogPrior, "log_prior"},
    {ConditionKind::Coordinates, "coordinates"},
    {ConditionKind::Windows, "windows"},
    {ConditionKind::NonEmpty, "nonempty"}};

StringRef mixattn::getName(ConditionKind kind) {
  return kindNames[static_cast<unsigned>(kind)].second;
}

std::optional<ConditionKind> mixattn::parseConditionKind(StringRef name) {
  for (auto [kind, known] : kindNames)
    if (name == known)
      return kind;
  return std::nullopt;
}

bool mixattn::isConditionOn(Attribute holds, Type type) {
  auto fields = dyn_cast<DictionaryAttr>(holds);
  auto name = fields ? fields.getAs<StringAttr>("kind") : StringAttr();
  std::optional<ConditionKind> kind =
      name ? parseConditionKind(name.getValue()) : std::nullopt;
  auto tensor = dyn_cast<ShapedType>(type);
  if (!kind || !tensor || !tensor.hasRank())
    return false;
  bool isPrior =
      kind == ConditionKind::Prior || kind == ConditionKind::LogPrior;
  bool hasExtents =
      kind == ConditionKind::Coordinates || kind == ConditionKind::Windows;
  if (fields.size() != (hasExtents ? 2 : 1))
    return false;
  if (isPrior)
    return isa<FloatType>(tensor.getElementType()) &&
           (tensor.getRank() == 2 || tensor.getRank() == 3);
  if (!hasExtents)
    return true;
  auto extents = fields.getAs<ArrayAttr>("extents");
  if (!extents || !tensor.getElementType().isSignlessInteger() ||
      tensor.getElementType().isInteger(1) || tensor.getRank() != 2)
    return false;
  int64_t columns = tensor.getDimSize(1), count = extents.size();
  bool fits = kind == ConditionKind::Windows ? columns == 3 && count == 1
                                             : columns == count;
  return fits && llvm::all_of(extents, [](Attribute extent) {
           if (auto dim = dyn_cast<StringAttr>(extent))
             return isIdentifier(dim.getValue());
           auto number = dyn_cast<IntegerAttr>(extent);
           return number && number.getType().isSignlessInteger(64) &&
                  number.getInt() >= 0;
         });
}

SmallVector<OperandCondition> mixattn::getOperandConditions(Operation *op) {
  SmallVector<OperandCondition> conditions;
  if (auto scored = dyn_cast<ScoreOpInterface>(op))
    if (Value prior = scored.getPrior())
      conditions.push_back({"prior", prior, ConditionKind::LogPrior});
  if (auto linear = dyn_cast<LinearAttentionOpInterface>(op))
    if (Value prior = linear.getPrior())
      conditions.push_back({"prior", prior, ConditionKind::Prior});
  if (auto pool = dyn_cast<StructuredPoolOp>(op)) {
    OperandDim rows{pool.getValue(), 2};
    if (Value windows = pool.getWindows())
      conditions.push_back(
          {"windows", windows, ConditionKind::Windows, {rows}});
    if (Value index = pool.getErrorIndex())
      conditions.push_back({"error_index",
                            index,
                            ConditionKind::Coordinates,
                            {pool.getHeadsDim(), rows, rows}});
  }
  if (auto update = dyn_cast<PriorUpdateOp>(op))
    conditions.push_back({"responsibilities", update.getResponsibilities(),
                          ConditionKind::NonEmpty});
  return conditions;
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

namespace {

/// Checks the elements of one constant operand.
class ConstantChecker {
public:
  ConstantChecker(Operation *op, const OperandCondition &condition,
                  DenseElementsAttr elements)
      : op(op), condition(condition), elements(elements),
        shape(elements.getType().getShape()) {}

  LogicalResult check() {
    switch (condition.kind) {
    case ConditionKind::Prior:
      return success(succeeded(checkSigns()) && succeeded(checkHeads(0.0)));
    case ConditionKind::LogPrior:
      return checkHeads(-std::numeric_limits<double>::infinity());
    case ConditionKind::Coordinates:
      return checkCoordinates();
    case ConditionKind::Windows:
      return checkWindows();
    case ConditionKind::NonEmpty:
      return success(); // The op's type says whether there are elements.
    }
    llvm_unreachable("all kinds are checked");
  }

private:
  InFlightDiagnostic expected() {
    return op->emitOpError("expected '") << condition.name << "' ";
  }
  double number(int64_t place) {
    return elements.getValues<APFloat>()[place].convertToDouble();
  }
  int64_t integer(int64_t row, int64_t column) {
    return elements.getValues<APInt>()[row * shape[1] + column].getSExtValue();
  }
  /// The bound of the indices in `column`; none where it is not static.
  std::optional<int64_t> extent(int64_t column) {
    int64_t size = condition.extents[column].size();
    return ShapedType::isDynamic(size) ? std::nullopt : std::optional(size);
  }

  LogicalResult checkSigns();
  LogicalResult checkHeads(double bound);
  LogicalResult checkIndex(int64_t row, int64_t column, int64_t extentOf);
  LogicalResult checkCoordinates();
  LogicalResult checkWindow(int64_t row);
  LogicalResult checkWindows();

  Operation *op;
  const OperandCondition &condition;
  DenseElementsAttr elements;
  ArrayRef<int64_t> shape;
};

} // namespace

LogicalResult ConstantChecker::checkSigns() {
  for (int64_t place = 0; place < elements.getNumElements(); ++place)
    if (!(number(place) >= 0.0))
      return expected() << "to hold values of 0 or more, but element " << place
                        << " is not";
  return success();
}

LogicalResult ConstantChecker::checkHeads(double bound) {
  int64_t size = shape[0] ? elements.getNumElements() / shape[0] : 0;
  for (int64_t head = 0; head < shape[0] && size != 0; ++head) {
    bool isAbove = false;
    for (int64_t place = head * size; place < (head + 1) * size; ++place)
      isAbove |= number(place) > bound;
    if (!isAbove)
      return expected() << "to hold a value above "
                        << (bound == 0.0 ? "0" : "-inf") << " for head " << head
                        << ", but got none";
  }
  return success();
}

/// Checks that an index is at least 0 and below an extent, where that is known.
LogicalResult ConstantChecker::checkIndex(int64_t row, int64_t column,
                                          int64_t extentOf) {
  int64_t index = integer(row, column), place = row * shape[1] + column;
  std::optional<int64_t> size = extent(extentOf);
  if (index >= 0 && (!size || index < *size))
    return success();
  if (size)
    return expected() << "to hold values from 0 to " << *size - 1
                      << ", but got " << index << " at element " << place;
  return expected() << "to hold values of 0 or more, but got " << index
                    << " at element " << place;
}

LogicalResult ConstantChecker::checkCoordinates() {
  for (int64_t row = 0; row < shape[0]; ++row) {
    bool isAbove = row == 0, isDecided = row == 0;
    for (int64_t column = 0; column < shape[1]; ++column) {
      if (failed(checkIndex(row, column, column)))
        return failure();
      if (isDecided)
        continue;
      int64_t last = integer(row - 1, column), next = integer(row, column);
      isAbove = next > last;
      isDecided = next != last;
    }
    if (!isAbove)
      return expected() << "to hold rows that ascend, but row " << row
                        << " is not above the row before";
  }
  return success();
}

/// Checks one window: (column, first row, length).
LogicalResult ConstantChecker::checkWindow(int64_t row) {
  if (failed(checkIndex(row, 0, 0)) || failed(checkIndex(row, 1, 0)))
    return failure();
  int64_t first = integer(row, 1), length = integer(row, 2);
  if (length < 1)
    return expected() << "to hold windows of 1 row or more, but got " << length
                      << " in row " << row;
  std::optional<int64_t> rows = extent(0);
  if (rows && length > *rows - first)
    return expected() << "to hold windows that end by row " << *rows - 1
                      << ", but that of row " << row << " does not";
  return success();
}

LogicalResult ConstantChecker::checkWindows() {
  for (int64_t row = 0; row < shape[0]; ++row) {
    if (failed(checkWindow(row)))
      return failure();
    int64_t first = integer(row, 1), length = integer(row, 2);
    for (int64_t other = 0; other < row; ++other) {
      int64_t begin = integer(other, 1), size = integer(other, 2);
      // Differences of numbers that are not negative cannot overflow.
      if (begin <= first ? first - begin < size : begin - first < length)
        return expected() << "to hold disjoint windows, but those of rows "
                          << other << " and " << row << " overlap";
    }
  }
  return success();
}

/// The elements of a constant: those in the text, or those in a resource that
/// is there. Null for any other value.
static DenseElementsAttr elementsOf(Value value) {
  Attribute constant;
  if (!matchPattern(value, m_Constant(&constant)))
    return {};
  auto resource = dyn_cast<DenseResourceElementsAttr>(constant);
  if (!resource)
    return dyn_cast<DenseElementsAttr>(constant);
  AsmResourceBlob *blob = resource.getRawHandle().getBlob();
  bool isSplat;
  if (!blob || !DenseElementsAttr::isValidRawBuffer(resource.getType(),
                                                    blob->getData(), isSplat))
    return {};
  return DenseElementsAttr::getFromRawBuffer(resource.getType(),
                                             blob->getData());
}

LogicalResult mixattn::verifyConstantOperands(Operation *op) {
  for (const OperandCondition &condition : getOperandConditions(op)) {
    DenseElementsAttr elements = elementsOf(condition.value);
    if (elements && failed(ConstantChecker(op, condition, elements).check()))
      return failure();
  }
  return success();
}
