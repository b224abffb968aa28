// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The questions that passes may ask of an attention op.

#ifndef MIXATTN_DIALECT_ATTN_INTERFACES_TD
#define MIXATTN_DIALECT_ATTN_INTERFACES_TD

include "mlir/IR/OpBase.td"

def AttentionOpInterface : OpInterface<"AttentionOpInterface"> {
  let cppNamespace = "::mixattn";
  let description = [{
    An op that computes one attention: scores, pointwise changes, mask,
    normaliser, weights, pooled values. The methods name its parts; absent
    operands are null.
  }];
  let methods = [
    InterfaceMethod<"The queries `[B,H,N,D]`.", "::mlir::Value", "getQuery">,
    InterfaceMethod<"The keys `[B,Hk,S,D]`.", "::mlir::Value", "getKey">,
    InterfaceMethod<"The values `[B,Hv,S,E]`.", "::mlir::Value", "getValue">,
    InterfaceMethod<"Added to the scaled score, or null.", "::mlir::Value",
                    "getBias">,
    InterfaceMethod<"True where a query may attend, or null.", "::mlir::Value",
                    "getMask">,
    InterfaceMethod<"Keys per batch row that count, or null.", "::mlir::Value",
                    "getLengths">,
    InterfaceMethod<"The mixer `[H,H]` after the softmax, or null.",
                    "::mlir::Value", "getMixer", (ins),
                    /*methodBody=*/"", "return {};">,
    InterfaceMethod<"What the per-row mixer reads, `[B,H,N,Dm]`, or null.",
                    "::mlir::Value", "getMixSource", (ins),
                    /*methodBody=*/"", "return {};">,
    InterfaceMethod<"The weights `[Dm,H]` of the per-row mixer, or null.",
                    "::mlir::Value", "getMixWeight", (ins),
                    /*methodBody=*/"", "return {};">,
    InterfaceMethod<"The offset `[H,H]` of the per-row mixer, or null.",
                    "::mlir::Value", "getMixBias", (ins),
                    /*methodBody=*/"", "return {};">,
    InterfaceMethod<"Whether query i sees only keys j <= i + (S - N).", "bool",
                    "getCausal">,
    InterfaceMethod<"The band of keys that a query sees, or none.",
                    "::std::optional<::mixattn::BandAttr>", "getBand">,
    InterfaceMethod<"The scale given, or none for 1/sqrt(D).",
                    "::std::optional<::llvm::APFloat>", "getScale">,
    InterfaceMethod<"The pointwise change of a score; empty where absent.",
                    "::mlir::Region &", "getScoreMod">,
  ];
  let extraSharedClassDeclaration = [{
    ::mlir::RankedTensorType getQueryType() {
      return ::llvm::cast<::mlir::RankedTensorType>($_op.getQuery().getType());
    }
    ::mlir::RankedTensorType getKeyType() {
      return ::llvm::cast<::mlir::RankedTensorType>($_op.getKey().getType());
    }
    ::mlir::RankedTensorType getValueType() {
      return ::llvm::cast<::mlir::RankedTensorType>($_op.getValue().getType());
    }
    /// Query heads, which are the output heads.
    int64_t getNumHeads() { return getQueryType().getDimSize(1); }
    /// How many query heads share one key head, and one value head.
    int64_t getKeyGroup() {
      return getNumHeads() / getKeyType().getDimSize(1);
    }
    int64_t getValueGroup() {
      return getNumHeads() / getValueType().getDimSize(1);
    }
    /// The factor on q·k: the one given, or 1/sqrt(D), or 1 where D is 0.
    double getScaleOrDefault() {
      if (::std::optional<::llvm::APFloat> scale = $_op.getScale())
        return scale->convertToDouble();
      int64_t features = getQueryType().getDimSize(3);
      return features == 0 ? 1.0 : 1.0 / ::std::sqrt(double(features));
    }
    bool hasScoreMod() { return !$_op.getScoreMod().empty(); }
    /// Whether weights of different heads meet after the softmax.
    bool hasPostmix() { return $_op.getMixer() || $_op.getMixSource(); }
  }];
}

def GeneralizableOpInterface : OpInterface<"GeneralizableOpInterface"> {
  let cppNamespace = "::mixattn";
  let description = [{
    A named attention op that the normal form can say. After generalising, no
    pass needs to know its name.
  }];
  let methods = [
    InterfaceMethod<"Replaces the op by an equal `attn.generic`.", "void",
                    "generalize", (ins "::mlir::RewriterBase &":$rewriter)>,
  ];
}

#endif // MIXATTN_DIALECT_ATTN_INTERFACES_TD
