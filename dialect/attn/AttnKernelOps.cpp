// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// attn.kernel: verification, effects, and how it takes buffers.

#include "dialect/attn/Contraction.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mixattn;

bool mixattn::isPointwise(Operation *op) {
  auto generic = dyn_cast_or_null<linalg::GenericOp>(op);
  return generic && generic.getNumResults() == 1 &&
         generic.getNumLoops() == generic.getNumParallelLoops() &&
         generic.getIndexingMapsArray().back().isIdentity();
}

/// Whether `op` computes: it is no constant, and no tensor for another op to
/// write to.
static bool computes(Operation &op) {
  return !isa<tensor::EmptyOp, linalg::FillOp>(op) &&
         !op.hasTrait<OpTrait::ConstantLike>();
}

Operation *KernelOp::getAnchor() {
  Operation *results = getBody().front().getTerminator();
  Operation *made = results->getNumOperands()
                        ? results->getOperand(0).getDefiningOp()
                        : nullptr;
  if (!isa_and_present<linalg::LinalgOp>(made))
    return made;
  auto ops = getBody().front().without_terminator();
  auto planned = llvm::find_if(
      ops, [](Operation &op) { return computes(op) && canBePlanned(&op); });
  auto first = planned == ops.end() ? llvm::find_if(ops, computes) : planned;
  return first == ops.end() ? nullptr : &*first;
}

void KernelOp::build(OpBuilder &b, OperationState &state, TypeRange tensors,
                     ValueRange inputs, ValueRange outputs) {
  build(b, state, tensors, inputs, outputs, /*panels=*/Value());
}

SmallVector<Operation *> KernelOp::getConsumers() {
  SmallVector<Operation *> consumers;
  Operation *anchor = getAnchor();
  for (Operation &op : getBody().front().without_terminator())
    if (anchor && anchor->isBeforeInBlock(&op) && computes(op))
      consumers.push_back(&op);
  return consumers;
}

SmallVector<Operation *> KernelOp::getProducers() {
  SmallVector<Operation *> producers;
  Operation *anchor = getAnchor();
  for (Operation &op : getBody().front().without_terminator())
    if (anchor && op.isBeforeInBlock(anchor) && computes(op) &&
        isa<linalg::LinalgOp>(op))
      producers.push_back(&op);
  return producers;
}

Value KernelOp::getOperandOf(Value argument) {
  return getInputs()[cast<BlockArgument>(argument).getArgNumber()];
}

/// Whether each element of `value` is read for the element of `result` at its
/// own place alone.
static bool isReadInPlace(Value value, Value result) {
  return llvm::all_of(value.getUses(), [&](OpOperand &use) {
    Operation *reader = use.getOwner();
    if (isa<tensor::DimOp>(reader))
      return true;
    if (!isPointwise(reader))
      return false;
    auto loops = cast<linalg::GenericOp>(reader);
    return loops.getMatchingIndexingMap(&use).isIdentity() &&
           (reader->getResult(0) == result ||
            isReadInPlace(reader->getResult(0), result));
  });
}

bool KernelOp::readsInPlace(Value input, unsigned number) {
  Block &block = getBody().front();
  if (!isa_and_present<linalg::LinalgOp>(getAnchor()))
    return false;
  Value result = block.getTerminator()->getOperand(number);
  return llvm::all_of(llvm::enumerate(getInputs()), [&](auto each) {
    return each.value() != input ||
           isReadInPlace(block.getArgument(each.index()), result);
  });
}

/// Whether a region's argument of type `argument` stands for an operand of type
/// `operand`, which may know other sizes: casts fold into operands.
static bool standsFor(Type argument, Type operand) {
  auto tensor = dyn_cast<RankedTensorType>(argument);
  auto held = dyn_cast<ShapedType>(operand);
  if (!tensor || !held)
    return argument == operand;
  bool isByte = tensor.getElementType().isInteger(1) &&
                held.getElementType().isInteger(8);
  return succeeded(verifyCompatibleShape(tensor.getShape(), held.getShape())) &&
         (isByte || tensor.getElementType() == held.getElementType());
}

LogicalResult KernelOp::verify() {
  Block &block = getBody().front();
  if (block.getNumArguments() != getInputs().size())
    return emitOpError("expected one argument of the region per input");
  for (auto [argument, input] : llvm::zip(block.getArguments(), getInputs()))
    if (!standsFor(argument.getType(), input.getType()))
      return emitOpError("expected an argument of the region for ")
             << input.getType() << ", but got " << argument.getType();
  auto results = dyn_cast<ResultsOp>(block.back());
  if (!results || results.getTensors().size() != getOutputs().size())
    return emitOpError("expected 'attn.results' with one tensor per output");
  if (hasPureTensorSemantics() ? getOutputs().getTypes() != getResultTypes()
                               : getNumResults() != 0)
    return emitOpError("expected one result per output that is a tensor");
  return success();
}

