// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// attn-profile-kernels: kernels tell the host when they begin and end.

#include "lib/Runtime/abi.h"
#include "passes/Passes.h"
#include "passes/entry/ManifestText.h"
#include "passes/lower/x86/Threads.h"
#include "passes/profile/KernelMark.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/OpenMP/OpenMPDialect.h"
#include "mlir/IR/BuiltinOps.h"

namespace mixattn {
#define GEN_PASS_DEF_PROFILEKERNELSPASS
#include "passes/Passes.h.inc"
} // namespace mixattn

using namespace mlir;
using namespace mixattn;
using llvm::json::Array;
using llvm::json::Object;

static Value emitClock(ImplicitLocOpBuilder &b) {
  return LLVM::CallIntrinsicOp::create(b, b.getI64Type(),
                                       b.getStringAttr("llvm.readcyclecounter"),
                                       ValueRange())
      .getResults();
}

/// The symbol by which the host gives room for events.
static LLVM::GlobalOp makePointer(ModuleOp module, StringRef firstEntry) {
  ImplicitLocOpBuilder b(module.getLoc(), module.getBodyRegion());
  Type ptr = LLVM::LLVMPointerType::get(b.getContext());
  auto global = LLVM::GlobalOp::create(
      b, ptr, /*isConstant=*/false, LLVM::Linkage::External,
      ("mixattn_profile_of_" + firstEntry).str(), Attribute());
  b.createBlock(&global.getInitializerRegion());
  LLVM::ReturnOp::create(b, LLVM::ZeroOp::create(b, ptr));
  return global;
}

/// The function that records an event: its number, its thread, and when it
/// began. It has ended now.
static LLVM::LLVMFuncOp makeRecord(ModuleOp module, LLVM::GlobalOp pointer) {
  ImplicitLocOpBuilder b(module.getLoc(), module.getBodyRegion());
  Type ptr = LLVM::LLVMPointerType::get(b.getContext());
  Type i32 = b.getI32Type(), i64 = b.getI64Type();
  // mixattn_profile and mixattn_event of lib/Runtime/abi.h.
  auto profileType =
      LLVM::LLVMStructType::getLiteral(b.getContext(), {i64, i64, ptr});
  auto eventType =
      LLVM::LLVMStructType::getLiteral(b.getContext(), {i64, i64, i32, i32});
  auto type = LLVM::LLVMFunctionType::get(
      LLVM::LLVMVoidType::get(b.getContext()), {i32, i32, i64});
  auto record = LLVM::LLVMFuncOp::create(b, "mixattn.record", type,
                                         LLVM::Linkage::Internal);
  record.setNoInline(true);

  Block *begin = record.addEntryBlock(b);
  Block *wanted = b.createBlock(&record.getBody());
  Block *write = b.createBlock(&record.getBody());
  Block *done = b.createBlock(&record.getBody());
  b.setInsertionPointToEnd(begin);
  Value end = emitClock(b);
  Value profile =
      LLVM::LoadOp::create(b, ptr, LLVM::AddressOfOp::create(b, pointer));
  Value null = LLVM::ZeroOp::create(b, ptr);
  Value isWanted =
      LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::ne, profile, null);
  LLVM::CondBrOp::create(b, isWanted, wanted, done);

  b.setInsertionPointToEnd(wanted);
  auto field = [&](Type type, Value of, int32_t index) -> Value {
    return LLVM::GEPOp::create(b, ptr, type, of,
                               ArrayRef<LLVM::GEPArg>{0, index});
  };
  Value one = LLVM::ConstantOp::create(b, b.getI64IntegerAttr(1));
  Value place = LLVM::AtomicRMWOp::create(b, LLVM::AtomicBinOp::add,
                                          field(profileType, profile, 1), one,
                                          LLVM::AtomicOrdering::monotonic);
  Value capacity = LLVM::LoadOp::create(b, i64, field(profileType, profile, 0));
  Value hasRoom =
      LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::ult, place, capacity);
  LLVM::CondBrOp::create(b, hasRoom, write, done);

  b.setInsertionPointToEnd(write);
  Value events = LLVM::LoadOp::create(b, ptr, field(profileType, profile, 2));
  Value event = LLVM::GEPOp::create(b, ptr, eventType, events,
                                    ArrayRef<LLVM::GEPArg>{place});
  Value values[] = {record.getArgument(2), end, record.getArgument(0),
                    record.getArgument(1)};
  for (auto [index, value] : llvm::enumerate(values))
    LLVM::StoreOp::create(b, value, field(eventType, event, index));
  LLVM::BrOp::create(b, done);
  b.setInsertionPointToEnd(done);
  LLVM::ReturnOp::create(b, ValueRange());
  return record;
}

