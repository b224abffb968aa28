// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The manifest of linear attentions (lib/Runtime/manifest.md).
//
// RUN: mixattn-opt --attn-bind-names --attn-generalize --attn-write-manifest --split-input-file %s \
// RUN:   | sed 's/\\22/"/g' | FileCheck %s

// Lengths have a range, a prior holds weights, sizes that must be equal have
// one name.
// CHECK-LABEL: module @everything
// CHECK-SAME:  {"dtype":"f32","name":"k","shape":["B",2,"S",8]}
// CHECK-SAME:  {"dtype":"f32","name":"shifts","shape":[2,3,8]}
// CHECK-SAME:  {"dtype":"f32","holds":{"kind":"prior"},"name":"prior","shape":[2,3,"S"]}
// CHECK-SAME:  {"dtype":"i64","name":"n","range":[0,"S"],"shape":["B"]}
// CHECK-SAME:  "attention":{"causal":true,"eps":1.0000000000000001e-05,"feature_map":{"kind":"favor","projection":"w"},"key":"k","lengths":"n","op":"linear_attention","output_scale":0.25,"prior":"prior","query":"q","result":"o","shifts":"shifts","value":"k"}
module @everything {
  func.func @f(%q: tensor<?x4x?x8xf32> {attn.name = "q", attn.dims = ["B", "N"]},
               %k: tensor<?x2x?x8xf32> {attn.name = "k", attn.dims = ["B", "S"]},
               %shifts: tensor<2x3x8xf32> {attn.name = "shifts"},
               %prior: tensor<2x3x?xf32> {attn.name = "prior"},
               %w: tensor<8x5xf32> {attn.name = "w"}, %n: tensor<?xi64> {attn.name = "n"})
      -> (tensor<?x4x?x8xf32> {attn.name = "o"}) {
    %o = attn.linear_mixture_of_keys %q, %k, %k shifted_by(%shifts : tensor<2x3x8xf32>)
        prior(%prior : tensor<2x3x?xf32>) feature_map <favor> favor(%w : tensor<8x5xf32>)
        lengths(%n : tensor<?xi64>) causal eps 1.0e-5 output_scale 0.25
        : (tensor<?x4x?x8xf32>, tensor<?x2x?x8xf32>, tensor<?x2x?x8xf32>) -> tensor<?x4x?x8xf32>
    return %o : tensor<?x4x?x8xf32>
  }
}

// -----

// CHECK-LABEL: module @mixers
// CHECK-SAME:  "feature_map":{"kind":"elu"}
// CHECK-SAME:  "premix":{"kind":"linear","mixer":"m"}
// CHECK-SAME:  "feature_map":{"kind":"dpfp","rolls":2}
// CHECK-SAME:  "premix":{"b1":"b1","b2":"b2","kind":"mlp","normaliser":"m","w1":"w1","w2":"w2"}
!q = tensor<1x4x3x8xf32>
!k = tensor<1x2x3x8xf32>
module @mixers {
  func.func @f(%q: !q {attn.name = "q"}, %k: !k {attn.name = "k"},
               %m: tensor<2x4xf32> {attn.name = "m"}) -> !q {
    %o = attn.linear_admixture_heads %q, %k, %k mixer(%m : tensor<2x4xf32>) feature_map <elu>
        : (!q, !k, !k) -> !q
    return %o : !q
  }
  func.func @g(%q: !q {attn.name = "q"}, %k: !k {attn.name = "k"},
               %m: tensor<2x4xf32> {attn.name = "m"}, %w1: tensor<2x3xf32> {attn.name = "w1"},
               %b1: tensor<3xf32> {attn.name = "b1"}, %w2: tensor<3x4xf32> {attn.name = "w2"},
               %b2: tensor<4xf32> {attn.name = "b2"}) -> !q {
    %o = attn.linear_admixture_heads %q, %k, %k
        mlp(%w1, %b1, %w2, %b2 : tensor<2x3xf32>, tensor<3xf32>, tensor<3x4xf32>, tensor<4xf32>)
        normaliser(%m : tensor<2x4xf32>) feature_map <dpfp, rolls = 2> : (!q, !k, !k) -> !q
    return %o : !q
  }
}

// -----

// CHECK-LABEL: module @given
// CHECK-SAME:  "attention":null,"attention_reason":"the features are given"
!q = tensor<1x4x3x8xf32>
module @given {
  func.func @f(%q: !q {attn.name = "q"}) -> !q {
    %o = attn.linear_generic features(%q, %q : !q, !q) pool(%q : !q) -> !q
    return %o : !q
  }
}
