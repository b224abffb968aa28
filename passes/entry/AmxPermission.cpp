// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Asks Linux for AMX, and remembers what it said.

#include "passes/entry/AmxPermission.h"

#include "dialect/tile/TileOps.h"
#include "passes/target/CpuModel.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace mixattn;

bool mixattn::usesAmx(ModuleOp module) {
  CpuModel cpu = describeCpuOf(module);
  if (!cpu.hasAmx || cpu.emulatesAmx)
    return false;
  return module
      .walk([](tile::ProductOp product) {
        return product.getAmx() ? WalkResult::interrupt()
                                : WalkResult::advance();
      })
      .wasInterrupted();
}

/// The answer of the system: none yet, yes, or no.
enum Answer : int32_t { Unknown, Granted, Refused };

/// The function that gives the answer. Threads that ask at the same time get
/// the same one.
static LLVM::LLVMFuncOp getOrCreateQuestion(ModuleOp module) {
  constexpr StringLiteral name = "mixattn.may_use_amx";
  if (auto question = module.lookupSymbol<LLVM::LLVMFuncOp>(name))
    return question;
  ImplicitLocOpBuilder b(module.getLoc(), module.getBodyRegion());
  b.setInsertionPointToStart(module.getBody());
  Type i32 = b.getI32Type(), i64 = b.getI64Type();
  auto answer = LLVM::GlobalOp::create(
      b, i32, /*isConstant=*/false, LLVM::Linkage::Internal,
      "mixattn.may_use_amx.answer", b.getI32IntegerAttr(Unknown));
  auto systemCall = LLVM::LLVMFuncOp::create(
      b, "syscall", LLVM::LLVMFunctionType::get(i64, i64, /*isVarArg=*/true));
  auto question = LLVM::LLVMFuncOp::create(
      b, name, LLVM::LLVMFunctionType::get(i32, {}), LLVM::Linkage::Internal);
  Block *entry = question.addEntryBlock(b);
  Block *ask = b.createBlock(&question.getBody());
  Block *done = b.createBlock(&question.getBody());
  done->addArgument(i32, b.getLoc());
  auto number = [&](Type type, int64_t value) -> Value {
    return LLVM::ConstantOp::create(b, b.getIntegerAttr(type, value));
  };
  auto isSame = [&](Value value, Value other) -> Value {
    return LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::eq, value, other);
  };
  constexpr unsigned alignment = 4;
  b.setInsertionPointToEnd(entry);
  Value place = LLVM::AddressOfOp::create(b, answer);
  Value known = LLVM::LoadOp::create(
      b, i32, place, alignment, /*isVolatile=*/false, /*isNonTemporal=*/false,
      /*isInvariant=*/false, /*isInvariantGroup=*/false,
      LLVM::AtomicOrdering::monotonic);
  LLVM::CondBrOp::create(b, isSame(known, number(i32, Unknown)), ask,
                         ValueRange(), done, ValueRange{known});
  b.setInsertionPointToEnd(ask);
  // asm/unistd_64.h, asm/prctl.h; the component of the tiles' data.
  constexpr int64_t archPrctl = 158, requestPermission = 0x1023, tileData = 18;
  Value status = LLVM::CallOp::create(b, systemCall,
                                      ValueRange{number(i64, archPrctl),
                                                 number(i64, requestPermission),
                                                 number(i64, tileData)})
                     .getResult();
  Value said =
      LLVM::SelectOp::create(b, isSame(status, number(i64, 0)),
                             number(i32, Granted), number(i32, Refused));
  LLVM::StoreOp::create(b, said, place, alignment, /*isVolatile=*/false,
                        /*isNonTemporal=*/false, /*isInvariantGroup=*/false,
                        LLVM::AtomicOrdering::monotonic);
  LLVM::BrOp::create(b, ValueRange{said}, done);
  b.setInsertionPointToEnd(done);
  LLVM::ReturnOp::create(b, done->getArgument(0));
  return question;
}

Value mixattn::emitMayUseAmx(ImplicitLocOpBuilder &b, ModuleOp module) {
  Value answer =
      LLVM::CallOp::create(b, getOrCreateQuestion(module), ValueRange())
          .getResult();
  Value granted = LLVM::ConstantOp::create(b, b.getI32IntegerAttr(Granted));
  return LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::eq, answer, granted);
}
