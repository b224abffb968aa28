// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The manifest of entries (lib/Runtime/manifest.md). Keys are sorted.
// Expressions of a score_mod are in write-manifest-score-mod.mlir.
//
// RUN: mixattn-opt --attn-set-target='chip=x86-64-v3 features=fma,avx2' --attn-write-manifest --split-input-file %s \
// RUN:   | sed 's/\\22/"/g' | FileCheck %s

// Everything about one attention. With B, N and S open: 2·(2·4 + 2·6) B N S
// operations on 2 heads; 4 bytes an element of each argument and result.
// CHECK-LABEL: module @one_attention attributes {attn.manifest = "{"abi":2,
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
// CHECK-SAME:  "target":{"arch":"x86_64","cpu":"x86-64-v3","features":["avx2","fma"],
// CHECK-SAME:    "machine":{"cores":8,"hertz":4000000000,"l1":32768,"l2":1048576,"l3":16777216,
// CHECK-SAME:      "multiply_adds":2,"pair_products":0,"shares_ports":false}}}\0A", attn.target
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

// The other clauses, in 16 bits; the mixer is a weight.
// CHECK-LABEL: module @clauses
// CHECK-SAME:    {"dtype":"i1","name":"mask","shape":[3,3]}
// CHECK-SAME:    {"dtype":"f32","name":"m","parameter":true,"shape":[2,2]}
// CHECK-SAME:    "attention":{"band":[3,0],"bias":"bias",{{.*}}"mask":"mask",{{.*}}"postmix":{"kind":"heads","mixer":"m"},{{.*}}"scale":0.25,
// CHECK-SAME:    "bytes":[{"coefficient":123,"dims":[]}]
!q = tensor<1x2x3x4xbf16>
module @clauses {
  func.func @f(%q: !q {attn.name = "q"}, %bias: tensor<f16> {attn.name = "bias"},
               %mask: tensor<3x3xi1> {attn.name = "mask"},
               %m: tensor<2x2xf32> {attn.name = "m", attn.parameter})
      -> (!q {attn.name = "o"}) {
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

// Three components in the keys. The product of each counts: (3·2·4 + 2·6)
// B N S operations, on 2 heads.
// CHECK-LABEL: module @mixture
// CHECK-SAME:    "attention":{"combine":"logsumexp","key":"keys","normaliser":"softmax","prior":"p","query":"q","result":"o","scale":1,"score":"gaussian","value":"v","variances":[8,16,24]},
// CHECK-SAME:    "flops":[{"coefficient":72,"dims":["B","N","S"]}]
module @mixture {
  func.func @f(%q: tensor<?x2x?x4xf32> {attn.name = "q", attn.dims = ["B", "N"]},
               %keys: tensor<?x1x3x?x4xf32> {attn.name = "keys", attn.dims = ["B", "S"]},
               %v: tensor<?x2x?x6xf32> {attn.name = "v", attn.dims = ["B", "S"]},
               %p: tensor<2x3x?xf32> {attn.name = "p", attn.dims = ["S"]})
      -> (tensor<?x2x?x6xf32> {attn.name = "o", attn.dims = ["B", "N"]}) {
    %o = attn.generic
        scores(%q, %keys : tensor<?x2x?x4xf32>, tensor<?x1x3x?x4xf32>)
        gaussian variances [8.0, 16.0, 24.0] prior(%p : tensor<2x3x?xf32>)
        pool(%v : tensor<?x2x?x6xf32>) -> tensor<?x2x?x6xf32>
    return %o : tensor<?x2x?x6xf32>
  }
}

// -----

// The largest of two products of shifted keys, divided by nothing but the
// scale.
// CHECK-LABEL: module @shifts
// CHECK-SAME:    "attention":{"combine":"maximum","key":"q","normaliser":"softmax","query":"q","result":"o","scale":0.5,"shifts":"d","value":"q"},
!q = tensor<1x2x3x4xf32>
module @shifts {
  func.func @f(%q: !q {attn.name = "q"}, %d: tensor<2x2x4xf32> {attn.name = "d"})
      -> (!q {attn.name = "o"}) {
    %o = attn.generic scores(%q, %q : !q, !q) shifted_by(%d : tensor<2x2x4xf32>)
        maximum pool(%q : !q) -> !q
    return %o : !q
  }
}

// -----

// A Gaussian of one key has no components; its variance is sqrt(4) unless
// given.
// CHECK-LABEL: module @gaussian
// CHECK-SAME:    "attention":{"key":"q","normaliser":"softmax","query":"q","result":"o","scale":1,"score":"gaussian","value":"q","variances":[2]},
!q = tensor<1x2x3x4xf32>
module @gaussian {
  func.func @f(%q: !q {attn.name = "q"}) -> (!q {attn.name = "o"}) {
    %o = attn.generic scores(%q, %q : !q, !q) gaussian pool(%q : !q) -> !q
    return %o : !q
  }
}

// -----

// The mixers of scores.
// CHECK-LABEL: module @premix
// CHECK-SAME:    "premix":{"kind":"linear","mixer":"m"},{{.*}}"scale":0.5,"value":"v"},{{.*}}"name":"linear"
// CHECK-SAME:    "premix":{"kind":"relu_per_key","mixer":"m"},{{.*}}"scale":3,"scale_before":true,"value":"v"},{{.*}}"name":"relu_per_key"
// CHECK-SAME:    "premix":{"b1":"b1","b2":"b2","kind":"mlp","w1":"w1","w2":"w2"},{{.*}}"name":"mlp"
!q = tensor<1x2x3x4xf32>
!v = tensor<1x6x3x4xf32>
!m = tensor<2x6xf32>
module @premix {
  func.func @linear(%q: !q {attn.name = "q"}, %v: !v {attn.name = "v"},
                    %m: !m {attn.name = "m"}) -> (!v {attn.name = "o"}) {
    %o = attn.generic scores(%q, %q : !q, !q) premix(%m : !m) pool(%v : !v) -> !v
    return %o : !v
  }
  func.func @relu_per_key(%q: !q {attn.name = "q"}, %v: !v {attn.name = "v"},
                          %m: !m {attn.name = "m"}) -> (!v {attn.name = "o"}) {
    %o = attn.generic scores(%q, %q : !q, !q) premix(%m : !m) relu_per_key
        scale 3.0 scale_before pool(%v : !v) -> !v
    return %o : !v
  }
  func.func @mlp(%q: !q {attn.name = "q"}, %v: !v {attn.name = "v"},
                 %w1: tensor<2x5xf32> {attn.name = "w1"},
                 %b1: tensor<5xf32> {attn.name = "b1"},
                 %w2: tensor<5x6xf32> {attn.name = "w2"},
                 %b2: tensor<6xf32> {attn.name = "b2"}) -> (!v {attn.name = "o"}) {
    %o = attn.generic scores(%q, %q : !q, !q)
        premix_mlp(%w1, %b1, %w2, %b2
            : tensor<2x5xf32>, tensor<5xf32>, tensor<5x6xf32>, tensor<6xf32>)
        pool(%v : !v) -> !v
    return %o : !v
  }
}

// -----

// Results on request, under their own names.
// CHECK-LABEL: module @results
// CHECK-SAME:    "attention":{"key":"q","lse":"l","normaliser":"softmax","query":"q","result":"o","scale":0.5,"value":"q","weights":"w"},
// CHECK-SAME:    "results":[{"dtype":"f32","name":"o","shape":[1,2,3,4]},{"dtype":"f32","name":"w","shape":[1,2,3,3]},{"dtype":"f32","name":"l","shape":[1,2,3]}]
!q = tensor<1x2x3x4xf32>
!w = tensor<1x2x3x3xf32>
!l = tensor<1x2x3xf32>
module @results {
  func.func @f(%q: !q {attn.name = "q"})
      -> (!q {attn.name = "o"}, !w {attn.name = "w"}, !l {attn.name = "l"}) {
    %o, %w, %l = attn.generic scores(%q, %q : !q, !q) pool(%q : !q)
        -> !q weights !w lse !l
    return %o, %w, %l : !q, !w, !l
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
// CHECK-SAME:    "attention":null,"attention_reason":"operand 'prior' is not an argument of the entry",{{.*}}"name":"made_prior"
// CHECK-SAME:    "attention":null,"attention_reason":"operand 'mixer' is not an argument of the entry",{{.*}}"name":"made_premixer"
// CHECK-SAME:    "attention":{"key":"x","key_term":"t",{{.*}}"name":"terms"
// CHECK-SAME:    "attention":null,"attention_reason":"the entry computes more than its attention op",{{.*}}"name":"weights_first"
// CHECK-SAME:    "attention":null,"attention_reason":"scores are logarithms to base 2",{{.*}}"name":"base2"
// CHECK-SAME:    "attention":null,"attention_reason":"the entry's result is an argument",{{.*}}"name":"cache"
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
  func.func @made_prior(%x: !q {attn.name = "x"}, %d: tensor<2x1x4xf32> {attn.name = "d"})
      -> (!q {attn.name = "o"}) {
    %0 = arith.constant dense<0.0> : tensor<2x1xf32>
    %1 = attn.generic scores(%x, %x : !q, !q) shifted_by(%d : tensor<2x1x4xf32>)
        prior(%0 : tensor<2x1xf32>) pool(%x : !q) -> !q
    return %1 : !q
  }
  func.func @made_premixer(%x: !q {attn.name = "x"}) -> (!q {attn.name = "o"}) {
    %0 = arith.constant dense<2.0> : tensor<2x2xf32>
    %1 = attn.generic scores(%x, %x : !q, !q) premix(%0 : tensor<2x2xf32>)
        pool(%x : !q) -> !q
    return %1 : !q
  }
  func.func @terms(%x: !q {attn.name = "x"}, %t: tensor<1x2x3xf32> {attn.name = "t"})
      -> (!q {attn.name = "o"}) {
    %0 = attn.generic scores(%x, %x : !q, !q) key_term(%t : tensor<1x2x3xf32>)
        pool(%x : !q) -> !q
    return %0 : !q
  }
  func.func @weights_first(%x: !q {attn.name = "x"})
      -> (tensor<1x2x3x3xf32> {attn.name = "w"}, !q {attn.name = "o"}) {
    %0:2 = attn.generic scores(%x, %x : !q, !q) pool(%x : !q)
        -> !q weights tensor<1x2x3x3xf32>
    return %0#1, %0#0 : tensor<1x2x3x3xf32>, !q
  }
  func.func @base2(%x: !q {attn.name = "x"}) -> (!q {attn.name = "o"}) {
    %0 = attn.generic scores(%x, %x : !q, !q) base2 pool(%x : !q) -> !q
    return %0 : !q
  }
  func.func @cache(%x: !q {attn.name = "x"}, %start: tensor<1xi64> {attn.name = "start"},
                   %cache: tensor<1x2x9x4xf32> {attn.name = "cache", attn.updates})
      -> (tensor<1x2x9x4xf32> {attn.name = "all", attn.updated = "cache"}) {
    %0 = attn.append %x into %cache at(%start) : !q, tensor<1xi64> into tensor<1x2x9x4xf32>
        -> tensor<1x2x9x4xf32>
    return %0 : tensor<1x2x9x4xf32>
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
