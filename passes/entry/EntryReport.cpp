// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Emits the code that tells a caller why an entry failed.

#include "passes/entry/EntryReport.h"

#include "mlir/Dialect/LLVMIR/FunctionCallUtils.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace mixattn;

/// mixattn_call of lib/Runtime/abi.h.
static LLVM::LLVMStructType callType(OpBuilder &b) {
  Type ptr = LLVM::LLVMPointerType::get(b.getContext());
  return LLVM::LLVMStructType::getLiteral(
      b.getContext(),
      {b.getI32Type(), ptr, ptr, b.getI64Type(), ptr, b.getI64Type()});
}

/// The function that writes a message: does nothing where the caller wants
/// none, else calls snprintf.
static LLVM::LLVMFuncOp getOrCreateReport(ModuleOp module) {
  constexpr StringLiteral name = "mixattn.report";
  if (auto report = module.lookupSymbol<LLVM::LLVMFuncOp>(name))
    return report;
  ImplicitLocOpBuilder b(module.getLoc(), module.getBodyRegion());
  b.setInsertionPointToStart(module.getBody());
  Type ptr = LLVM::LLVMPointerType::get(b.getContext());
  Type i64 = b.getI64Type();
  auto printType =
      LLVM::LLVMFunctionType::get(b.getI32Type(), {ptr, i64, ptr}, true);
  auto print = LLVM::LLVMFuncOp::create(b, "snprintf", printType);
  auto type = LLVM::LLVMFunctionType::get(
      LLVM::LLVMVoidType::get(b.getContext()), {ptr, ptr, ptr, i64, i64, i64});
  auto report =
      LLVM::LLVMFuncOp::create(b, name, type, LLVM::Linkage::Internal);

  Block *entry = report.addEntryBlock(b);
  Block *wanted = b.createBlock(&report.getBody());
  Block *write = b.createBlock(&report.getBody());
  Block *done = b.createBlock(&report.getBody());
  auto isNull = [&](Value pointer) {
    Value null = LLVM::ZeroOp::create(b, ptr);
    return LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::eq, pointer, null);
  };
  auto load = [&](int32_t field, Type type) {
    Value address =
        LLVM::GEPOp::create(b, ptr, callType(b), report.getArgument(0),
                            ArrayRef<LLVM::GEPArg>{0, field});
    return LLVM::LoadOp::create(b, type, address);
  };
  b.setInsertionPointToEnd(entry);
  LLVM::CondBrOp::create(b, isNull(report.getArgument(0)), done, wanted);
  b.setInsertionPointToEnd(wanted);
  Value message = load(4, ptr);
  LLVM::CondBrOp::create(b, isNull(message), done, write);
  b.setInsertionPointToEnd(write);
  Value size = load(5, i64);
  LLVM::CallOp::create(b, print,
                       ValueRange{message, size, report.getArgument(1),
                                  report.getArgument(2), report.getArgument(3),
                                  report.getArgument(4),
                                  report.getArgument(5)});
  LLVM::BrOp::create(b, done);
  b.setInsertionPointToEnd(done);
  LLVM::ReturnOp::create(b, ValueRange());
  return report;
}

Value mixattn::emitText(ImplicitLocOpBuilder &b, const Twine &name,
                        const Twine &text) {
  std::string bytes = text.str();
  bytes.push_back('\0');
  return LLVM::createGlobalString(b.getLoc(), b, name.str(), bytes,
                                  LLVM::Linkage::Internal);
}

void mixattn::emitReport(ImplicitLocOpBuilder &b, ModuleOp module,
                         const Twine &name, Value call, Value title,
                         const Twine &format, ValueRange numbers) {
  assert(numbers.size() <= 3 && "the report takes three numbers");
  LLVM::LLVMFuncOp report = getOrCreateReport(module);
  SmallVector<Value> operands = {
      call, emitText(b, name, (title ? "%s: " : "%s") + format)};
  operands.push_back(title ? title : emitText(b, name + ".untitled", ""));
  llvm::append_range(operands, numbers);
  while (operands.size() < report.getNumArguments())
    operands.push_back(LLVM::ConstantOp::create(b, b.getI64IntegerAttr(0)));
  LLVM::CallOp::create(b, report, operands);
}
