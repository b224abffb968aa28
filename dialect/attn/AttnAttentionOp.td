// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The record of ops that compute one attention.

#ifndef MIXATTN_DIALECT_ATTN_ATTENTION_OP_TD
#define MIXATTN_DIALECT_ATTN_ATTENTION_OP_TD

include "dialect/attn/AttnClauses.td"
include "dialect/attn/AttnInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Attn_Op<string mnemonic, list<Trait> traits = []>
    : Op<Attn_Dialect, mnemonic, traits>;

/// An op that computes one attention: its operands after `leading` are the
/// clauses that every attention takes, in the order in which they act.
class Attn_AttentionOp<string mnemonic, dag leading, list<Trait> traits = []>
    : Attn_Op<mnemonic, [Pure, AttrSizedOperandSegments,
          AttrSizedResultSegments,
          DeclareOpInterfaceMethods<AttentionOpInterface>,
          InferTypeOpAdaptorWithIsCompatible,
          DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface,
              ["reifyResultShapes"]>] # traits>,
      Attn_ClauseTexts {
  let arguments = !con(leading, Attn_CommonOperands);
  let regions = (region MaxSizedRegion<1>:$score_mod);
  let results = (outs Attn_Features:$result,
                      Optional<Attn_TensorOf<[F32], [4]>>:$weights,
                      Optional<Attn_TensorOf<[F32], [3]>>:$lse);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;

  // !getdagarg is unset where an argument is an attribute.
  list<string> operandNames = !foldl([]<string>, !range(!size(arguments)), names,
      i, !if(!initialized(!getdagarg<TypeConstraint>(arguments, i)),
             names # ["\"" # !getdagname(arguments, i) # "\""], names));
  string ownDeclaration = "";
  let extraClassDeclaration = [{
    /// The names of the operands, in their order.
    static ::llvm::ArrayRef<::llvm::StringLiteral> getOperandNames() {
      static constexpr ::llvm::StringLiteral names[] = {}] #
      !interleave(operandNames, ", ") # [{};
      return names;
    }
  }] # ownDeclaration;

  // The results of every attention op follow from its operands alike, and all
  // hold the same in their regions.
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(
        ::mlir::MLIRContext *context, ::std::optional<::mlir::Location>,
        Adaptor adaptor, ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      return detail::inferAttentionTypes(
          detail::nameOperands(getOperandNames(), adaptor),
          adaptor.getProperties().resultSegmentSizes, types);
    }
    bool $cppClass::isCompatibleReturnTypes(::mlir::TypeRange inferred,
                                            ::mlir::TypeRange given) {
      return detail::areCompatibleAttentionTypes(
          inferred, given, /*mayBeWide=*/true,
          /*mayBeNarrow=*/::std::is_same_v<$cppClass, GenericOp>);
    }
    ::llvm::LogicalResult $cppClass::verifyRegions() {
      return detail::verifyScoreModOps(*this);
    }
    ::llvm::LogicalResult $cppClass::reifyResultShapes(
        ::mlir::OpBuilder &builder,
        ::mlir::ReifiedRankedShapedTypeDims &shapes) {
      return detail::reifyAttentionShapes(builder, *this, shapes);
    }
  }];

  string resultFormat = [{
    `->` type($result) (`weights` type($weights)^)? (`lse` type($lse)^)?
  }];
  string typeFormat = [{
    attr-dict `:` `(` type($query) `,` type($key) `,` type($value) `)`
  }] # resultFormat;
}

#endif // MIXATTN_DIALECT_ATTN_ATTENTION_OP_TD
