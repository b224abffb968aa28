// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Emits the rows schedule of GPUs: ops that the rows of a tensor go through.
//
// Lanes have an element of a row each, and the 32nd further on. What an op
// makes of an element stays in a register: who reads it next reads the element
// of the same lane. Sums and maxima of a row are numbers that all lanes get.
// Loops that make such a number compute elements that it needs anew from what
// is in memory, and so does the last loop, which alone writes: so results may
// take the place of what is read.

#include "passes/schedule/gpu/Rows.h"
#include "passes/body/ScoreBody.h"
#include "passes/schedule/KernelBuffers.h"
#include "passes/schedule/RowSizes.h"
#include "passes/schedule/gpu/Lanes.h"

#include "dialect/tile/TileOps.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mixattn;

/// Warps of a block. Each has a row where there are sums; else the block has a
/// piece of one, some elements a thread.
static constexpr int64_t warps = 4, threads = warps * warpLanes,
                         pieceElements = 8 * threads;

namespace {

/// Emits the code of a block of threads.
class RowBlock {
public:
  explicit RowBlock(KernelOp kernel);

  void emit();

private:
  using Values = SmallVector<Value>;

  Value outside(Value value) { return buffers.emitNumber(b, value); }
  Value sizeOf(Value tensor, unsigned dim);
  Value sizeOf(const RowLoops &loops, unsigned loop);
  const RowLoops &loopsOf(Operation *op) {
    return *llvm::find_if(members, [&](const RowLoops &each) {
      return each.getOp().getOperation() == op;
    });
  }
  /// Whether `loops` makes a number of a row.
  static bool makesNumbers(const RowLoops &loops) {
    return !loops.lane || loops.reducesLanes();
  }

  /// The element of `operand` of `loops` for the row and `lane`.
  Value read(OpOperand &operand, const RowLoops &loops, Value lane);
  /// The number of `result` for the row and `lane`, made once for both.
  Value made(OpResult result, Value lane);
  /// Clones the ops of a body but `without`, on `elements`, and maps them.
  IRMapping emitBody(const RowLoops &loops, ValueRange elements, Value lane,
                     ArrayRef<Operation *> without = {});
  Values emitElements(const RowLoops &loops, Value lane);
  Values readInputs(const RowLoops &loops, Value lane);
  Value emitInit(OpOperand &init, const RowLoops &loops, Value lane);
  /// `sums` with what the turns of `loops` from number `turn` on add to them.
  Values emitTurns(const RowLoops &loops, unsigned turn, ValueRange sums,
                   ArrayRef<Operation *> combiners, ValueRange inits);
  Values emitSums(const RowLoops &loops);
  void emitRow(Value first, Value end, Value step);

  ImplicitLocOpBuilder b;
  IndexMath at;
  KernelOp kernel;
  KernelBuffers buffers;
  SmallVector<RowLoops> members;
  /// Where the row is: an index for each loop over rows. Where loops that are
  /// neither rows nor lanes are.
  Values row;
  DenseMap<unsigned, Value> turns;
  /// Numbers of the row, and elements of the lane that is emitted.
  DenseMap<Value, Value> numbers, elements;
};

} // namespace

RowBlock::RowBlock(KernelOp kernel)
    : b(kernel.getLoc(), kernel), at(b), kernel(kernel),
      buffers(ValueRange(kernel.getInputs())) {
  members.push_back(RowLoops::of(cast<linalg::LinalgOp>(kernel.getAnchor())));
  for (Operation *op : kernel.getConsumers())
    members.push_back(
        RowLoops::of(cast<linalg::LinalgOp>(op), members.front().rows));
}

Value RowBlock::sizeOf(Value tensor, unsigned dim) {
  return emitSize(b, tensor, dim, [&](Value value) { return outside(value); });
}

Value RowBlock::sizeOf(const RowLoops &loops, unsigned loop) {
  return emitLoopSize(b, loops, loop,
                      [&](Value value) { return outside(value); });
}

Value RowBlock::read(OpOperand &operand, const RowLoops &loops, Value lane) {
  Value tensor = operand.get();
  if (!isa<TensorType>(tensor.getType()))
    return outside(tensor);
  if (auto result = dyn_cast<OpResult>(tensor)) {
    if (auto fill = dyn_cast<linalg::FillOp>(result.getOwner()))
      return outside(fill.getInputs()[0]);
    return made(result, lane);
  }
  AffineMap map = loops.mapOf(operand);
  Values dims = row, place;
  for (unsigned loop = loops.rows; loop < map.getNumDims(); ++loop)
    dims.push_back(loop == loops.lane ? lane : turns.lookup(loop));
  for (AffineExpr expr : map.getResults())
    place.push_back(
        isa<AffineDimExpr>(expr)
            ? dims[cast<AffineDimExpr>(expr).getPosition()]
            : affine::expandAffineExpr(b, b.getLoc(), expr, dims, {}));
  return buffers.emitRead(b, b.getLoc(), tensor, place);
}

