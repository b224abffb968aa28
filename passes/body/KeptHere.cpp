// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Keeps a kernel from computing values long before they are used.

#include "passes/body/KeptHere.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace mixattn;

/// `text`, with a result of `type` where there is one.
static LLVM::InlineAsmOp emitText(ImplicitLocOpBuilder &b, Type type,
                                  ValueRange operands, StringRef text,
                                  StringRef constraints) {
  return LLVM::InlineAsmOp::create(
      b, type, operands, text, constraints, /*has_side_effects=*/true,
      /*is_align_stack=*/false, LLVM::tailcallkind::TailCallKind::None,
      LLVM::AsmDialectAttr::get(b.getContext(), LLVM::AsmDialect::AD_ATT),
      /*operand_attrs=*/ArrayAttr());
}

Value mixattn::keptHere(ImplicitLocOpBuilder &b, Value value) {
  Type type = value.getType();
  if (type.isIndex())
    return arith::IndexCastOp::create(
        b, type,
        keptHere(b, arith::IndexCastOp::create(b, b.getI32Type(), value)));
  bool isWide = type.isInteger(64);
  return emitText(b, type, value,
                  isWide ? "mov.b64 $0, $1;" : "mov.b32 $0, $1;",
                  isWide ? "=l,l" : "=r,r")
      .getRes();
}

void mixattn::keepLoadsAfter(ImplicitLocOpBuilder &b) {
  emitText(b, Type(), ValueRange(), neverTaken(""), "");
}

std::string mixattn::neverTaken(StringRef code) {
  return ("{ .reg .pred p; .reg .b32 r; mov.u32 r, %nctaid.x; "
          "setp.ne.u32 p, r, 0; @p bra.uni BEHIND; nanosleep.u32 0; " +
          code + "BEHIND: }")
      .str();
}