namespace {

/// Measures the kernels of entries and of the functions that they share.
class Profiler {
public:
  Profiler(ModuleOp module, LLVM::LLVMFuncOp record);

  /// Measures what `function` holds and calls; gives the kernel and the stage
  /// of each event, whose numbers begin at `first`, or where `function` is
  /// private at an argument that it gets.
  SmallVector<KernelMark> measure(func::FuncOp function, int64_t first = 0);

  /// Whether calls are all that is made of `function`, so that it may get an
  /// argument.
  bool isShared(func::FuncOp function) const {
    return function && !function.isExternal() && !function.isPublic() &&
           !fixed.contains(function.getSymNameAttr());
  }

private:
  func::FuncOp calleeOf(func::CallOp call) {
    return module.lookupSymbol<func::FuncOp>(call.getCallee());
  }
  Value emitFirst(func::FuncOp function, int64_t first);
  SmallVector<KernelMark> measureCall(func::CallOp call, Value number);
  void bracket(Operation *op, Value number);
  void emitRecord(ImplicitLocOpBuilder &b, Value number, Value thread,
                  Value begin) {
    LLVM::CallOp::create(b, record, ValueRange{number, thread, begin});
  }

  ModuleOp module;
  LLVM::LLVMFuncOp record;
  /// Functions whose type others know.
  llvm::DenseSet<Attribute> fixed;
  /// Those of functions that are measured; none yet of one that calls itself.
  llvm::DenseMap<Operation *, SmallVector<KernelMark>> known;
};

} // namespace

Profiler::Profiler(ModuleOp module, LLVM::LLVMFuncOp record)
    : module(module), record(record) {
  std::optional<SymbolTable::UseRange> uses =
      SymbolTable::getSymbolUses(&module.getBodyRegion());
  if (uses)
    for (const SymbolTable::SymbolUse &use : *uses)
      if (!isa<func::CallOp>(use.getUser()))
        fixed.insert(use.getSymbolRef().getRootReference());
}

/// The mark of `op` if time is taken of it.
static std::optional<KernelMark> findMeasured(Operation *op) {
  if (!isa<omp::ParallelOp, linalg::LinalgOp, memref::CopyOp>(op))
    return std::nullopt;
  std::optional<KernelMark> mark = findMark(op->getLoc());
  if (mark && mark->stage.empty())
    mark->stage = isa<memref::CopyOp>(op)     ? "copy"
                  : isa<linalg::LinalgOp>(op) ? "plain"
                                              : "grid";
  return mark;
}

Value Profiler::emitFirst(func::FuncOp function, int64_t first) {
  if (isShared(function)) {
    unsigned place = function.getNumArguments();
    Type i32 = IntegerType::get(function.getContext(), 32);
    [[maybe_unused]] LogicalResult added = function.insertArgument(
        place, i32, DictionaryAttr(), function.getLoc());
    assert(succeeded(added) && "functions take any argument");
    return function.getArgument(place);
  }
  ImplicitLocOpBuilder b(function.getLoc(), function.getContext());
  b.setInsertionPointToStart(&function.getBody().front());
  return arith::ConstantOp::create(b, b.getI32IntegerAttr(first));
}

