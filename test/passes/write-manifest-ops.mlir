// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The manifest of ops that are no attention, and of rules for values.
//
// RUN: mixattn-opt --attn-bind-names --attn-write-manifest --split-input-file %s \
// RUN:   | sed 's/\\22/"/g' | FileCheck %s

!v = tensor<?x8x?x4xf32>

// CHECK-LABEL: module @band
// CHECK-SAME:    {"dtype":"i64","holds":{"extents":[8,"N","N"],"kind":"coordinates"},"name":"index","shape":["E",3]}
// CHECK-SAME:    "attention":{"band":"band","error_index":"index","error_value":"value","op":"structured_pool","result":"o","row_normalise":true,"value":"v"}
module @band {
  func.func @f(%band: tensor<8x?x7xf32> {attn.name = "band", attn.dims = ["N"]},
               %index: tensor<?x3xi64> {attn.name = "index", attn.dims = ["E"]},
               %value: tensor<?xf32> {attn.name = "value"},
               %v: !v {attn.name = "v", attn.dims = ["B", "N"]})
      -> (!v {attn.name = "o"}) {
    %o = attn.structured_pool %v band(%band : tensor<8x?x7xf32>)
        error(%index, %value : tensor<?x3xi64>, tensor<?xf32>) row_normalise
        : !v -> !v
    return %o : !v
  }
}

// -----

!v = tensor<?x8x?x4xf32>

// CHECK-LABEL: module @windows
// CHECK-SAME:    {"dtype":"i64","holds":{"extents":["N"],"kind":"windows"},"name":"triples","shape":["T",3]}
// CHECK-SAME:    "attention":{"op":"structured_pool","result":"o","value":"v","windows":"triples"}
module @windows {
  func.func @f(%t: tensor<?x3xi64> {attn.name = "triples", attn.dims = ["T"]},
               %v: !v {attn.name = "v", attn.dims = ["B", "N"]})
      -> (!v {attn.name = "o"}) {
    %o = attn.structured_pool %v windows(%t : tensor<?x3xi64>) : !v -> !v
    return %o : !v
  }
}

// -----

// Variances are always there.
!q = tensor<?x4x?x16xf32>
// CHECK-LABEL: module @responsibilities
// CHECK-SAME:    {"dtype":"f32","holds":{"kind":"log_prior"},"name":"p","shape":[4,2]}
// CHECK-SAME:    "attention":{"band":[3,1],"causal":true,"key":"k","lengths":"n","mask":"m","op":"responsibilities","prior":"p","query":"q","result":"gamma","score":"gaussian","shifts":"b","variances":[8,24]}
// CHECK-SAME:    "attention":{"key":"k","op":"responsibilities","query":"q","result":"gamma","variances":[4,4]}
module @responsibilities {
  func.func @f(%q: !q {attn.name = "q"}, %k: !q {attn.name = "k"},
               %b: tensor<4x2x16xf32> {attn.name = "b"},
               %p: tensor<4x2xf32> {attn.name = "p"},
               %m: tensor<1x1x?x?xi1> {attn.name = "m"},
               %n: tensor<?xi64> {attn.name = "n"})
      -> (tensor<?x4x2x?x?xf32> {attn.name = "gamma"}) {
    %g = attn.responsibilities %q, %k shifted_by(%b : tensor<4x2x16xf32>)
        variances [8.0, 24.0] prior(%p : tensor<4x2xf32>)
        mask(%m : tensor<1x1x?x?xi1>) lengths(%n : tensor<?xi64>) causal
        band <3, 1> : (!q, !q) -> tensor<?x4x2x?x?xf32>
    return %g : tensor<?x4x2x?x?xf32>
  }
  func.func @dot(%q: !q {attn.name = "q"},
                 %k: tensor<?x4x2x?x16xf32> {attn.name = "k"})
      -> (tensor<?x4x2x?x?xf32> {attn.name = "gamma"}) {
    %g = attn.responsibilities %q, %k dot
        : (!q, tensor<?x4x2x?x16xf32>) -> tensor<?x4x2x?x?xf32>
    return %g : tensor<?x4x2x?x?xf32>
  }
}

// -----

!gamma = tensor<?x4x2x?x?xf32>
// CHECK-LABEL: module @means
// CHECK-SAME:    {"dtype":"f32","holds":{"kind":"nonempty"},"name":"g","shape":["d0",4,2,"d1","d2"]}
// CHECK-SAME:    "attention":{"op":"prior_update","responsibilities":"g","result":"p"}
// CHECK-SAME:    "attention":{"op":"prior_update","per_key":true,"responsibilities":"g","result":"p"}
module @means {
  func.func @f(%g: !gamma {attn.name = "g"}) -> (tensor<4x2xf32> {attn.name = "p"}) {
    %p = attn.prior_update %g : !gamma -> tensor<4x2xf32>
    return %p : tensor<4x2xf32>
  }
  func.func @per_key(%g: !gamma {attn.name = "g"})
      -> (tensor<4x2x?xf32> {attn.name = "p"}) {
    %p = attn.prior_update %g per_key : !gamma -> tensor<4x2x?xf32>
    return %p : tensor<4x2x?xf32>
  }
}

// -----

// CHECK-LABEL: module @penalty
// CHECK-SAME:    "attention":{"mixer":"m","op":"orthogonal_penalty","result":"r"}
// CHECK-SAME:    "results":[{"dtype":"f32","name":"r","shape":[]}]
module @penalty {
  func.func @f(%m: tensor<8x8xf32> {attn.name = "m"}) -> (tensor<f32> {attn.name = "r"}) {
    %p = attn.orthogonal_penalty %m : tensor<8x8xf32> -> tensor<f32>
    return %p : tensor<f32>
  }
}

// -----

// Two ops, or one whose operand is computed, are not told.
!gamma = tensor<1x4x2x3x3xf32>
// CHECK-LABEL: module @not_told
// CHECK-SAME:    "attention":null,"attention_reason":"the entry holds 2 attention ops"
// CHECK-SAME:    "attention":null,"attention_reason":"operand 'responsibilities' is not an argument of the entry"
module @not_told {
  func.func @two(%m: tensor<8x8xf32>, %n: tensor<4x4xf32>) -> (tensor<f32>, tensor<f32>) {
    %0 = attn.orthogonal_penalty %m : tensor<8x8xf32> -> tensor<f32>
    %1 = attn.orthogonal_penalty %n : tensor<4x4xf32> -> tensor<f32>
    return %0, %1 : tensor<f32>, tensor<f32>
  }
  func.func @computed(%g: !gamma) -> tensor<4x2xf32> {
    %h = arith.addf %g, %g : !gamma
    %p = attn.prior_update %h : !gamma -> tensor<4x2xf32>
    return %p : tensor<4x2xf32>
  }
}
