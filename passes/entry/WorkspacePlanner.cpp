// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plans the memory of one function: lifetimes, parts, sizes.

#include "passes/entry/Workspace.h"

#include "passes/body/IndexMath.h"
#include "passes/entry/SizeExpression.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <map>

using namespace mlir;
using namespace mixattn;

namespace {

/// Memory that is needed from one op of a function to another.
struct Request {
  /// A memref.alloc, or a call of a function that takes a workspace.
  Operation *op;
  /// Null for a call.
  memref::DeallocOp end;
  Value bytes;
  /// The numbers of the first and the last op, in the order of the text.
  int64_t from, to;
  size_t slot = 0;
};

/// A part of the workspace, for requests one after the other.
struct Slot {
  /// The bytes of its requests, each size once.
  SmallVector<Value> sizes;
  Value offset;
  SmallVector<const Request *> requests;

  /// Whether none of its requests is needed while `other` is.
  bool isFreeFor(const Request &other) const {
    return llvm::all_of(requests, [&](const Request *each) {
      return each->to < other.from || other.to < each->from;
    });
  }
};

/// Plans one function.
class WorkspacePlanner {
public:
  WorkspacePlanner(func::FuncOp function, const WorkspaceNeeds &needs)
      : function(function), needs(needs),
        b(function.getLoc(), function.getContext()), at(b) {
    b.setInsertionPointToStart(&function.getBody().front());
  }

  /// Takes the function's buffers from a workspace, its last argument from then
  /// on. Gives the bytes of the workspace, or null where it needs none.
  Value run();

private:
  Value sizeOf(Value buffer, int64_t dim);
  Value cloneHere(Value size) {
    return cloneSize(b, size, [&](BlockArgument argument, int64_t dim) {
      return b.createOrFold<memref::DimOp>(argument, dim);
    });
  }
  Value bytesOf(memref::AllocOp alloc);
  Value emitWhereRun(Operation *op, Value bytes);
  Value bytesOf(func::CallOp call);
  void allocateFor(func::CallOp call);
  void collect();
  Value assignSlots();
  void place(const Request &request, Value workspace);

  func::FuncOp function;
  const WorkspaceNeeds &needs;
  ImplicitLocOpBuilder b;
  IndexMath at;
  SmallVector<Request> requests;
  SmallVector<Slot> slots;
};

} // namespace

/// Where the memory of `alloc` is given back, if this is plain: once, at the
/// end of the block that it is in.
static memref::DeallocOp endOf(memref::AllocOp alloc) {
  memref::DeallocOp end;
  for (Operation *user : alloc->getUsers())
    if (auto dealloc = dyn_cast<memref::DeallocOp>(user)) {
      if (end || dealloc->getBlock() != alloc->getBlock())
        return {};
      end = dealloc;
    }
  return end;
}

/// Whether one thread alone runs `op`, as a part of `function`.
static bool isSequential(Operation *op, func::FuncOp function) {
  for (op = op->getParentOp(); op != function; op = op->getParentOp())
    if (!isa<scf::IfOp, scf::ForOp, scf::WhileOp>(op))
      return false;
  return true;
}

/// The size of `buffer` at the beginning of the function, or null.
Value WorkspacePlanner::sizeOf(Value buffer, int64_t dim) {
  auto type = cast<MemRefType>(buffer.getType());
  if (!type.isDynamicDim(dim))
    return at.value(type.getDimSize(dim));
  Operation *made = buffer.getDefiningOp();
  if (!made)
    return cast<BlockArgument>(buffer).getOwner()->isEntryBlock()
               ? memref::DimOp::create(b, buffer, dim).getResult()
               : Value();
  if (auto cast = dyn_cast<memref::CastOp>(made))
    return sizeOf(cast.getSource(), dim);
  Value size;
  if (auto alloc = dyn_cast<memref::AllocOp>(made))
    size = alloc.getDynamicSizes()[type.getDynamicDimIndex(dim)];
  return size && isSizeOfArguments(size) ? cloneHere(size) : Value();
}

/// The bytes of `alloc`, at the beginning of the function, or null.
Value WorkspacePlanner::bytesOf(memref::AllocOp alloc) {
  MemRefType type = alloc.getType();
  Type element = type.getElementType();
  unsigned bits = element.isIndex()        ? 64
                  : element.isIntOrFloat() ? element.getIntOrFloatBitWidth()
                                           : 0;
  if (bits == 0 || !type.getLayout().isIdentity() || type.getMemorySpace() ||
      alloc.getAlignment().value_or(1) > workspaceAlignment ||
      !llvm::all_of(alloc.getDynamicSizes(), isSizeOfArguments))
    return {};
  // In memory elements have whole bytes, a truth value one.
  Value bytes =
      at.value(int64_t(llvm::PowerOf2Ceil(llvm::divideCeil(bits, 8))));
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    bytes = at.mul(bytes, sizeOf(alloc, dim));
  return at.mul(
      at.div(at.add(bytes, workspaceAlignment - 1), workspaceAlignment),
      workspaceAlignment);
}

/// `bytes`, which `op` needs, or 0 where conditions that are known at the
/// function's beginning say that it is not run.
Value WorkspacePlanner::emitWhereRun(Operation *op, Value bytes) {
  for (const RunCondition &each : getRunConditions(op)) {
    if (!isSizeOfArguments(each.holds))
      continue;
    Value holds =
        arith::ExtUIOp::create(b, b.getI64Type(), cloneHere(each.holds));
    holds = arith::IndexCastOp::create(b, b.getIndexType(), holds);
    bytes = at.mul(each.isElse ? at.sub(1, holds) : holds, bytes);
  }
  return bytes;
}