Value RowBlock::made(OpResult result, Value lane) {
  if (Value number = numbers.lookup(result))
    return number;
  if (Value element = elements.lookup(result))
    return element;
  const RowLoops &loops = loopsOf(result.getOwner());
  for (auto [each, value] : llvm::zip_equal(result.getOwner()->getResults(),
                                            emitElements(loops, lane)))
    elements[each] = value;
  return elements.lookup(result);
}

Value RowBlock::emitInit(OpOperand &init, const RowLoops &loops, Value lane) {
  Type type = cast<RankedTensorType>(init.get().getType()).getElementType();
  if (init.get().getDefiningOp<tensor::EmptyOp>())
    return arith::ConstantOp::create(b, b.getZeroAttr(type));
  return read(init, loops, lane);
}

RowBlock::Values RowBlock::readInputs(const RowLoops &loops, Value lane) {
  Values inputs;
  for (OpOperand *input : loops.getOp().getDpsInputOperands())
    inputs.push_back(read(*input, loops, lane));
  return inputs;
}

IRMapping RowBlock::emitBody(const RowLoops &loops, ValueRange elements,
                             Value lane, ArrayRef<Operation *> without) {
  Block *body = loops.getOp().getBlock();
  IRMapping mapping;
  mapping.map(body->getArguments(), elements);
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(loops.getOp()->getRegions(), captured);
  for (Value value : captured)
    mapping.map(value, isa<BlockArgument>(value)
                           ? outside(value)
                           : b.clone(*value.getDefiningOp())->getResult(0));
  for (Operation &inner : body->without_terminator()) {
    if (llvm::is_contained(without, &inner))
      continue;
    if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
      unsigned loop = index.getDim();
      mapping.map(index.getResult(), loop == loops.lane  ? lane
                                     : loop < loops.rows ? row[loop]
                                                         : turns.lookup(loop));
    } else if (auto apply = dyn_cast<affine::AffineApplyOp>(inner)) {
      auto operands = llvm::map_to_vector(apply.getOperands(), [&](Value each) {
        return mapping.lookupOrDefault(each);
      });
      mapping.map(apply.getResult(),
                  affine::expandAffineMap(b, inner.getLoc(),
                                          apply.getAffineMap(), operands)
                      ->front());
    } else {
      b.clone(inner, mapping);
    }
  }
  return mapping;
}

/// The elements of all results of `loops`, whose loops are rows and the lane.
RowBlock::Values RowBlock::emitElements(const RowLoops &loops, Value lane) {
  Values inputs = readInputs(loops, lane);
  for (OpOperand &init : loops.getOp().getDpsInitsMutable())
    inputs.push_back(emitInit(init, loops, lane));
  IRMapping mapping = emitBody(loops, inputs, lane);
  return llvm::map_to_vector(
      loops.getOp().getBlock()->getTerminator()->getOperands(),
      [&](Value each) { return mapping.lookupOrDefault(each); });
}

/// `left` and `right` as `combiner` puts them together, of their own type.
static Value emitCombined(ImplicitLocOpBuilder &b, Operation *combiner,
                          Value left, Value right) {
  OperationState state(b.getLoc(), combiner->getName());
  state.addOperands({left, right});
  state.addTypes(left.getType());
  state.propertiesAttr = combiner->getPropertiesAsAttribute();
  return b.create(state)->getResult(0);
}

/// A number as sums have it: of f32 or f64 where it is a float.
static Value widen(ImplicitLocOpBuilder &b, Value number) {
  Type type = number.getType();
  return type.isInteger() || type.isF64() ? number
                                          : toF32(b, b.getLoc(), number);
}

RowBlock::Values RowBlock::emitTurns(const RowLoops &loops, unsigned turn,
                                     ValueRange sums,
                                     ArrayRef<Operation *> combiners,
                                     ValueRange inits) {
  bool isLane = turn == loops.turns.size();
  unsigned number = isLane ? *loops.lane : loops.turns[turn];
  Value first = at.value(0), step = at.value(1);
  if (isLane) {
    first =
        at.rem(Value(gpu::ThreadIdOp::create(b, gpu::Dimension::x)), warpLanes);
    step = at.value(warpLanes);
  }
  auto loop = scf::ForOp::create(b, first, sizeOf(loops, number), step, sums);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value here = loop.getInductionVar();
  if (!isLane) {
    turns[number] = here;
    scf::YieldOp::create(b, emitTurns(loops, turn + 1, loop.getRegionIterArgs(),
                                      combiners, inits));
    return Values(loop.getResults());
  }
  elements.clear();
  Values inputs = readInputs(loops, here);
  llvm::append_range(inputs, inits);
  IRMapping mapping = emitBody(loops, inputs, here, combiners);
  Values next;
  for (auto [i, combiner] : llvm::enumerate(combiners)) {
    Value sum = loops.getOp().getRegionOutputArgs()[i];
    Value term = combiner->getOperand(combiner->getOperand(0) == sum);
    next.push_back(emitCombined(b, combiner, loop.getRegionIterArg(unsigned(i)),
                                widen(b, mapping.lookupOrDefault(term))));
  }
  scf::YieldOp::create(b, next);
  elements.clear();
  return Values(loop.getResults());
}

