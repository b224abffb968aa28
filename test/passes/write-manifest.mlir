// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the manifest says of entries (lib/Runtime/manifest.md). Keys are sorted.
// Expressions of a score_mod are in write-manifest-score-mod.mlir.
//
// RUN: mixattn-opt --attn-write-manifest='cpu=x86-64-v3 features=fma,avx2' --split-input-file %s \
// RUN:   | sed 's/\\22/"/g' | FileCheck %s

// Everything about one attention. With B, N and S open: 2·(2·4 + 2·6) B N S
// operations on 2 heads; 4 bytes an element of each argument and result.
// CHECK-LABEL: module @one_attention attributes {attn.manifest = "{"abi":1,
// CHECK-SAME:  "entries":[{
// CHECK-SAME:    "arguments":[
// CHECK-SAME:      {"dtype":"f32","name":"q","shape":["B",2,"N",4]},
// CHECK-SAME:      {"dtype":"f32","name":"k","shape":["B",2,"S",4]},
// CHECK-SAME:      {"dtype":"f32","name":"v","shape":["B",1,"S",6]},
// CHECK-SAME:      {"dtype":"i64","name":"n","range":[0,"S"],"shape":["B"]}],
// CHECK-SAME:    "attention":{"causal":true,"key":"k","lengths":"n","normaliser":"softmax","query":"q","result":"o","scale":0.5,"value":"v"},
// CHECK-SAME:    "bytes":[{"coefficient":8,"dims":["B"]},
// CHECK-SAME:             {"coefficient":80,"dims":["B","N"]},
// CHECK-SAME:             {"coefficient":56,"dims":["B","S"]}],
// CHECK-SAME:    "flops":[{"coefficient":40,"dims":["B","N","S"]}],
// CHECK-SAME:    "name":"f",
// CHECK-SAME:    "results":[{"dtype":"f32","name":"o","shape":["B",2,"N",6]}],
// CHECK-SAME:    "symbol":"mixattn_f"}],
// CHECK-SAME:  "producer":"mixattn {{[0-9.]+}} (LLVM {{[0-9.]+}})",
// CHECK-SAME:  "target":{"arch":"x86_64","cpu":"x86-64-v3","features":["avx2","fma"]}}\0A"}
module @one_attention {
  func.func @f(%q: tensor<?x2x?x4xf32> {attn.name = "q", attn.dims = ["B", "N"]},
               %k: tensor<?x2x?x4xf32> {attn.name = "k", attn.dims = ["B", "S"]},
               %v: tensor<?x1x?x6xf32> {attn.name = "v", attn.dims = ["B", "S"]},
               %n: tensor<?xi64> {attn.name = "n", attn.dims = ["B"], attn.range = [0, "S"]})
      -> (tensor<?x2x?x6xf32> {attn.name = "o", attn.dims = ["B", "N"]}) {
    %o = attn.generic
        scores(%q, %k : tensor<?x2x?x4xf32>, tensor<?x2x?x4xf32>)
        lengths(%n : tensor<?xi64>) causal
        pool(%v : tensor<?x1x?x6xf32>) -> tensor<?x2x?x6xf32>
    return %o : tensor<?x2x?x6xf32>
  }
}

// -----

// The other clauses, in 16 bits.
// CHECK-LABEL: module @clauses
// CHECK-SAME:    {"dtype":"i1","name":"mask","shape":[3,3]}
// CHECK-SAME:    "attention":{"band":[3,0],"bias":"bias",{{.*}}"mask":"mask",{{.*}}"postmix":{"kind":"heads","mixer":"m"},{{.*}}"scale":0.25,
// CHECK-SAME:    "bytes":[{"coefficient":123,"dims":[]}]
!q = tensor<1x2x3x4xbf16>
module @clauses {
  func.func @f(%q: !q {attn.name = "q"}, %bias: tensor<f16> {attn.name = "bias"},
               %mask: tensor<3x3xi1> {attn.name = "mask"},
               %m: tensor<2x2xf32> {attn.name = "m"}) -> (!q {attn.name = "o"}) {
    %o = attn.generic scores(%q, %q : !q, !q) scale 0.25 bias(%bias : tensor<f16>)
        mask(%mask : tensor<3x3xi1>) band <3, 0> postmix(%m : tensor<2x2xf32>)
        pool(%q : !q) -> !q
    return %o : !q
  }
}

