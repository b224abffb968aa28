// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The attn dialect: ops, attributes and the interfaces that passes ask.

#ifndef MIXATTN_DIALECT_ATTN_OPS_H
#define MIXATTN_DIALECT_ATTN_OPS_H

#include "dialect/attn/Plan.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <optional>
#include <utility>

#include "dialect/attn/AttnDialect.h.inc"

#include "dialect/attn/AttnEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialect/attn/AttnAttrs.h.inc"

namespace mixattn {

/// A dimension of an operand, whose size is a size of the op.
struct OperandDim {
  mlir::Value value;
  unsigned dim;

  mlir::RankedTensorType type() const {
    return llvm::cast<mlir::RankedTensorType>(value.getType());
  }
  /// The static size, or ShapedType::kDynamic.
  int64_t size() const { return type().getDimSize(dim); }
};

/// How elements of a contraction's right side lie in panels (attn.panels): its
/// dims that number terms, lanes and batches, and the lanes of a panel.
struct PanelLayout {
  llvm::SmallVector<int64_t, 2> terms, lanes, batches;
  int64_t width = 0;
  bool arePairs = false;

  bool operator==(const PanelLayout &other) const {
    return terms == other.terms && lanes == other.lanes &&
           batches == other.batches && width == other.width &&
           arePairs == other.arePairs;
  }
};

/// Operands that an op has, by their names.
class NamedOperands {
public:
  using Entry = std::pair<llvm::StringRef, mlir::Value>;

  void add(llvm::StringRef name, mlir::Value operand) {
    entries.emplace_back(name, operand);
  }
  /// The operand called `name`, or null.
  mlir::Value operator[](llvm::StringRef name) const {
    const auto *found = llvm::find_if(
        entries, [&](const Entry &entry) { return entry.first == name; });
    return found == entries.end() ? mlir::Value() : found->second;
  }
  const Entry *begin() const { return entries.begin(); }
  const Entry *end() const { return entries.end(); }

private:
  llvm::SmallVector<Entry, 12> entries;
};

} // namespace mixattn

namespace mixattn::detail {

/// The operands of an op, or of its adaptor, whose operands are called `names`.
/// Each stands for one value at most.
template <typename Op>
NamedOperands nameOperands(llvm::ArrayRef<llvm::StringLiteral> names, Op op) {
  NamedOperands named;
  for (auto [i, name] : llvm::enumerate(names))
    for (mlir::Value operand : op.getODSOperands(i))
      named.add(name, operand);
  return named;
}

/// Facts that follow from the operands of an op with ScoreOpInterface. The
/// interface describes each of them.
OperandDim getBatchDim(mlir::Operation *op);
OperandDim getQueriesDim(mlir::Operation *op);
OperandDim getKeysDim(mlir::Operation *op);
int64_t getNumQueryHeads(mlir::Operation *op);
int64_t getKeyGroup(mlir::Operation *op);
int64_t getNumComponents(mlir::Operation *op);
bool hasComponents(mlir::Operation *op);
double getVariance(mlir::Operation *op, int64_t r);

/// Components of keys `[B,Hk,R,S,D]`, or of `shifts`, or null, that are added
/// to keys `[B,Hk,S,D]`.
int64_t getNumKeyComponents(mlir::Value key, mlir::Value shifts);

} // namespace mixattn::detail

namespace mixattn {

/// The trait of stages of a kernel.
template <typename Op>
class IsStage : public mlir::OpTrait::TraitBase<Op, IsStage> {};

} // namespace mixattn

#include "dialect/attn/AttnInterfaces.h.inc"

namespace mixattn {

/// Whether `name` is a C identifier: entries, their arguments and dims become
/// identifiers of the generated header.
bool isIdentifier(llvm::StringRef name);

} // namespace mixattn

namespace mixattn::detail {

/// Output heads: the columns of a mixer of scores (`premixer` or the MLP's
/// `w2`), else the heads of the query or of given scores. A mixer of one
/// dimension has as many as the value.
int64_t getOutputHeads(const NamedOperands &operands);

/// The types of an attention's results: [B,H,N,E] of the value's element type
/// (C11) and, where `segments` asks for them, weights [B,H,N,S] and lse
/// [B,H,N] in f32. The batch is static where any of the operands says so.
llvm::LogicalResult
inferAttentionTypes(const NamedOperands &operands,
                    llvm::ArrayRef<int32_t> segments,
                    llvm::SmallVectorImpl<mlir::Type> &types);

/// Whether result types fit the inferred ones: they may say more or less about
/// their sizes, and be f32 where `mayBeWide`; where `mayBeNarrow`, what is
/// inferred to be f32 may be any float.
bool areCompatibleAttentionTypes(mlir::TypeRange inferred,
                                 mlir::TypeRange given, bool mayBeWide = false,
                                 bool mayBeNarrow = false);

/// C10, of the ops in the score_mod of attention `op`, which are verified
/// before: they are elementwise, element reads of captured tensors or sizes of
/// these, and yield a score of the first argument's type.
llvm::LogicalResult verifyScoreModOps(mlir::Operation *op);

/// The sizes of the results of attention `op`: features are the value's, keys
/// the key's, all others the query's.
llvm::LogicalResult
reifyAttentionShapes(mlir::OpBuilder &builder, mlir::Operation *op,
                     mlir::ReifiedRankedShapedTypeDims &shapes);

/// The sizes of the result of `op`, where its type leaves them open.
llvm::LogicalResult reifySizedShape(mlir::OpBuilder &builder,
                                    SizedOpInterface op,
                                    mlir::ReifiedRankedShapedTypeDims &shapes);

} // namespace mixattn::detail

#define GET_OP_CLASSES
#include "dialect/attn/AttnOps.h.inc"

namespace mixattn {

/// The plan of `op`, or null.
PlanAttr getPlan(mlir::Operation *op);
void setPlan(mlir::Operation *op, PlanAttr plan);

/// Whether `op` can have a plan: an attention (a softmax's, a linear one, or a
/// pool of given weights), or a contraction.
bool canBePlanned(mlir::Operation *op);

/// Features that the map of `op` makes of `inputs` numbers of a query or key.
int64_t getNumFeatures(FeatureOpInterface op, int64_t inputs);

/// Parts of the keys of an attention: how many there are, and keys of each.
struct PartSizes {
  mlir::Value count, length;
};

/// Emits them for `keys` keys, as `attn.parts` cuts them: indices.
PartSizes emitPartSizes(mlir::OpBuilder &b, mlir::Location loc,
                        mlir::Value keys, int64_t split, int64_t block);
/// The same numbers.
std::pair<int64_t, int64_t> getPartSizes(int64_t keys, int64_t split,
                                         int64_t block);

/// Whether `op` computes each element of its one result from elements of its
/// operands, in parallel loops over the result.
bool isPointwise(mlir::Operation *op);

/// Pairs of dimensions of operands and results that the constraints of `op`
/// need equal. Heads and components, which are static, may be missing.
llvm::SmallVector<std::pair<OperandDim, OperandDim>>
getEqualDims(ScoreOpInterface op);

/// Says every named attention op below `root` in the normal form.
void generalizeAll(mlir::Operation *root);

} // namespace mixattn

#endif // MIXATTN_DIALECT_ATTN_OPS_H
