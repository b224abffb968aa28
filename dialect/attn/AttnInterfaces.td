// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The questions that passes may ask of an attention op.

#ifndef MIXATTN_DIALECT_ATTN_INTERFACES_TD
#define MIXATTN_DIALECT_ATTN_INTERFACES_TD

include "dialect/attn/AttnClauses.td"

def ScoreOpInterface : OpInterface<"ScoreOpInterface"> {
  let cppNamespace = "::mixattn";
  let description = [{
    An op that scores queries against keys: the operands of one raw score, and
    which pairs of query and key there are. Absent operands are null.
  }];
  let methods = [
    InterfaceMethod<"The queries `[B,Hq,N,D]`, or null where scores are given.",
                    "::mlir::Value", "getQuery">,
    InterfaceMethod<"The keys `[B,Hk,S,D]`, or `[B,Hk,R,S,D]` with R components, or null where scores are given.",
                    "::mlir::Value", "getKey">,
    InterfaceMethod<"Scores `[B,Hq,N,S]` that are given, or null.",
                    "::mlir::Value", "getGivenScores", (ins),
                    /*methodBody=*/"", "return {};">,
    InterfaceMethod<"Whether a raw score is a Gaussian's exponent; else it is a product.",
                    "bool", "getGaussian", (ins),
                    /*methodBody=*/"", "return false;">,
    InterfaceMethod<"Added per query and component, `[B,Hq,N]` or `[B,Hq,R,N]`, or null.",
                    "::mlir::Value", "getQueryTerm", (ins),
                    /*methodBody=*/"", "return {};">,
    InterfaceMethod<"Added per key and component, `[B,Hk,S]` or `[B,Hk,R,S]`, or null.",
                    "::mlir::Value", "getKeyTerm", (ins),
                    /*methodBody=*/"", "return {};">,
  ] # Attn_ScoreMethods # [
    // Facts that follow from these.
    InterfaceMethod<"The type of the queries, which must be there.",
                    "::mlir::RankedTensorType", "getQueryType", (ins),
                    /*methodBody=*/"", [{
      return ::llvm::cast<::mlir::RankedTensorType>($_op.getQuery().getType());
    }]>,
    InterfaceMethod<"The type of the keys, which must be there.",
                    "::mlir::RankedTensorType", "getKeyType", (ins),
                    /*methodBody=*/"", [{
      return ::llvm::cast<::mlir::RankedTensorType>($_op.getKey().getType());
    }]>,
    InterfaceMethod<"The operand and the dimension of it that count batch rows.",
                    "::mixattn::OperandDim", "getBatchDim", (ins),
                    /*methodBody=*/"", [{
      return ::mixattn::detail::getBatchDim($_op.getOperation());
    }]>,
    InterfaceMethod<"The operand and the dimension of it that count queries.",
                    "::mixattn::OperandDim", "getQueriesDim", (ins),
                    /*methodBody=*/"", [{
      return ::mixattn::detail::getQueriesDim($_op.getOperation());
    }]>,
    InterfaceMethod<"The operand and the dimension of it that count keys.",
                    "::mixattn::OperandDim", "getKeysDim", (ins),
                    /*methodBody=*/"", [{
      return ::mixattn::detail::getKeysDim($_op.getOperation());
    }]>,
    InterfaceMethod<"Heads of the queries: the channels of raw scores.",
                    "int64_t", "getNumQueryHeads", (ins),
                    /*methodBody=*/"", [{
      return ::mixattn::detail::getNumQueryHeads($_op.getOperation());
    }]>,
    InterfaceMethod<"How many query heads share one key head.",
                    "int64_t", "getKeyGroup", (ins),
                    /*methodBody=*/"", [{
      return ::mixattn::detail::getKeyGroup($_op.getOperation());
    }]>,
    InterfaceMethod<"Components that each score combines; 1 where there are none.",
                    "int64_t", "getNumComponents", (ins),
                    /*methodBody=*/"", [{
      return ::mixattn::detail::getNumComponents($_op.getOperation());
    }]>,
    InterfaceMethod<"Whether scores of several components combine, if only one.",
                    "bool", "hasComponents", (ins),
                    /*methodBody=*/"", [{
      return ::mixattn::detail::hasComponents($_op.getOperation());
    }]>,
    InterfaceMethod<[{The divisor of component r's product, or the variance of
                    its Gaussian: the one given, or sqrt(D), or 1 where D is
                    0.}],
                    "double", "getVariance", (ins "int64_t":$r),
                    /*methodBody=*/"", [{
      return ::mixattn::detail::getVariance($_op.getOperation(), r);
    }]>,
  ];
}