/// The bytes that what `call` calls needs, at the beginning of the function, or
/// null.
Value WorkspacePlanner::bytesOf(func::CallOp call) {
  return cloneSize(b, needs.lookup(call.getCallee()),
                   [&](BlockArgument argument, int64_t dim) {
                     return sizeOf(call.getOperand(argument.getArgNumber()),
                                   dim);
                   });
}

/// `call` with memory as its last operand.
static void callWith(OpBuilder &b, func::CallOp call, Value memory) {
  SmallVector<Value> operands(call.getOperands());
  operands.push_back(memory);
  func::CallOp::create(b, call.getLoc(), call.getCallee(), TypeRange(),
                       operands);
}

/// Allocates what `call` needs in front of it: its sizes are not known before.
void WorkspacePlanner::allocateFor(func::CallOp call) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(call);
  Value bytes = cloneSize(b, needs.lookup(call.getCallee()),
                          [&](BlockArgument argument, int64_t dim) {
                            return b.createOrFold<memref::DimOp>(
                                call.getOperand(argument.getArgNumber()), dim);
                          });
  Value own =
      memref::AllocOp::create(b, getWorkspaceType(b.getContext()), bytes,
                              b.getI64IntegerAttr(workspaceAlignment));
  callWith(b, call, own);
  memref::DeallocOp::create(b, own);
  call.erase();
}

void WorkspacePlanner::collect() {
  DenseMap<Operation *, int64_t> numbers;
  int64_t count = 0;
  SmallVector<Operation *> found;
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    numbers[op] = count++;
    if (auto call = dyn_cast<func::CallOp>(op);
        call ? needs.contains(call.getCallee()) : isa<memref::AllocOp>(op))
      found.push_back(op);
  });
  for (Operation *op : found) {
    bool isAlone = isSequential(op, function);
    if (auto alloc = dyn_cast<memref::AllocOp>(op)) {
      memref::DeallocOp end = endOf(alloc);
      if (Value bytes = isAlone && end ? bytesOf(alloc) : Value())
        requests.push_back(
            {op, end, emitWhereRun(op, bytes), numbers[op], numbers[end]});
      continue;
    }
    auto call = cast<func::CallOp>(op);
    if (Value bytes = isAlone ? bytesOf(call) : Value())
      requests.push_back(
          {op, {}, emitWhereRun(op, bytes), numbers[op], numbers[op]});
    else
      allocateFor(call);
  }
}

/// Requests that are not needed at the same time share a slot. Gives the bytes
/// of all slots.
///
/// The largest take theirs first, so that none grows for a later one (Pisarchyk
/// and Lee, «Efficient Memory Management for Deep Neural Net Inference», 2020,
/// 4.3); those of open sizes before, in their order.
Value WorkspacePlanner::assignSlots() {
  auto sizeOf = [](const Request *request) {
    return getConstantIntValue(request->bytes)
        .value_or(std::numeric_limits<int64_t>::max());
  };
  std::multimap<int64_t, Request *, std::greater<>> bySize;
  for (Request &request : requests)
    bySize.emplace(sizeOf(&request), &request);
  for (auto &entry : bySize) {
    Request *request = entry.second;
    auto isFree = [&](const Slot &slot) { return slot.isFreeFor(*request); };
    auto holds = [&](const Slot &slot) {
      return llvm::any_of(slot.sizes, [&](Value size) {
        return isSameSize(size, request->bytes);
      });
    };
    // Rather one that is as large already; else the smallest.
    auto *slot = llvm::find_if(
        slots, [&](const Slot &each) { return isFree(each) && holds(each); });
    if (slot == slots.end()) {
      auto last = llvm::find_if(llvm::reverse(slots), isFree);
      slot = last == slots.rend() ? slots.end() : &*last;
    }
    request->slot = slot - slots.begin();
    if (slot == slots.end())
      slot = &slots.emplace_back();
    slot->requests.push_back(request);
    if (!holds(*slot))
      slot->sizes.push_back(request->bytes);
  }
  Value total = at.value(0);
  for (Slot &slot : slots) {
    slot.offset = total;
    Value most = slot.sizes.front();
    for (Value size : ArrayRef(slot.sizes).drop_front())
      most = at.max(most, size);
    total = at.add(total, most);
  }
  return total;
}

void WorkspacePlanner::place(const Request &request, Value workspace) {
  b.setInsertionPoint(request.op);
  Value offset = slots[request.slot].offset;
  if (auto alloc = dyn_cast<memref::AllocOp>(request.op)) {
    Value view = memref::ViewOp::create(b, alloc.getType(), workspace, offset,
                                        alloc.getDynamicSizes());
    memref::DeallocOp(request.end).erase();
    alloc.replaceAllUsesWith(view);
    alloc.erase();
    return;
  }
  auto call = cast<func::CallOp>(request.op);
  callWith(b, call,
           memref::ViewOp::create(b, getWorkspaceType(b.getContext()),
                                  workspace, offset,
                                  ValueRange{request.bytes}));
  call.erase();
}

Value WorkspacePlanner::run() {
  collect();
  if (requests.empty())
    return {};
  Value total = assignSlots();
  [[maybe_unused]] LogicalResult inserted =
      function.insertArgument(function.getNumArguments(),
                              getWorkspaceType(b.getContext()), {}, b.getLoc());
  assert(succeeded(inserted) && "functions may have one argument more");
  for (const Request &request : requests)
    place(request, function.getArguments().back());
  return total;
}

Value mixattn::planWorkspace(func::FuncOp function,
                             const WorkspaceNeeds &needs) {
  return WorkspacePlanner(function, needs).run();
}
