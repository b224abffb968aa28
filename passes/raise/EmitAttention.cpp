// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes an attention that was found.

#include "passes/raise/EmitAttention.h"
#include "passes/raise/EmitTensor.h"
#include "passes/raise/Roundings.h"

#include "dialect/attn/AttnOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace mixattn;

using Kind = Expression::Kind;
using Ref = Expressions::Ref;

namespace {

/// Writes the region of a score_mod.
class ScoreModEmitter {
public:
  ScoreModEmitter(ImplicitLocOpBuilder &b, TensorEmitter &tensors,
                  Expressions &make, const RaisedAttention &attention)
      : b(b), tensors(tensors), make(make), attention(attention) {}

  void emit(Region &region) {
    Type index = b.getIndexType(), f32 = b.getF32Type();
    Ref all = makeWhole();
    // Tensors are captured as they lie, without dims of size 1.
    prepare(all);
    SmallVector<Location> locations(5, b.getLoc());
    OpBuilder body(b.getContext());
    block = body.createBlock(&region, {}, {f32, index, index, index, index},
                             locations);
    auto indexOf = [&](ArrayRef<Atom> place) { return emitIndex(body, place); };
    auto valueOf = [&](OpBuilder &inside, Ref ref) -> Value {
      if (ref->is(Kind::Raw))
        return block->getArgument(0);
      auto &[tensor, dims] = captured[ref];
      SmallVector<Value> indices;
      for (const Place &place : dims)
        indices.push_back(indexOf(place));
      return tensor::ExtractOp::create(inside, b.getLoc(), tensor, indices);
    };
    Value score = tensors.emitScalar(body, all, indexOf, valueOf);
    YieldOp::create(body, b.getLoc(), score);
  }

private:
  /// `ref` as an element of a tensor that is computed before.
  Ref asElement(Ref ref) {
    if (ref->is(Kind::Element))
      return ref;
    Place own = make.freeAtoms(ref);
    SmallVector<Place> dims;
    for (const Place *whole : wholes)
      if (Place part = select(make.atoms.flat(*whole), own); !part.empty())
        dims.push_back(part);
    return make.element(tensors.emit(ref, dims), dims);
  }

  /// `ref` with `score` in place of the raw one.
  Ref replaceRaw(Ref ref, Ref score) {
    if (ref->is(Kind::Raw))
      return score;
    SmallVector<Ref> operands;
    for (Ref operand : ref->operands)
      operands.push_back(replaceRaw(operand, score));
    return make.rebuild(ref, operands);
  }

  /// The raw score times its factors, changed, and with the terms added.
  Ref makeWhole() {
    if (attention.scoreFactors.empty())
      return attention.scoreMod;
    SmallVector<Ref> product = {make.raw(make.f32)};
    for (Ref factor : attention.scoreFactors)
      product.push_back(asElement(factor));
    Ref score = make.product(product, make.f32);
    if (attention.scoreMod)
      score = replaceRaw(attention.scoreMod, score);
    SmallVector<Ref> sum = {score};
    for (Ref term : attention.scoreTerms)
      sum.push_back(asElement(term));
    return make.sum(sum, make.f32);
  }

  void prepare(Ref ref) {
    if (ref->is(Kind::Element) && !captured.contains(ref)) {
      auto &[tensor, dims] = captured[ref];
      tensor = tensors.dropOnes(ref->tensor, ref->places, dims);
    }
    for (Ref operand : ref->operands)
      prepare(operand);
  }

  /// The index of `place` from those of batch row, head, query and key.
  Value emitIndex(OpBuilder &body, ArrayRef<Atom> place) {
    Place flat = make.atoms.flat(place);
    for (auto [i, whole] : llvm::enumerate(wholes))
      if (flat == make.atoms.flat(*whole))
        return block->getArgument(i + 1);
    return tensors.emitIndex(body, flat, [&](Atom atom) {
      for (auto [i, whole] : llvm::enumerate(wholes))
        if (Place all = make.atoms.flat(*whole); llvm::is_contained(all, atom))
          return emitPart(body, block->getArgument(i + 1), all, atom);
      llvm_unreachable("an index that no dim of the scores has");
    });
  }

  /// The index of `atom`, where `index` is that of `place`.
  Value emitPart(OpBuilder &body, Value index, ArrayRef<Atom> place,
                 Atom atom) {
    Location loc = b.getLoc();
    auto size = [&](Atom of) {
      return getValueOrCreateConstantIndexOp(
          body, loc, make.atoms.sizeOf(of).emit(body, loc));
    };
    for (Atom inner : llvm::reverse(place)) {
      bool isOutermost = inner == place.front();
      if (inner == atom)
        return isOutermost ? index
                           : Value(arith::RemUIOp::create(body, loc, index,
                                                          size(inner)));
      index = arith::DivUIOp::create(body, loc, index, size(inner));
    }
    llvm_unreachable("no atom of the place");
  }

