// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// attn-take-buffers: entries read and write buffers of their caller's.

#include "passes/Passes.h"
#include "passes/entry/Entries.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mixattn {
#define GEN_PASS_DEF_TAKEBUFFERSPASS
#include "passes/Passes.h.inc"
} // namespace mixattn

using namespace mlir;
using namespace mixattn;

/// i1 from i8 (nonzero is true), or i8 from i1, element by element.
static Value convertBooleans(OpBuilder &b, Location loc, Value tensor,
                             Type element) {
  auto type = cast<RankedTensorType>(tensor.getType());
  Value init = tensor::EmptyOp::create(
      b, loc, tensor::getMixedSizes(b, loc, tensor), element);
  AffineMap identity = b.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> loops(type.getRank(),
                                         utils::IteratorType::parallel);
  auto body = [&](OpBuilder &b, Location loc, ValueRange args) {
    Value value;
    if (element.isInteger(1)) {
      Value zero = arith::ConstantIntOp::create(b, loc, 0, 8);
      value = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, args[0],
                                    zero);
    } else {
      value = arith::ExtUIOp::create(b, loc, element, args[0]);
    }
    linalg::YieldOp::create(b, loc, value);
  };
  return linalg::GenericOp::create(b, loc, init.getType(), tensor, init,
                                   ArrayRef<AffineMap>{identity, identity},
                                   loops, body)
      .getResult(0);
}

static bool isBoolean(Type tensor) {
  return cast<RankedTensorType>(tensor).getElementType().isInteger(1);
}

/// Attributes of the buffer of a tensor that had `attributes`.
static DictionaryAttr markBuffer(OpBuilder &b, DictionaryAttr attributes,
                                 bool isResult, bool isBoolean) {
  NamedAttrList marked(attributes);
  if (isResult)
    marked.set("attn.result", b.getUnitAttr());
  if (isBoolean)
    marked.set("attn.boolean", b.getUnitAttr());
  return marked.getDictionary(b.getContext());
}

/// The argument of which result `index` is the new value, or none.
static BlockArgument findUpdated(func::FuncOp entry, unsigned index) {
  auto name = entry.getResultAttrOfType<StringAttr>(index, "attn.updated");
  for (BlockArgument argument : entry.getArguments())
    if (name && name == entry.getArgAttr(argument.getArgNumber(), "attn.name"))
      return argument;
  return {};
}

static void takeBuffers(func::FuncOp entry) {
  Block &body = entry.getBody().front();
  Location loc = entry.getLoc();
  OpBuilder b(entry.getContext());
  SmallVector<Attribute> attributes;

  b.setInsertionPointToStart(&body);
  for (BlockArgument argument : body.getArguments()) {
    auto type = cast<RankedTensorType>(argument.getType());
    MemRefType buffer = getEntryBuffer(type);
    attributes.push_back(
        markBuffer(b, entry.getArgAttrDict(argument.getArgNumber()),
                   /*isResult=*/false, isBoolean(type)));
    argument.setType(buffer);
    auto held = RankedTensorType::get(type.getShape(), buffer.getElementType());
    bool isUpdated =
        entry.getArgAttr(argument.getArgNumber(), "attn.updates") != nullptr;
    auto read = bufferization::ToTensorOp::create(b, loc, held, argument,
                                                  /*restrict=*/true,
                                                  /*writable=*/isUpdated);
    Value value = read;
    if (isBoolean(type))
      value = convertBooleans(b, loc, value, type.getElementType());
    argument.replaceAllUsesExcept(value, read);
  }

  auto returned = cast<func::ReturnOp>(body.getTerminator());
  b.setInsertionPoint(returned);
  for (auto [index, operand] : llvm::enumerate(returned.getOperands())) {
    Value value = operand;
    auto type = cast<RankedTensorType>(value.getType());
    MemRefType buffer = getEntryBuffer(type);
    Value place = findUpdated(entry, index);
    if (!place) {
      attributes.push_back(markBuffer(b, entry.getResultAttrDict(index),
                                      /*isResult=*/true, isBoolean(type)));
      place = body.addArgument(buffer, loc);
    }
    if (isBoolean(type))
      value = convertBooleans(b, loc, value, buffer.getElementType());
    auto write =
        bufferization::MaterializeInDestinationOp::create(b, loc, value, place);
    write.setRestrict(true);
    write.setWritable(true);
  }
  returned->setOperands({});

  // The old attributes go before the type changes: there are as many of them
  // as the type has arguments and results.
  entry.removeArgAttrsAttr();
  entry.removeResAttrsAttr();
  entry.setType(b.getFunctionType(body.getArgumentTypes(), {}));
  entry.setAllArgAttrs(attributes);
}

namespace {

struct TakeBuffersPass : mixattn::impl::TakeBuffersPassBase<TakeBuffersPass> {
  void runOnOperation() override {
    for (func::FuncOp entry : getEntries(getOperation())) {
      if (failed(verifyNamed(entry)))
        return signalPassFailure();
      takeBuffers(entry);
    }
  }
};

} // namespace
