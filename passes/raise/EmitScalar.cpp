// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Expressions as scalars.

#include "passes/raise/EmitTensor.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mixattn;

using Kind = Expression::Kind;
using Ref = Expressions::Ref;

Value TensorEmitter::emitIndex(OpBuilder &body, ArrayRef<Atom> place,
                               function_ref<Value(Atom)> indexOfAtom) const {
  Location loc = b.getLoc();
  Value index;
  for (Atom atom : atoms.flat(place)) {
    Value own = indexOfAtom(atom);
    if (index) {
      const Size &size = atoms.sizeOf(atom);
      Value count =
          getValueOrCreateConstantIndexOp(body, loc, size.emit(body, loc));
      index = arith::AddIOp::create(
          body, loc, arith::MulIOp::create(body, loc, index, count), own);
    } else {
      index = own;
    }
  }
  return index ? index : arith::ConstantIndexOp::create(body, loc, 0);
}

Value TensorEmitter::emitScalar(OpBuilder &body, Ref ref,
                                const IndexOf &indexOf,
                                const ValueOf &valueOf) {
  Location loc = b.getLoc();
  Type f32 = Float32Type::get(b.getContext());
  bool isFloat = isa<FloatType>(ref->type);
  auto widen = [&](Value value) -> Value {
    if (!isFloat || value.getType() == f32)
      return value;
    return arith::ExtFOp::create(body, loc, f32, value);
  };
  SmallVector<Value> operands;
  for (Ref operand : ref->operands)
    operands.push_back(emitScalar(body, operand, indexOf, valueOf));
  switch (ref->kind) {
  case Kind::Number: {
    TypedAttr number =
        isFloat ? TypedAttr(body.getFloatAttr(f32, ref->number))
                : TypedAttr(body.getIntegerAttr(ref->type, ref->number));
    return arith::ConstantOp::create(body, loc, number);
  }
  case Kind::Element:
  case Kind::Raw:
    return widen(valueOf(body, ref));
  case Kind::Position:
    return indexOf(ref->places[0]);
  case Kind::Sum: {
    Value sum = operands[0];
    for (Value next : ArrayRef(operands).drop_front())
      sum = arith::AddFOp::create(body, loc, sum, next);
    return sum;
  }
  case Kind::Product: {
    Value product = operands[0];
    for (Value next : ArrayRef(operands).drop_front())
      product = arith::MulFOp::create(body, loc, product, next);
    return product;
  }
  case Kind::Reciprocal: {
    Value one = arith::ConstantOp::create(body, loc, body.getF32FloatAttr(1));
    return arith::DivFOp::create(body, loc, one, operands[0]);
  }
  case Kind::Apply: {
    IRMapping mapping;
    for (auto [from, to] : llvm::zip_equal(ref->op->getOperands(), operands))
      mapping.map(from, to);
    Value result = body.clone(*ref->op, mapping)->getResult(0);
    // Its operands are, whatever type it had.
    if (isFloat)
      result.setType(f32);
    return result;
  }
  case Kind::Not: {
    Value yes = arith::ConstantOp::create(body, loc, body.getBoolAttr(true));
    return arith::XOrIOp::create(body, loc, operands[0], yes);
  }
  case Kind::All: {
    Value all = operands[0];
    for (Value next : ArrayRef(operands).drop_front())
      all = arith::AndIOp::create(body, loc, all, next);
    return all;
  }
  case Kind::Total:
  case Kind::Largest:
  case Kind::Any:
  case Kind::Pieces:
    break;
  }
  llvm_unreachable("a sum inside of an elementwise expression");
}