def AttentionOpInterface
    : OpInterface<"AttentionOpInterface", [ScoreOpInterface]> {
  let cppNamespace = "::mixattn";
  let description = [{
    An op that computes one attention: scores, pointwise changes, mask,
    normaliser, weights, pooled values. The methods name its parts; absent
    operands are null.
  }];
  let methods = [
    InterfaceMethod<"The values `[B,Hv,S,E]`.",
                    "::mlir::Value", "getValue">,
    InterfaceMethod<"The scale given, or none for the default.",
                    "::std::optional<::llvm::APFloat>", "getScale", (ins),
                    /*methodBody=*/"", "return ::std::nullopt;">,
    InterfaceMethod<"Whether the scale acts before the mixer of scores.",
                    "bool", "getScaleBefore", (ins),
                    /*methodBody=*/"", "return false;">,
    InterfaceMethod<"Whether scores are logarithms to base 2; else natural ones.",
                    "bool", "getBase2", (ins),
                    /*methodBody=*/"", "return false;">,
    InterfaceMethod<"The operands that are there, by their names.",
                    "::mixattn::NamedOperands", "getNamedOperands", (ins),
                    /*methodBody=*/[{
      return ::mixattn::detail::nameOperands(ConcreteOp::getOperandNames(), $_op);
    }]>,
    InterfaceMethod<"The result `[B,H,N,E]`.",
                    "::mlir::Value", "getResult">,
    InterfaceMethod<"The weights `[B,H,N,S]` that multiply the values, or null.",
                    "::mlir::Value", "getWeights">,
    InterfaceMethod<"The logarithm of the softmax's sum, `[B,H,N]`, or null.",
                    "::mlir::Value", "getLse">,
  ] # Attn_AttentionMethods;
  let extraClassDeclaration = [{
    ::mlir::RankedTensorType getValueType() {
      return ::llvm::cast<::mlir::RankedTensorType>(getValue().getType());
    }
    /// Heads of the weights and of the result.
    int64_t getNumHeads();
    /// How many output heads share one value head.
    int64_t getValueGroup() {
      return getNumHeads() / getValueType().getDimSize(1);
    }
    /// The factor on scores: the one given; else 1 where scores are given or
    /// variances divide them, and 1/sqrt(D), or 1 for D = 0, where nothing
    /// does.
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

def SizedOpInterface : OpInterface<"SizedOpInterface"> {
  let cppNamespace = "::mixattn";
  let description = [{
    An op of one result, each size of which is the size of an operand.
  }];
  let methods = [
    InterfaceMethod<"For each dimension of the result, one that has its size.",
                    "::llvm::SmallVector<::mixattn::OperandDim>", "getResultDims">,
    InterfaceMethod<"Pairs of dimensions of operands that must be equal.",
                    "::llvm::SmallVector<::std::pair<::mixattn::OperandDim, ::mixattn::OperandDim>>",
                    "getEqualDims", (ins), /*methodBody=*/"", "return {};">,
  ];
}

def FeatureOpInterface : OpInterface<"FeatureOpInterface"> {
  let cppNamespace = "::mixattn";
  let description = [{
    An op that makes features of queries or keys by a map.
  }];
  let methods = [
    InterfaceMethod<"The map, or none where they are features.",
                    "::std::optional<::mixattn::FeatureMapAttr>", "getFeatureMap">,
    InterfaceMethod<"The projection of the feature map, `[D,m]`, or null.",
                    "::mlir::Value", "getProjection">,
  ];
}

def LinearKeysOpInterface
    : OpInterface<"LinearKeysOpInterface", [FeatureOpInterface]> {
  let cppNamespace = "::mixattn";
  let description = [{
    An op that sums up states: features of keys times values. Absent operands
    are null.
  }];
  let methods = [
    InterfaceMethod<"The keys `[B,Hk,S,D]`, or `[B,Hk,R,S,D]` with R components.",
                    "::mlir::Value", "getKey">,
    InterfaceMethod<"The values `[B,Hv,S,E]`.",
                    "::mlir::Value", "getValue">,
    InterfaceMethod<"The shifts that components add to the keys, `[Hk,R,D]`, or null.",
                    "::mlir::Value", "getShifts", (ins),
                    /*methodBody=*/"", "return {};">,
    InterfaceMethod<"The weight of each component, `[Hk,R]` or `[Hk,R,S]`, or null.",
                    "::mlir::Value", "getPrior", (ins),
                    /*methodBody=*/"", "return {};">,
    InterfaceMethod<"Keys per batch row that count, or null.",
                    "::mlir::Value", "getLengths">,
    // Facts that follow from these.
    InterfaceMethod<"The type of the keys.",
                    "::mlir::RankedTensorType", "getKeyType", (ins),
                    /*methodBody=*/"", [{
      return ::llvm::cast<::mlir::RankedTensorType>($_op.getKey().getType());
    }]>,
    InterfaceMethod<"The type of the values.",
                    "::mlir::RankedTensorType", "getValueType", (ins),
                    /*methodBody=*/"", [{
      return ::llvm::cast<::mlir::RankedTensorType>($_op.getValue().getType());
    }]>,
    InterfaceMethod<"The operand and the dimension of it that count keys.",
                    "::mixattn::OperandDim", "getKeysDim", (ins),
                    /*methodBody=*/"", [{
      auto type = ::llvm::cast<::mlir::RankedTensorType>($_op.getKey().getType());
      return ::mixattn::OperandDim{$_op.getKey(), unsigned(type.getRank()) - 2};
    }]>,
    InterfaceMethod<"Heads of the keys: states that there are before the mixer.",
                    "int64_t", "getNumKeyHeads", (ins),
                    /*methodBody=*/"", [{
      return ::llvm::cast<::mlir::RankedTensorType>($_op.getKey().getType())
          .getDimSize(1);
    }]>,
    InterfaceMethod<"How many key heads share one value head.",
                    "int64_t", "getValueGroup", (ins),
                    /*methodBody=*/"", [{
      return ::llvm::cast<::mlir::RankedTensorType>($_op.getKey().getType())
                 .getDimSize(1) /
             ::llvm::cast<::mlir::RankedTensorType>($_op.getValue().getType())
                 .getDimSize(1);
    }]>,
    InterfaceMethod<"Components of each key; 1 where there are none.",
                    "int64_t", "getNumComponents", (ins),
                    /*methodBody=*/"", [{
      return ::mixattn::detail::getNumKeyComponents($_op.getKey(), $_op.getShifts());
    }]>,
    InterfaceMethod<"Whether features of several components add up, if only one.",
                    "bool", "hasComponents", (ins),
                    /*methodBody=*/"", [{
      return ::llvm::cast<::mlir::RankedTensorType>($_op.getKey().getType())
                     .getRank() == 5 || $_op.getShifts();
    }]>,
  ];
}

def LinearReadsOpInterface
    : OpInterface<"LinearReadsOpInterface", [FeatureOpInterface]> {
  let cppNamespace = "::mixattn";
  let description = [{
    An op whose queries read states: quotients of sums. Absent operands are
    null.
  }];
  let methods = [
    InterfaceMethod<"The queries `[B,Hq,N,D]`.",
                    "::mlir::Value", "getQuery">,
    InterfaceMethod<"The linear mixer `[Hk,Hq]` of states, or null.",
                    "::mlir::Value", "getPremixer", (ins),
                    /*methodBody=*/"", "return {};">,
    InterfaceMethod<"The number that is added to the denominator.",
                    "::llvm::APFloat", "getEps">,
    InterfaceMethod<"The factor of the result.",
                    "::llvm::APFloat", "getOutputScale">,
    InterfaceMethod<"The result `[B,Hq,N,E]`.",
                    "::mlir::Value", "getResult">,
    // Facts that follow from these.
    InterfaceMethod<"The type of the queries.",
                    "::mlir::RankedTensorType", "getQueryType", (ins),
                    /*methodBody=*/"", [{
      return ::llvm::cast<::mlir::RankedTensorType>($_op.getQuery().getType());
    }]>,
    InterfaceMethod<"The operand and the dimension of it that count batch rows.",
                    "::mixattn::OperandDim", "getBatchDim", (ins),
                    /*methodBody=*/"", [{
      return ::mixattn::OperandDim{$_op.getQuery(), 0};
    }]>,
    InterfaceMethod<"The operand and the dimension of it that count queries.",
                    "::mixattn::OperandDim", "getQueriesDim", (ins),
                    /*methodBody=*/"", [{
      return ::mixattn::OperandDim{$_op.getQuery(), 2};
    }]>,
    InterfaceMethod<"Heads of the queries and of the result.",
                    "int64_t", "getNumHeads", (ins),
                    /*methodBody=*/"", [{
      return ::llvm::cast<::mlir::RankedTensorType>($_op.getQuery().getType())
          .getDimSize(1);
    }]>,
  ];
}

def LinearAttentionOpInterface
    : OpInterface<"LinearAttentionOpInterface",
                  [LinearKeysOpInterface, LinearReadsOpInterface]> {
  let cppNamespace = "::mixattn";
  let description = [{
    An op that computes one linear attention: features of queries and keys, a
    state per key head, a mixer of states, quotients. The methods name its
    parts; absent operands are null.
  }];
  let methods = [
    InterfaceMethod<"The MLP over states, `[Hk,L] [L] [L,Hq] [Hq]`, or nulls.",
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
    InterfaceMethod<"The mixer `[Hk,Hq]` of denominators that goes with an MLP, or null.",
                    "::mlir::Value", "getNormaliser", (ins),
                    /*methodBody=*/"", "return {};">,
    InterfaceMethod<"Whether query i sees only keys j <= i + (S - N).",
                    "bool", "getCausal">,
  ];
  let extraClassDeclaration = [{
    /// How many query heads read one key head where no mixer stands between.
    int64_t getKeyGroup() { return getNumHeads() / getNumKeyHeads(); }
    /// Features that the map makes of one query or key.
    int64_t getNumFeatures();
    /// Whether states of different heads meet.
    bool hasPremix() { return getPremixer() || getW1(); }
  }];
}

def GeneralizableOpInterface : OpInterface<"GeneralizableOpInterface"> {
  let cppNamespace = "::mixattn";
  let description = [{
    A named attention op that the normal form can say. After generalising, no
    pass needs to know its name.
  }];
  let methods = [
    InterfaceMethod<"Replaces the op by an equal one in the normal form.", "void",
                    "generalize", (ins "::mlir::RewriterBase &":$rewriter)>,
  ];
}

#endif // MIXATTN_DIALECT_ATTN_INTERFACES_TD
