// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// attn-check-allocations: entries report where memory cannot be had.

#include "lib/Runtime/abi.h"
#include "passes/Passes.h"
#include "passes/lower/EntryReport.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/SymbolTable.h"

namespace mixattn {
#define GEN_PASS_DEF_CHECKALLOCATIONSPASS
#include "passes/Passes.h.inc"
} // namespace mixattn

using namespace mlir;
using namespace mixattn;

/// The calls of `callee`, but those in a region that threads run: it has one
/// way out.
static SmallVector<LLVM::CallOp> callsOf(LLVM::LLVMFuncOp function,
                                         StringRef callee) {
  SmallVector<LLVM::CallOp> calls;
  function.walk([&](LLVM::CallOp call) {
    if (call.getCallee() == callee &&
        call->getParentRegion() == &function.getBody())
      calls.push_back(call);
  });
  return calls;
}

static Value isNull(ImplicitLocOpBuilder &b, Value pointer) {
  Value null = LLVM::ZeroOp::create(b, pointer.getType());
  return LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::eq, pointer, null);
}

/// A bound of the bytes that `size`, an i64 computed from sizes of tensors,
/// stands for, as f64: where the product does not fit 64 bits, `size` itself is
/// wrong. An element has 8 bytes at most.
static Value boundOf(ImplicitLocOpBuilder &b, Value size) {
  auto binary = [&](Operation *op) {
    return std::pair(boundOf(b, op->getOperand(0)),
                     boundOf(b, op->getOperand(1)));
  };
  if (auto product = size.getDefiningOp<LLVM::MulOp>()) {
    auto [left, right] = binary(product);
    return LLVM::FMulOp::create(b, left, right);
  }
  if (auto sum = size.getDefiningOp<LLVM::AddOp>()) {
    auto [left, right] = binary(sum);
    return LLVM::FAddOp::create(b, left, right);
  }
  // The size of n elements is the address of element n of an array at NULL.
  if (auto address = size.getDefiningOp<LLVM::PtrToIntOp>())
    if (auto element = address.getArg().getDefiningOp<LLVM::GEPOp>();
        element && element.getDynamicIndices().size() == 1) {
      Value bytes = LLVM::ConstantOp::create(b, b.getF64FloatAttr(8.0));
      return LLVM::FMulOp::create(
          b, boundOf(b, element.getDynamicIndices().front()), bytes);
    }
  return LLVM::SIToFPOp::create(b, b.getF64Type(), size);
}

/// Whether `size` stands for more bytes than any machine has.
static Value isTooLarge(ImplicitLocOpBuilder &b, Value size) {
  Value limit = LLVM::ConstantOp::create(b, b.getF64FloatAttr(0x1p62));
  return LLVM::FCmpOp::create(b, LLVM::FCmpPredicate::ogt, boundOf(b, size),
                              limit);
}

namespace {

/// Makes one kernel return 0, or 1 when an allocation fails; what it holds by
/// then is freed.
class KernelChecks {
public:
  explicit KernelChecks(LLVM::LLVMFuncOp kernel)
      : kernel(kernel), b(kernel.getLoc(), kernel.getContext()) {}

  void run();

private:
  /// A slot per allocation holds its address while it is not yet freed.
  void trackAllocations(ArrayRef<LLVM::CallOp> mallocs);
  Block *createFailure();
  Value i32(int32_t value) {
    return LLVM::ConstantOp::create(b, b.getI32IntegerAttr(value));
  }

  LLVM::LLVMFuncOp kernel;
  ImplicitLocOpBuilder b;
  SmallVector<Value> slots;
};

} // namespace

void KernelChecks::trackAllocations(ArrayRef<LLVM::CallOp> mallocs) {
  SmallVector<LLVM::CallOp> frees = callsOf(kernel, "free");
  if (frees.empty())
    return;
  // A free of a pointer that comes from elsewhere hides what is still held:
  // then a failure frees nothing.
  if (llvm::any_of(frees, [](LLVM::CallOp free) {
        auto from = free.getArgOperands()[0].getDefiningOp<LLVM::CallOp>();
        return !from || from.getCallee() != "malloc";
      }))
    return;
  Type ptr = LLVM::LLVMPointerType::get(b.getContext());
  DenseMap<Value, Value> slotOf;
  b.setInsertionPointToStart(&kernel.getBody().front());
  Value one = i32(1);
  Value null = LLVM::ZeroOp::create(b, ptr);
  for (LLVM::CallOp malloc : mallocs) {
    Value slot = LLVM::AllocaOp::create(b, ptr, ptr, one);
    LLVM::StoreOp::create(b, null, slot);
    slots.push_back(slot);
    slotOf[malloc.getResult()] = slot;
  }
  for (LLVM::CallOp malloc : mallocs) {
    b.setInsertionPointAfter(malloc);
    LLVM::StoreOp::create(b, malloc.getResult(), slotOf[malloc.getResult()]);
  }
  for (LLVM::CallOp free : frees) {
    b.setInsertionPointAfter(free);
    LLVM::StoreOp::create(b, LLVM::ZeroOp::create(b, ptr),
                          slotOf[free.getArgOperands()[0]]);
  }
}