  ImplicitLocOpBuilder &b;
  TensorEmitter &tensors;
  Expressions &make;
  const RaisedAttention &attention;
  /// The dims that the indices of a score_mod count.
  const Place *wholes[4] = {&attention.batch, &attention.heads,
                            &attention.query, &attention.key};
  Block *block = nullptr;
  DenseMap<Ref, std::pair<Value, SmallVector<Place>>> captured;
};

} // namespace

static Value emitOperand(ImplicitLocOpBuilder &b, TensorEmitter &tensors,
                         const RaisedOperand &operand) {
  if (operand.constant)
    return arith::ConstantOp::create(b, operand.constant);
  Value first = tensors.emit(operand.ref, operand.dims, operand.type);
  if (operand.joined.empty())
    return first;
  SmallVector<Value> parts = {first};
  for (const RaisedOperand &part : operand.joined)
    parts.push_back(emitOperand(b, tensors, part));
  return tensor::ConcatOp::create(b, operand.dims.size() - 1, parts);
}

/// Whether the op's own result may be bf16 where that of the whole is f32. The
/// graph rounds the sum of both products of weights and values, the mixed ones
/// and their offsets, to bf16: so may be the first of them. It has the range of
/// f32, which f16 has not.
static bool mayRound(const RaisedAttention &attention, Value replaced,
                     ValueRange operands) {
  Type type = Float32Type::get(replaced.getContext());
  return attention.added && getElementTypeOrSelf(replaced) == type &&
         llvm::all_of(operands,
                      [](Value operand) {
                        return getElementTypeOrSelf(operand).isBF16();
                      }) &&
         findRounding(replaced, BFloat16Type::get(replaced.getContext()));
}

Value mixattn::emitAttention(ImplicitLocOpBuilder &b, Expressions &make,
                             const RaisedAttention &attention, Value replaced) {
  Type type = getElementTypeOrSelf(replaced);
  TensorEmitter tensors(b, make);
  OperationState state(b.getLoc(), GenericOp::getOperationName());
  SmallVector<int32_t> segments;
  DenseMap<StringRef, Value> values;
  for (StringRef name : GenericOp::getOperandNames()) {
    auto found = attention.operands.find(name);
    segments.push_back(found != attention.operands.end());
    if (found != attention.operands.end())
      state.addOperands(values[name] = emitOperand(b, tensors, found->second));
  }
  // [B,H,N,E] of what the values are of.
  auto value = cast<RankedTensorType>(values["value"].getType());
  SmallVector<int64_t> shape;
  for (const Place &place : attention.result)
    shape.push_back(make.atoms.staticSize(place));
  SmallVector<Value> multiplied;
  for (StringRef name : {"query", "key", "value"})
    if (Value operand = values.lookup(name))
      multiplied.push_back(operand);
  bool keepsType = value.getElementType() == type ||
                   mayRound(attention, replaced, multiplied);
  Type own = keepsType ? value.getElementType() : b.getF32Type();
  state.addTypes(RankedTensorType::get(shape, own));
  state.addAttribute("operandSegmentSizes", b.getDenseI32ArrayAttr(segments));
  state.addAttribute("resultSegmentSizes", b.getDenseI32ArrayAttr({1, 0, 0}));
  state.addAttribute("scale", b.getF64FloatAttr(attention.scale));
  for (auto [name, isSet] : {std::pair("relu_per_key", attention.isRectified),
                             {"gaussian", attention.isGaussian},
                             {"maximum", attention.isMaximum}})
    if (isSet)
      state.addAttribute(name, b.getUnitAttr());
  if (!attention.variances.empty())
    state.addAttribute("variances",
                       b.getDenseF64ArrayAttr(attention.variances));
  if (attention.causal)
    state.addAttribute("causal", b.getUnitAttr());
  if (attention.band)
    state.addAttribute("band",
                       BandAttr::get(b.getContext(), attention.band->first,
                                     attention.band->second));
  Region *scoreMod = state.addRegion();
  if (attention.scoreMod || !attention.scoreFactors.empty())
    ScoreModEmitter(b, tensors, make, attention).emit(*scoreMod);
  Value result = b.create(state)->getResult(0);
  Ref whole = make.element(result, attention.result);
  SmallVector<Ref> factors = {whole, make.number(attention.factor, own)};
  llvm::append_range(factors, attention.factors);
  Ref all = make.product(factors, own);
  for (Ref choice : attention.zeroed) {
    SmallVector<Ref> operands(choice->operands);
    operands[operands[1]->isNumber(0) ? 2 : 1] = all;
    all = make.rebuild(choice, operands);
  }
  if (attention.added)
    all = make.sum({all, attention.added}, own);
  return tensors.emit(all, attention.wanted, type);
}