LogicalResult KernelOp::verifyRegions() {
  auto results = cast<ResultsOp>(getBody().front().getTerminator());
  Operation *first = getAnchor();
  for (auto [tensor, output] : llvm::zip(results.getTensors(), getOutputs())) {
    Operation *made = tensor.getDefiningOp();
    bool isRow = isa_and_present<linalg::LinalgOp>(made) && computes(*made);
    if (!made || (made != first && !isRow))
      return emitOpError("expected the results of one op, or of 'linalg' ops, "
                         "in 'attn.results'");
    if (!standsFor(tensor.getType(), output.getType()))
      return emitOpError("expected a result for ")
             << output.getType() << ", but got " << tensor.getType();
  }
  if (getPanels() &&
      (!first || hasPureTensorSemantics() || !findContraction(first)))
    return emitOpError("expected 'panels' with buffers and a contraction only");
  return success();
}

MutableOperandRange KernelOp::getDpsInitsMutable() {
  return getOutputsMutable();
}

void KernelOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  for (OpOperand &input : getInputsMutable())
    if (isa<MemRefType>(input.get().getType()))
      effects.emplace_back(MemoryEffects::Read::get(), &input);
  for (OpOperand &output : getOutputsMutable())
    if (isa<MemRefType>(output.get().getType()))
      effects.emplace_back(MemoryEffects::Write::get(), &output);
  for (OpOperand &panels : getPanelsMutable())
    effects.emplace_back(MemoryEffects::Read::get(), &panels);
}

/// Only operands count: the region computes on tensors in any case.
bool KernelOp::hasTensorSemantics() {
  return llvm::any_of(getOperandTypes(), llvm::IsaPred<TensorType>);
}

bool KernelOp::bufferizesToMemoryRead(OpOperand &operand,
                                      const bufferization::AnalysisState &) {
  return isDpsInput(&operand);
}

bool KernelOp::bufferizesToMemoryWrite(OpOperand &operand,
                                       const bufferization::AnalysisState &) {
  return isDpsInit(&operand);
}

bool KernelOp::bufferizesToElementwiseAccess(
    const bufferization::AnalysisState &, ArrayRef<OpOperand *> operands) {
  auto isInit = [&](OpOperand *each) { return isDpsInit(each); };
  if (llvm::count_if(operands, isInit) != 1)
    return false;
  OpOperand *output = *llvm::find_if(operands, isInit);
  unsigned number = getTiedOpResult(output).getResultNumber();
  return llvm::all_of(operands, [&](OpOperand *each) {
    return each == output || readsInPlace(each->get(), number);
  });
}

bufferization::AliasingValueList
KernelOp::getAliasingValues(OpOperand &operand,
                            const bufferization::AnalysisState &) {
  if (!isDpsInit(&operand))
    return {};
  return {{getTiedOpResult(&operand), bufferization::BufferRelation::Equivalent,
           /*isDefinite=*/true}};
}

/// Whether elements of the innermost dimension follow one another.
static bool isContiguousInside(MemRefType type) {
  auto [strides, offset] = type.getStridesAndOffset();
  return strides.empty() || strides.back() == 1;
}

/// A new buffer of the sizes of `buffer`.
static Value allocateLike(OpBuilder &b, Location loc, Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  SmallVector<Value> sizes;
  for (int64_t i = 0; i < type.getRank(); ++i)
    if (type.isDynamicDim(i))
      sizes.push_back(memref::DimOp::create(b, loc, buffer, i));
  return memref::AllocOp::create(
      b, loc, MemRefType::get(type.getShape(), type.getElementType()), sizes);
}

LogicalResult
KernelOp::bufferize(RewriterBase &rewriter,
                    const bufferization::BufferizationOptions &options,
                    bufferization::BufferizationState &state) {
  if (!hasPureTensorSemantics())
    return success();
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(*this);
  SmallVector<Value> inputs, outputs, results;
  for (Value input : getInputs()) {
    if (!isa<TensorType>(input.getType())) {
      inputs.push_back(input);
      continue;
    }
    FailureOr<Value> buffer =
        bufferization::getBuffer(rewriter, input, options, state);
    if (failed(buffer))
      return failure();
    if (!isContiguousInside(cast<MemRefType>(buffer->getType()))) {
      Value copy = allocateLike(rewriter, getLoc(), *buffer);
      memref::CopyOp::create(rewriter, getLoc(), *buffer, copy);
      buffer = copy;
    }
    inputs.push_back(*buffer);
  }
  for (Value output : getOutputs()) {
    FailureOr<Value> buffer =
        bufferization::getBuffer(rewriter, output, options, state);
    if (failed(buffer))
      return failure();
    results.push_back(*buffer);
    outputs.push_back(isContiguousInside(cast<MemRefType>(buffer->getType()))
                          ? *buffer
                          : allocateLike(rewriter, getLoc(), *buffer));
  }
  auto kernel =
      KernelOp::create(rewriter, getLoc(), TypeRange(), inputs, outputs);
  kernel->setDiscardableAttrs((*this)->getDiscardableAttrDictionary());
  kernel.getBody().takeBody(getBody());
  for (auto [output, result] : llvm::zip(outputs, results))
    if (output != result)
      memref::CopyOp::create(rewriter, getLoc(), output, result);
  bufferization::replaceOpWithBufferizedValues(rewriter, *this, results);
  return success();
}