Block *KernelChecks::createFailure() {
  Block *failure = b.createBlock(&kernel.getBody(), kernel.getBody().end());
  Type ptr = LLVM::LLVMPointerType::get(b.getContext());
  for (Value slot : slots) {
    Value held = LLVM::LoadOp::create(b, ptr, slot);
    LLVM::CallOp::create(b, TypeRange(), "free", held);
  }
  LLVM::ReturnOp::create(b, i32(1));
  return failure;
}

void KernelChecks::run() {
  SmallVector<LLVM::CallOp> mallocs = callsOf(kernel, "malloc");
  SmallVector<LLVM::ReturnOp> returns;
  kernel.walk([&](LLVM::ReturnOp op) { returns.push_back(op); });
  kernel.setFunctionType(LLVM::LLVMFunctionType::get(
      b.getI32Type(), kernel.getFunctionType().getParams()));
  for (LLVM::ReturnOp op : returns) {
    b.setInsertionPoint(op);
    op->setOperands(i32(0));
  }
  if (mallocs.empty())
    return;

  trackAllocations(mallocs);
  Block *failure = createFailure();
  for (LLVM::CallOp malloc : mallocs) {
    Block *before = malloc->getBlock();
    Block *after = before->splitBlock(malloc->getNextNode());
    b.setInsertionPointToEnd(before);
    Value fails =
        LLVM::OrOp::create(b, isNull(b, malloc.getResult()),
                           isTooLarge(b, malloc.getArgOperands().front()));
    LLVM::CondBrOp::create(b, fails, failure, after);
  }
}

/// Lets `wrapper` report what `kernel` returns.
static void reportFailure(LLVM::LLVMFuncOp wrapper, LLVM::LLVMFuncOp kernel,
                          LLVM::CallOp call) {
  ImplicitLocOpBuilder b(call.getLoc(), call);
  auto checked = LLVM::CallOp::create(b, kernel, call.getArgOperands());
  Block *before = call->getBlock();
  Block *after = before->splitBlock(call->getNextNode());
  Block *failure = b.createBlock(&wrapper.getBody(), wrapper.getBody().end());
  emitReport(b, wrapper->getParentOfType<ModuleOp>(),
             wrapper.getName() + ".memory", wrapper.getArgument(2),
             "expected memory for intermediate values, but got none");
  Value code =
      LLVM::ConstantOp::create(b, b.getI32IntegerAttr(MIXATTN_ERROR_MEMORY));
  LLVM::ReturnOp::create(b, code);
  b.setInsertionPointToEnd(before);
  Value zero = LLVM::ConstantOp::create(b, b.getI32IntegerAttr(0));
  Value done = LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::eq,
                                    checked.getResult(), zero);
  call.erase();
  LLVM::CondBrOp::create(b, done, after, failure);
}

namespace {

struct CheckAllocationsPass
    : mixattn::impl::CheckAllocationsPassBase<CheckAllocationsPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    for (auto kernel : module.getOps<LLVM::LLVMFuncOp>()) {
      StringRef name = kernel.getName();
      auto wrapper =
          name.consume_back(".kernel")
              ? module.lookupSymbol<LLVM::LLVMFuncOp>(("mixattn_" + name).str())
              : LLVM::LLVMFuncOp();
      if (!wrapper || wrapper.getNumArguments() != 3 || kernel.isExternal() ||
          !isa<LLVM::LLVMVoidType>(kernel.getFunctionType().getReturnType()))
        continue;
      KernelChecks(kernel).run();
      for (LLVM::CallOp call : callsOf(wrapper, kernel.getName()))
        reportFailure(wrapper, kernel, call);
    }
  }
};

} // namespace
