// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One attention op with the clauses of another.

#include "dialect/attn/CopyClauses.h"

using namespace mlir;
using namespace mixattn;

Operation *mixattn::detail::createWithClauses(
    OpBuilder &b, AttentionOpInterface from, StringRef name,
    ArrayRef<llvm::StringLiteral> operandNames, ArrayRef<StringRef> without) {
  OperationState state(from->getLoc(), name);
  NamedOperands given = from.getNamedOperands();
  for (auto [operand, value] : given)
    if (!llvm::is_contained(operandNames, operand) &&
        !llvm::is_contained(without, operand))
      llvm::report_fatal_error(name + " has no operand '" + operand + "'");
  SmallVector<int32_t> segments;
  for (StringRef operand : operandNames) {
    Value value = given[operand];
    segments.push_back(value ? 1 : 0);
    if (value)
      state.addOperands(value);
  }
  state.addTypes(from->getResultTypes());
  for (StringAttr attribute : state.name.getAttributeNames())
    if (Attribute value =
            from->getInherentAttr(attribute).value_or(Attribute()))
      state.addAttribute(attribute, value);
  // How many values each operand and each result stands for.
  state.addAttribute("operandSegmentSizes", b.getDenseI32ArrayAttr(segments));
  state.addAttribute("resultSegmentSizes",
                     *from->getInherentAttr("resultSegmentSizes"));
  state.attributes.append(from->getDiscardableAttrs().begin(),
                          from->getDiscardableAttrs().end());
  state.addRegion()->takeBody(from.getScoreMod());
  return b.create(state);
}
