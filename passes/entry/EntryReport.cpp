// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Emits the code that tells a caller why an entry failed.

#include "passes/entry/EntryReport.h"

#include "mlir/Dialect/LLVMIR/FunctionCallUtils.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace mixattn;

/// A constant of i64: 0.
static LLVM::GlobalOp getOrCreateZero(ImplicitLocOpBuilder &b) {
  constexpr StringLiteral name = "mixattn.zero";
  auto module = b.getBlock()->getParentOp()->getParentOfType<ModuleOp>();
  if (auto zero = module.lookupSymbol<LLVM::GlobalOp>(name))
    return zero;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(module.getBody());
  return LLVM::GlobalOp::create(b, b.getI64Type(), /*isConstant=*/true,
                                LLVM::Linkage::Internal, name,
                                b.getI64IntegerAttr(0));
}

Value mixattn::emitLoad(ImplicitLocOpBuilder &b, Value call, CallField field) {
  Type ptr = LLVM::LLVMPointerType::get(b.getContext());
  Type i32 = b.getI32Type(), i64 = b.getI64Type();
  bool isSize = field == CallField::WorkspaceBytes ||
                field == CallField::MessageSize ||
                field == CallField::PackedBytes;
  // What is not there is read from a zero.
  Value zero = LLVM::AddressOfOp::create(b, getOrCreateZero(b));
  Value hasCall = LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::ne, call,
                                       Value(LLVM::ZeroOp::create(b, ptr)));
  Value size = LLVM::LoadOp::create(
      b, i32, LLVM::SelectOp::create(b, hasCall, call, zero));
  // Fields but the first are of 8 bytes each.
  constexpr int32_t bytes = 8;
  int32_t place = static_cast<int32_t>(field) * bytes;
  Value end = LLVM::ConstantOp::create(b, b.getI32IntegerAttr(place + bytes));
  Value isThere = LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::uge, size, end);
  Value address = LLVM::GEPOp::create(b, ptr, b.getI8Type(), call,
                                      ArrayRef<LLVM::GEPArg>{place});
  return LLVM::LoadOp::create(
      b, isSize ? i64 : ptr, LLVM::SelectOp::create(b, isThere, address, zero));
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
  Block *write = b.createBlock(&report.getBody());
  Block *done = b.createBlock(&report.getBody());
  b.setInsertionPointToEnd(entry);
  Value message = emitLoad(b, report.getArgument(0), CallField::Message);
  Value none = LLVM::ZeroOp::create(b, ptr);
  LLVM::CondBrOp::create(
      b, LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::eq, message, none), done,
      write);
  b.setInsertionPointToEnd(write);
  Value size = emitLoad(b, report.getArgument(0), CallField::MessageSize);
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
