// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// attn-check-allocations: entries report where memory cannot be had.

#include "lib/Runtime/abi.h"
#include "passes/Passes.h"
#include "passes/entry/EntryReport.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/StringSet.h"

namespace mixattn {
#define GEN_PASS_DEF_CHECKALLOCATIONSPASS
#include "passes/Passes.h.inc"
} // namespace mixattn

using namespace mlir;
using namespace mixattn;

/// The calls of `callees`, but those in a region that threads run: it has one
/// way out.
static SmallVector<LLVM::CallOp> callsOf(LLVM::LLVMFuncOp function,
                                         const llvm::StringSet<> &callees) {
  SmallVector<LLVM::CallOp> calls;
  function.walk([&](LLVM::CallOp call) {
    if (call.getCallee() && callees.contains(*call.getCallee()) &&
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
  if (auto larger = size.getDefiningOp<LLVM::SMaxOp>()) {
    auto [left, right] = binary(larger);
    return LLVM::MaxNumOp::create(b, left, right);
  }
  // Sizes are no less than 0, and divided by 1 or more.
  if (size.getDefiningOp<LLVM::SubOp>() || size.getDefiningOp<LLVM::UDivOp>())
    return boundOf(b, size.getDefiningOp()->getOperand(0));
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

/// Makes one kernel return 0, or 1 when an allocation fails, its own or one of
/// a function that it shares; what it holds by then is freed.
class KernelChecks {
public:
  explicit KernelChecks(LLVM::LLVMFuncOp kernel)
      : kernel(kernel), b(kernel.getLoc(), kernel.getContext()) {}

  /// `checked` names functions that themselves return 0 or 1.
  void run(const llvm::StringSet<> &checked);

private:
  /// A slot per allocation holds its address while it is not yet freed. All
  /// are one array, which the failure walks over: single variables would meet
  /// in a failure of as many values from as many places.
  void trackAllocations(ArrayRef<LLVM::CallOp> mallocs);
  Block *createFailure();
  /// Branches to `failure` after `op` where `fails` holds.
  void leaveBehind(Operation *op, Value fails, Block *failure);
  Value slot(int32_t place) {
    Type ptr = LLVM::LLVMPointerType::get(b.getContext());
    return LLVM::GEPOp::create(b, ptr, ptr, held, LLVM::GEPArg(place));
  }
  Value i32(int32_t value) {
    return LLVM::ConstantOp::create(b, b.getI32IntegerAttr(value));
  }

  LLVM::LLVMFuncOp kernel;
  ImplicitLocOpBuilder b;
  /// The array of slots, if there is one.
  Value held;
  int32_t count = 0;
};

} // namespace

void KernelChecks::trackAllocations(ArrayRef<LLVM::CallOp> mallocs) {
  SmallVector<LLVM::CallOp> frees = callsOf(kernel, {{"free"}});
  if (frees.empty())
    return;
  // A free of a pointer that comes from elsewhere hides what is still held:
  // then a failure frees nothing.
  if (llvm::any_of(frees, [](LLVM::CallOp free) {
        auto from = free.getArgOperands()[0].getDefiningOp<LLVM::CallOp>();
        return !from || from.getCallee() != "malloc";
      }))
    return;
  b.setInsertionPointToStart(&kernel.getBody().front());
  count = mallocs.size();
  Type ptr = LLVM::LLVMPointerType::get(b.getContext());
  held = LLVM::AllocaOp::create(b, ptr, LLVM::LLVMArrayType::get(ptr, count),
                                i32(1));
  constexpr int64_t pointerBytes = 8;
  Value byte = LLVM::ConstantOp::create(b, b.getI8IntegerAttr(0));
  Value bytes =
      LLVM::ConstantOp::create(b, b.getI64IntegerAttr(count * pointerBytes));
  LLVM::MemsetOp::create(b, held, byte, bytes, /*isVolatile=*/false);
  DenseMap<Value, int32_t> places;
  for (auto [place, malloc] : llvm::enumerate(mallocs)) {
    Value address = malloc->getResult(0);
    b.setInsertionPointAfter(malloc);
    LLVM::StoreOp::create(b, address, slot(place));
    places[address] = place;
  }
  for (LLVM::CallOp free : frees) {
    b.setInsertionPointAfter(free);
    Value none = LLVM::ZeroOp::create(b, ptr);
    LLVM::StoreOp::create(b, none,
                          slot(places.lookup(free.getArgOperands()[0])));
  }
}

Block *KernelChecks::createFailure() {
  Region &body = kernel.getBody();
  Block *failure = b.createBlock(&body, body.end());
  if (held) {
    Block *each = b.createBlock(&body, body.end(), b.getI32Type(), b.getLoc());
    Value place = each->getArgument(0);
    Type ptr = LLVM::LLVMPointerType::get(b.getContext());
    Value address = LLVM::LoadOp::create(
        b, ptr, LLVM::GEPOp::create(b, ptr, ptr, held, place));
    LLVM::CallOp::create(b, TypeRange(), "free", address);
    Value next = LLVM::AddOp::create(b, place, i32(1));
    Value isLast =
        LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::eq, next, i32(count));
    Block *done = b.createBlock(&body, body.end());
    b.setInsertionPointToEnd(each);
    LLVM::CondBrOp::create(b, isLast, done, ValueRange(), each, next);
    b.setInsertionPointToEnd(failure);
    LLVM::BrOp::create(b, i32(0), each);
    b.setInsertionPointToEnd(done);
  }
  LLVM::ReturnOp::create(b, i32(1));
  return failure;
}

void KernelChecks::leaveBehind(Operation *op, Value fails, Block *failure) {
  Block *before = op->getBlock();
  Block *after = before->splitBlock(fails.getDefiningOp()->getNextNode());
  b.setInsertionPointToEnd(before);
  LLVM::CondBrOp::create(b, fails, failure, after);
}

void KernelChecks::run(const llvm::StringSet<> &checked) {
  SmallVector<LLVM::CallOp> mallocs = callsOf(kernel, {{"malloc"}});
  SmallVector<LLVM::CallOp> calls = callsOf(kernel, checked);
  SmallVector<LLVM::ReturnOp> returns;
  kernel.walk([&](LLVM::ReturnOp op) { returns.push_back(op); });
  kernel.setFunctionType(LLVM::LLVMFunctionType::get(
      b.getI32Type(), kernel.getFunctionType().getParams()));
  for (LLVM::ReturnOp op : returns) {
    b.setInsertionPoint(op);
    op->setOperands(i32(0));
  }
  if (mallocs.empty() && calls.empty())
    return;

  trackAllocations(mallocs);
  Block *failure = createFailure();
  for (LLVM::CallOp malloc : mallocs) {
    b.setInsertionPointAfter(malloc);
    Value fails =
        LLVM::OrOp::create(b, isNull(b, malloc.getResult()),
                           isTooLarge(b, malloc.getArgOperands().front()));
    leaveBehind(malloc, fails, failure);
  }
  for (LLVM::CallOp call : calls) {
    b.setInsertionPointAfter(call);
    auto again = LLVM::CallOp::create(b, b.getI32Type(), *call.getCallee(),
                                      call.getArgOperands());
    Value fails = LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::ne,
                                       again.getResult(), i32(0));
    leaveBehind(again, fails, failure);
    call.erase();
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
             /*title=*/Value(),
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
  /// Makes `function`, which is no kernel itself, return whether it failed if
  /// it or one that it calls allocates, and adds it to `checked`.
  void checkShared(LLVM::LLVMFuncOp function, llvm::StringSet<> &checked) {
    if (function.getLinkage() != LLVM::Linkage::Internal ||
        function.isExternal() || function.getName().ends_with(".kernel") ||
        !seen.insert(function.getName()).second)
      return;
    bool calls = false;
    for (LLVM::CallOp call :
         llvm::to_vector(function.getBody().getOps<LLVM::CallOp>())) {
      auto callee =
          call.getCallee()
              ? getOperation().lookupSymbol<LLVM::LLVMFuncOp>(*call.getCallee())
              : LLVM::LLVMFuncOp();
      if (!callee)
        continue;
      checkShared(callee, checked);
      calls |= checked.contains(callee.getName());
    }
    if (!calls && callsOf(function, {{"malloc"}}).empty())
      return;
    KernelChecks(function).run(checked);
    checked.insert(function.getName());
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    // Functions that kernels share come first: they fail, too.
    llvm::StringSet<> checked;
    for (auto function : module.getOps<LLVM::LLVMFuncOp>())
      checkShared(function, checked);
    for (auto kernel : module.getOps<LLVM::LLVMFuncOp>()) {
      StringRef name = kernel.getName();
      auto wrapper =
          name.consume_back(".kernel")
              ? module.lookupSymbol<LLVM::LLVMFuncOp>(("mixattn_" + name).str())
              : LLVM::LLVMFuncOp();
      if (!wrapper || wrapper.getNumArguments() != 3 || kernel.isExternal() ||
          !isa<LLVM::LLVMVoidType>(kernel.getFunctionType().getReturnType()))
        continue;
      KernelChecks(kernel).run(checked);
      for (LLVM::CallOp call : callsOf(wrapper, {{kernel.getName()}}))
        reportFailure(wrapper, kernel, call);
    }
  }

  llvm::StringSet<> seen;
};

} // namespace
