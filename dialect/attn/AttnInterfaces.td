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
    InterfaceMethod<"The queries `[B,Hq,N,D]`.",
                    "::mlir::Value", "getQuery">,
    InterfaceMethod<"The keys `[B,Hk,S,D]`, or `[B,Hk,R,S,D]` with R components.",
                    "::mlir::Value", "getKey">,
    InterfaceMethod<"The values `[B,Hv,S,E]`.",
                    "::mlir::Value", "getValue">,
    InterfaceMethod<"What component r adds to the keys, `[Hk,R,D]`, or null.",
                    "::mlir::Value", "getShifts", (ins),
                    /*methodBody=*/"", "return {};">,
    InterfaceMethod<"Whether a raw score is a Gaussian's exponent; else it is a product.",
                    "bool", "getGaussian", (ins),
                    /*methodBody=*/"", "return false;">,
    InterfaceMethod<"The variance of each component, or none.",
                    "::std::optional<::llvm::ArrayRef<double>>", "getVariances", (ins),
                    /*methodBody=*/"", "return ::std::nullopt;">,
    InterfaceMethod<"Added per query and component, `[B,Hq,N]` or `[B,Hq,R,N]`, or null.",
                    "::mlir::Value", "getQueryTerm", (ins),
                    /*methodBody=*/"", "return {};">,
    InterfaceMethod<"Added per key and component, `[B,Hk,S]` or `[B,Hk,R,S]`, or null.",
                    "::mlir::Value", "getKeyTerm", (ins),
                    /*methodBody=*/"", "return {};">,
    InterfaceMethod<"The logarithm of each component's prior, `[Hq,R]` or `[Hq,R,S]`, or null.",
                    "::mlir::Value", "getPrior", (ins),
                    /*methodBody=*/"", "return {};">,
    InterfaceMethod<"Whether components combine by their maximum; else by logsumexp.",
                    "bool", "getMaximum", (ins),
                    /*methodBody=*/"", "return false;">,
    InterfaceMethod<"The linear mixer `[Hq,H]` before the softmax, or null.",
                    "::mlir::Value", "getPremixer", (ins),
                    /*methodBody=*/"", "return {};">,
    InterfaceMethod<"Whether the linear mixer's terms pass through a ReLU.",
                    "bool", "getReluPerKey", (ins),
                    /*methodBody=*/"", "return false;">,
    InterfaceMethod<"The MLP before the softmax, `[Hq,L] [L] [L,H] [H]`, or nulls.",
                    "::mlir::Value", "getW1", (ins),
                    /*methodBody=*/"", "return {};">,
    InterfaceMethod<"See getW1.",
                    "::mlir::Value", "getB1", (ins),
                    /*methodBody=*/"", "return {};">,
    InterfaceMethod<"See getW1.",
                    "::mlir::Value", "getW2", (ins),
                    /*methodBody=*/"", "return {};">,
    InterfaceMethod<"See getW1.",
                    "::mlir::Value", "getB2", (ins),
                    /*methodBody=*/"", "return {};">,
    InterfaceMethod<"The scale given, or none for the default.",
                    "::std::optional<::llvm::APFloat>", "getScale", (ins),
                    /*methodBody=*/"", "return ::std::nullopt;">,
    InterfaceMethod<"Whether the scale acts before the mixer of scores.",
                    "bool", "getScaleBefore", (ins),
                    /*methodBody=*/"", "return false;">,
    InterfaceMethod<"Added to the mixed and scaled score, or null.",
                    "::mlir::Value", "getBias">,
    InterfaceMethod<"The pointwise change of a score; empty where absent.",
                    "::mlir::Region &", "getScoreMod">,
    InterfaceMethod<"True where a query may attend, or null.",
                    "::mlir::Value", "getMask">,
    InterfaceMethod<"Keys per batch row that count, or null.",
                    "::mlir::Value", "getLengths">,
    InterfaceMethod<"Whether query i sees only keys j <= i + (S - N).",
                    "bool", "getCausal">,
    InterfaceMethod<"The band of keys that a query sees, or none.",
                    "::std::optional<::mixattn::BandAttr>", "getBand">,
    InterfaceMethod<"The mixer `[H,H]` of weights, or null.",
                    "::mlir::Value", "getMixer", (ins),
                    /*methodBody=*/"", "return {};">,
    InterfaceMethod<"What the per-row mixer of weights reads, `[B,H,N,Dm]`, or null.",
                    "::mlir::Value", "getMixSource", (ins),
                    /*methodBody=*/"", "return {};">,
    InterfaceMethod<"The weights `[Dm,H]` of the per-row mixer, or null.",
                    "::mlir::Value", "getMixWeight", (ins),
                    /*methodBody=*/"", "return {};">,
    InterfaceMethod<"The offset `[H,H]` of the per-row mixer, or null.",
                    "::mlir::Value", "getMixBias", (ins),
                    /*methodBody=*/"", "return {};">,
    InterfaceMethod<"The result `[B,H,N,E]`.",
                    "::mlir::Value", "getResult">,
    InterfaceMethod<"The weights `[B,H,N,S]` that multiply the values, or null.",
                    "::mlir::Value", "getWeights">,
    InterfaceMethod<"The logarithm of the softmax's sum, `[B,H,N]`, or null.",
                    "::mlir::Value", "getLse">,
  ];
  let extraClassDeclaration = [{
    ::mlir::RankedTensorType getQueryType() {
      return ::llvm::cast<::mlir::RankedTensorType>(getQuery().getType());
    }
    ::mlir::RankedTensorType getKeyType() {
      return ::llvm::cast<::mlir::RankedTensorType>(getKey().getType());
    }
    ::mlir::RankedTensorType getValueType() {
      return ::llvm::cast<::mlir::RankedTensorType>(getValue().getType());
    }
    /// Heads of the queries: the channels of raw scores.
    int64_t getNumQueryHeads() { return getQueryType().getDimSize(1); }
    /// Heads of the weights and of the result.
    int64_t getNumHeads();
    /// How many query heads share one key head.
    int64_t getKeyGroup() {
      return getNumQueryHeads() / getKeyType().getDimSize(1);
    }
    /// How many output heads share one value head.
    int64_t getValueGroup() {
      return getNumHeads() / getValueType().getDimSize(1);
    }
    /// The dimension of the keys that counts them: 2, or 3 after components.
    unsigned getKeyLengthDim() { return getKeyType().getRank() - 2; }
    /// Components that each score combines; 1 where there are none.
    int64_t getNumComponents();
    /// Whether scores of several components combine, if only one.
    bool hasComponents();
    /// The divisor of component r's product, or the variance of its Gaussian:
    /// the one given, or sqrt(D), or 1 where D is 0.
    double getVariance(int64_t r);
    /// The factor on scores: the one given; else 1 where variances divide
    /// them, and 1/sqrt(D), or 1 for D = 0, where nothing does.
    double getScaleOrDefault();
    /// Whether weights stay the same when every raw score of a query's row
    /// grows by a constant of that row.
    bool isRowShiftInvariant();
    bool hasScoreMod() { return !getScoreMod().empty(); }
    /// Whether scores of different heads meet before the softmax.
    bool hasPremix() { return getPremixer() || getW1(); }
    /// Whether weights of different heads meet after the softmax.
    bool hasPostmix() { return getMixer() || getMixSource(); }
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
