// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plans: how they are written, what holds of them, and where ops carry them.

#include "dialect/attn/Contraction.h"

#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace mixattn;

/// Where an op carries its plan.
static constexpr llvm::StringLiteral planName = "attn.plan";

static constexpr llvm::StringLiteral sizeNames[] = {"batch", "queries", "keys"};

PlanAttr mixattn::getPlan(Operation *op) {
  return op->getAttrOfType<PlanAttr>(planName);
}

void mixattn::setPlan(Operation *op, PlanAttr plan) {
  op->setDiscardableAttr(planName, plan);
}

bool mixattn::canBePlanned(Operation *op) {
  return isa<AttentionOpInterface, LinearAttentionOpInterface,
             StructuredPoolOp>(op) ||
         findContraction(op);
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static void print(AsmPrinter &printer,
                  const std::array<SizeRange, 3> &conditions) {
  bool isFirst = true;
  auto compare = [&](StringRef name, StringRef how, int64_t number) {
    printer << (isFirst ? "" : " and ") << name << how << number;
    isFirst = false;
  };
  for (auto [name, range] : llvm::zip(sizeNames, conditions)) {
    if (range.above >= 0)
      compare(name, " above ", range.above);
    if (range.atMost != SizeRange::unbounded)
      compare(name, " at_most ", range.atMost);
  }
  if (isFirst)
    printer << "else";
}

static void print(AsmPrinter &printer, const PlanCase &each) {
  print(printer, each.when);
  printer << " : " << each.algorithm.getValue();
  StringRef opening = " {";
  for (const PlanNumber &number : each.getNumbers()) {
    printer << opening << number.name.getValue() << " = " << number.value;
    opening = ", ";
  }
  if (opening == ", ")
    printer << "}";
}

void PlanAttr::print(AsmPrinter &printer) const {
  printer << "<[";
  llvm::interleaveComma(getCases(), printer,
                        [&](const PlanCase &each) { ::print(printer, each); });
  printer << "]>";
}

/// Reads `size at_most number` or `size above number` into `conditions`, where
/// no such comparison was before. Words, since the text of an attribute must
/// have as many `<` as `>`.
static ParseResult parseComparison(AsmParser &parser,
                                   std::array<SizeRange, 3> &conditions) {
  SMLoc place = parser.getCurrentLocation();
  StringRef name;
  if (parser.parseKeyword(&name))
    return failure();
  const auto *found = llvm::find(sizeNames, name);
  if (found == std::end(sizeNames))
    return parser.emitError(place, "expected batch, queries, keys or else, "
                                   "but got '")
           << name << "'";
  SizeRange &range = conditions[found - sizeNames];
  bool isUpper = succeeded(parser.parseOptionalKeyword("at_most"));
  if (!isUpper && parser.parseKeyword("above"))
    return failure();
  int64_t &bound = isUpper ? range.atMost : range.above;
  if (bound != (isUpper ? SizeRange::unbounded : -1))
    return parser.emitError(place, "expected one bound of each kind on '")
           << name << "'";
  SMLoc numberPlace = parser.getCurrentLocation();
  if (parser.parseInteger(bound))
    return failure();
  if (bound < 0 || bound == SizeRange::unbounded || range.above >= range.atMost)
    return parser.emitError(numberPlace,
                            "expected conditions that some size meets, but "
                            "got ")
           << bound << " as bound of '" << name << "'";
  return success();
}

static ParseResult parseNumbers(AsmParser &parser, PlanCase &result) {
  auto parseOne = [&]() -> ParseResult {
    SMLoc place = parser.getCurrentLocation();
    StringRef name;
    if (parser.parseKeyword(&name))
      return failure();
    auto attr = StringAttr::get(parser.getContext(), name);
    if (result.get(name))
      return parser.emitError(place, "expected one '") << name << "'";
    if (result.getNumbers().size() == PlanCase::mostNumbers)
      return parser.emitError(place, "expected no more than ")
             << PlanCase::mostNumbers << " numbers of a plan";
    int64_t number;
    SMLoc numberPlace;
    if (parser.parseEqual() || parser.getCurrentLocation(&numberPlace) ||
        parser.parseInteger(number))
      return failure();
    if (number <= 0)
      return parser.emitError(numberPlace, "expected a positive '")
             << name << "', but got " << number;
    result.set(attr, number);
    return success();
  };
  if (failed(parser.parseOptionalLBrace()))
    return success();
  return failure(parser.parseCommaSeparatedList(parseOne) ||
                 parser.parseRBrace());
}

static ParseResult parseCase(AsmParser &parser, PlanCase &result) {
  if (failed(parser.parseOptionalKeyword("else"))) {
    do {
      if (parseComparison(parser, result.when))
        return failure();
    } while (succeeded(parser.parseOptionalKeyword("and")));
  }
  StringRef name;
  if (parser.parseColon())
    return failure();
  if (parser.parseKeyword(&name))
    return failure();
  result.algorithm = StringAttr::get(parser.getContext(), name);
  return parseNumbers(parser, result);
}

Attribute PlanAttr::parse(AsmParser &parser, Type) {
  SmallVector<PlanCase> cases;
  auto parseOne = [&] { return parseCase(parser, cases.emplace_back()); };
  SMLoc place = parser.getCurrentLocation();
  if (parser.parseLess() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseOne) ||
      parser.parseGreater())
    return {};
  return parser.getChecked<PlanAttr>(place, parser.getContext(),
                                     ArrayRef<PlanCase>(cases));
}

//===----------------------------------------------------------------------===//
// Verifier
//===----------------------------------------------------------------------===//

LogicalResult PlanAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               ArrayRef<PlanCase> cases) {
  if (cases.empty() || cases.size() > mostPlanCases)
    return emitError() << "expected 1 to " << mostPlanCases
                       << " cases, but got " << cases.size();
  for (const PlanCase &each : cases) {
    bool isLast = &each == &cases.back();
    if (each.isUnconditional() != isLast)
      return emitError() << "expected conditions on all cases but the last";
  }
  return success();
}