// -----

// A mixer per row; named ops are described as well.
// CHECK-LABEL: module @rows
// CHECK-SAME:    "postmix":{"b":"b","kind":"rows","source":"x","w":"w"}
!q = tensor<1x2x3x4xf32>
module @rows {
  func.func @f(%q: !q {attn.name = "q"}, %x: !q {attn.name = "x"},
               %w: tensor<4x2xf32> {attn.name = "w"},
               %b: tensor<2x2xf32> {attn.name = "b"}) -> (!q {attn.name = "o"}) {
    %o = attn.mix_heads %q, %q, %q
        mixer_by_row(%x, %w, %b : !q, tensor<4x2xf32>, tensor<2x2xf32>)
        : (!q, !q, !q) -> !q
    return %o : !q
  }
}

// -----

// Why an entry is more than one attention over its arguments: one entry each.
// CHECK-LABEL: module @more
// CHECK-SAME:    "attention":null,"attention_reason":"the entry holds 0 attention ops",{{.*}}"flops":[],"name":"none"
// CHECK-SAME:    "attention":null,"attention_reason":"the entry holds 2 attention ops",{{.*}}"name":"two"
// CHECK-SAME:    "attention":null,"attention_reason":"the entry computes more than its attention op",{{.*}}"name":"other_result"
// CHECK-SAME:    "attention":null,"attention_reason":"operand 'query' is not an argument of the entry",{{.*}}"name":"made_query"
// CHECK-SAME:    "attention":null,"attention_reason":"operand 'mixer' is not an argument of the entry",{{.*}}"name":"made_mixer"
!q = tensor<1x2x3x4xf32>
module @more {
  func.func @none(%x: !q {attn.name = "x"}) -> (!q {attn.name = "o"}) {
    return %x : !q
  }
  func.func @two(%x: !q {attn.name = "x"}) -> (!q {attn.name = "o"}) {
    %0 = attn.generic scores(%x, %x : !q, !q) pool(%x : !q) -> !q
    %1 = attn.generic scores(%0, %x : !q, !q) pool(%x : !q) -> !q
    return %1 : !q
  }
  func.func @other_result(%x: !q {attn.name = "x"})
      -> (!q {attn.name = "o"}, !q {attn.name = "p"}) {
    %0 = attn.generic scores(%x, %x : !q, !q) pool(%x : !q) -> !q
    return %0, %x : !q, !q
  }
  func.func @made_query(%x: !q {attn.name = "x"}) -> (!q {attn.name = "o"}) {
    %0 = arith.negf %x : !q
    %1 = attn.generic scores(%0, %x : !q, !q) pool(%x : !q) -> !q
    return %1 : !q
  }
  func.func @made_mixer(%x: !q {attn.name = "x"}) -> (!q {attn.name = "o"}) {
    %0 = arith.constant dense<2.0> : tensor<2x2xf32>
    %1 = attn.generic scores(%x, %x : !q, !q) postmix(%0 : tensor<2x2xf32>)
        pool(%x : !q) -> !q
    return %1 : !q
  }
}

// -----

// Sizes that have no name make the polynomial unknown.
// CHECK-LABEL: module @unknown_size
// CHECK-SAME:    "flops":null
!q = tensor<1x2x?x4xf32>
module @unknown_size {
  func.func @f(%x: !q {attn.name = "x", attn.dims = ["N"]}, %n: tensor<i32> {attn.name = "n"})
      -> (!q {attn.name = "o", attn.dims = ["N"]}) {
    %c0 = arith.constant 0 : index
    %length = tensor.extract %n[] : tensor<i32>
    %index = arith.index_cast %length : i32 to index
    %slice = tensor.extract_slice %x[0, 0, 0, 0] [1, 2, %index, 4] [1, 1, 1, 1] : !q to !q
    %o = attn.generic scores(%x, %slice : !q, !q) pool(%slice : !q) -> !q
    return %o : !q
  }
}

// -----

// Private functions are no entries.
// CHECK-LABEL: module @no_entries
// CHECK-SAME:    "entries":[]
module @no_entries {
  func.func private @f() {
    return
  }
}