SmallVector<KernelMark> Profiler::measure(func::FuncOp function,
                                          int64_t first) {
  auto [place, isNew] = known.insert({function, {}});
  if (!isNew)
    return place->second;
  SmallVector<Operation *> found;
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    auto call = dyn_cast<func::CallOp>(op);
    if (call ? isShared(calleeOf(call)) : findMeasured(op).has_value())
      found.push_back(op);
    // Threads measure as a whole what they do.
    return isa<omp::ParallelOp, linalg::LinalgOp>(op) ? WalkResult::skip()
                                                      : WalkResult::advance();
  });
  Value base = emitFirst(function, first);
  SmallVector<KernelMark> all;
  for (Operation *op : found) {
    ImplicitLocOpBuilder b(op->getLoc(), op);
    Value offset =
        arith::ConstantOp::create(b, b.getI32IntegerAttr(all.size()));
    Value number = arith::AddIOp::create(b, base, offset);
    if (auto call = dyn_cast<func::CallOp>(op)) {
      llvm::append_range(all, measureCall(call, number));
    } else {
      bracket(op, number);
      all.push_back(*findMeasured(op));
    }
  }
  return known[function] = all;
}

/// Gives the function that `call` calls the number of its first event.
SmallVector<KernelMark> Profiler::measureCall(func::CallOp call, Value number) {
  SmallVector<KernelMark> all = measure(calleeOf(call));
  call->insertOperands(call->getNumOperands(), number);
  // The function is of all kernels that share it; this one stands here.
  if (std::optional<KernelMark> mark = findMark(call.getLoc()))
    for (KernelMark &each : all)
      each.number = mark->number;
  return all;
}

/// Takes the time of `op`, and of each thread in it.
void Profiler::bracket(Operation *op, Value number) {
  ImplicitLocOpBuilder b(op->getLoc(), op);
  Value begin = emitClock(b);
  if (auto parallel = dyn_cast<omp::ParallelOp>(op)) {
    // Else threads would wait for the last one before they have ended.
    parallel.walk([](omp::WsloopOp loop) { loop.setNowait(true); });
    Block &body = parallel.getRegion().front();
    b.setInsertionPointToStart(&body);
    Value ownBegin = emitClock(b);
    b.setInsertionPoint(body.getTerminator());
    emitRecord(b, number, emitThreadNumber(b), ownBegin);
  }
  b.setInsertionPointAfter(op);
  Value none = arith::ConstantOp::create(
      b, b.getI32IntegerAttr(static_cast<int32_t>(MIXATTN_NO_THREAD)));
  emitRecord(b, number, none, begin);
}

/// The kernels of an entry's manifest that have events, with these, whose
/// numbers begin at `first`.
static Array describeMeasured(const Array &kernels, ArrayRef<KernelMark> events,
                              int64_t first) {
  std::map<int64_t, Array> stages;
  for (auto [place, event] : llvm::enumerate(events))
    stages[event.number].push_back(
        Object{{"number", first + int64_t(place)}, {"name", event.stage}});
  Array measured;
  for (const llvm::json::Value &each : kernels) {
    const Object *kernel = each.getAsObject();
    std::optional<int64_t> number =
        kernel ? kernel->getInteger("number") : std::nullopt;
    auto found = number ? stages.find(*number) : stages.end();
    if (found == stages.end())
      continue;
    Object with = *kernel;
    with.erase("number");
    with["stages"] = std::move(found->second);
    measured.push_back(std::move(with));
  }
  return measured;
}

namespace {

struct ProfileKernelsPass
    : mixattn::impl::ProfileKernelsPassBase<ProfileKernelsPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<func::FuncOp> entries;
    for (auto function : module.getOps<func::FuncOp>())
      if (function.isPublic() && !function.isExternal())
        entries.push_back(function);
    if (entries.empty())
      return;
    LLVM::GlobalOp pointer = makePointer(module, entries.front().getName());
    Profiler profiler(module, makeRecord(module, pointer));
    // The events of each entry, and the number of the first one.
    llvm::StringMap<std::pair<SmallVector<KernelMark>, int64_t>> events;
    int64_t next = 0;
    for (func::FuncOp entry : entries) {
      SmallVector<KernelMark> own = profiler.measure(entry, next);
      events[entry.getName()] = {own, next};
      next += own.size();
    }
    // Functions that no entry reaches call others, too.
    for (auto function : llvm::to_vector(module.getOps<func::FuncOp>()))
      if (profiler.isShared(function))
        profiler.measure(function);
    changeEntries(module, [&](StringRef name, Object &entry) {
      auto found = events.find(name);
      const Array *kernels = entry.getArray("kernels");
      if (found != events.end() && kernels)
        entry["kernels"] = describeMeasured(*kernels, found->second.first,
                                            found->second.second);
    });
  }
};

} // namespace