/// The numbers that `loops` reduces the row to. Each lane has a part, in f32
/// where elements are shorter floats, and all lanes put these together in one
/// order.
RowBlock::Values RowBlock::emitSums(const RowLoops &loops) {
  linalg::LinalgOp op = loops.getOp();
  SmallVector<Operation *> combiners;
  Values inits, parts;
  for (unsigned i = 0; i < op.getNumDpsInits(); ++i) {
    combiners.push_back(findCombiner(op, i));
    inits.push_back(emitInit(*op.getDpsInitOperand(i), loops, {}));
    parts.push_back(
        widen(b, arith::ConstantOp::create(
                     b, *arith::getNeutralElement(combiners.back()))));
  }
  parts = emitTurns(loops, 0, parts, combiners, inits);
  Values sums;
  for (size_t i = 0; i < combiners.size(); ++i) {
    auto combine = [&](Value one, Value other) {
      return emitCombined(b, combiners[i], one, other);
    };
    Value sum = emitOfLanes(b, parts[i], combine);
    sum = combine(widen(b, inits[i]), sum);
    Type type = inits[i].getType();
    if (sum.getType() != type)
      sum = arith::TruncFOp::create(b, type, sum);
    sums.push_back(sum);
  }
  return sums;
}

/// Emits the row: its numbers, and the results of its elements from `first` to
/// before `end`, a step apart.
void RowBlock::emitRow(Value first, Value end, Value step) {
  for (const RowLoops &each : members)
    if (makesNumbers(each))
      for (auto [result, number] :
           llvm::zip_equal(each.getOp()->getResults(),
                           each.lane ? emitSums(each) : emitElements(each, {})))
        numbers[result] = number;
  Values tensors, outputs;
  for (auto [tensor, output] :
       llvm::zip_equal(kernel.getBody().front().getTerminator()->getOperands(),
                       kernel.getOutputs())) {
    auto result = cast<OpResult>(tensor);
    if (!numbers.contains(result)) {
      tensors.push_back(result);
      outputs.push_back(output);
      continue;
    }
    // The first lane writes a number.
    auto isFirst =
        scf::IfOp::create(b, at.compare(arith::CmpIPredicate::eq, first, 0),
                          /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(isFirst.thenBlock());
    memref::StoreOp::create(b, numbers.lookup(result), output, row);
  }
  if (tensors.empty())
    return;
  auto loop = scf::ForOp::create(b, first, end, step);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  elements.clear();
  Value lane = loop.getInductionVar();
  Values values = llvm::map_to_vector(
      tensors, [&](Value each) { return made(cast<OpResult>(each), lane); });
  Values place = row;
  place.push_back(lane);
  for (auto [value, output] : llvm::zip_equal(values, outputs))
    memref::StoreOp::create(b, value, output, place);
}

void RowBlock::emit() {
  Values sizes;
  Value rows = at.value(1);
  for (unsigned loop = 0; loop < members.front().rows; ++loop) {
    sizes.push_back(sizeOf(members.front(), loop));
    rows = at.mul(rows, sizes.back());
  }
  Value width;
  for (const RowLoops &each : members)
    if (each.lane && !width)
      width = sizeOf(each, *each.lane);
  bool hasNumbers = llvm::any_of(members, makesNumbers);
  SmallVector<Value> counts =
      hasNumbers
          ? SmallVector<Value>{at.div(at.add(rows, warps - 1), warps)}
          : SmallVector<Value>{
                rows, at.div(at.add(width, pieceElements - 1), pieceElements)};
  auto grid = tile::GridOp::create(b, counts, threads);
  b.setInsertionPointToStart(&grid.getBody().front());
  Value thread = gpu::ThreadIdOp::create(b, gpu::Dimension::x);
  Value number = grid.getItem()[0], first = thread, end = width, step;
  if (hasNumbers) {
    number = at.add(at.mul(number, warps), at.div(thread, warpLanes));
    auto isThere = scf::IfOp::create(
        b, at.compare(arith::CmpIPredicate::slt, number, rows),
        /*withElseRegion=*/false);
    b.setInsertionPointToStart(isThere.thenBlock());
    first = at.rem(thread, warpLanes);
    step = at.value(warpLanes);
  } else {
    Value piece = at.mul(grid.getItem()[1], pieceElements);
    first = at.add(piece, thread);
    end = at.min(at.add(piece, pieceElements), width);
    step = at.value(threads);
  }
  row.resize(sizes.size());
  for (size_t i = sizes.size(); i > 1; --i) {
    row[i - 1] = at.rem(number, sizes[i - 1]);
    number = at.div(number, sizes[i - 1]);
  }
  row[0] = number;
  emitRow(first, end, step);
}

void gpus::scheduleRows(KernelOp kernel) {
  RowBlock(kernel).emit();
  kernel.erase();
}
