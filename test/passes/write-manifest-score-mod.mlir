// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A score_mod as steps, each after its operands, every float in them f32.
//
// RUN: mixattn-opt --attn-write-manifest --split-input-file %s \
// RUN:   | sed 's/\\22/"/g' | FileCheck %s

// 30 tanh(s / 30), written in bf16.
// CHECK-LABEL: module @softcap
// CHECK-SAME:    "score_mod":{{\[\[}}"score","f32"],["constant","f32",30],["arith.divf","f32",0,1],["math.tanh","f32",2],["arith.mulf","f32",3,1]]
!q = tensor<1x2x3x4xf32>
module @softcap {
  func.func @f(%q: !q {attn.name = "q"}) -> (!q {attn.name = "o"}) {
    %o = attn.generic scores(%q, %q : !q, !q) score_mod {
    ^bb0(%s: bf16, %b: index, %h: index, %i: index, %j: index):
      %cap = arith.constant 30.0 : bf16
      %ratio = arith.divf %s, %cap : bf16
      %t = math.tanh %ratio : bf16
      %capped = arith.mulf %t, %cap : bf16
      attn.yield %capped : bf16
    } pool(%q : !q) -> !q
    return %o : !q
  }
}

// -----

// Indices, sizes, reads and constants; predicates precede operands.
// CHECK-LABEL: module @leaves
// CHECK-SAME:    "score_mod":{{\[\[}}"j","index"],["dim","index","k",2],["arith.cmpi","i1","slt",0,1],
// CHECK-SAME:      ["h","index"],["b","index"],["extract","f32","t",3,4],["arith.extf","f32",5],
// CHECK-SAME:      ["score","f32"],["constant","f32","nan"],["arith.cmpf","i1","ogt",7,8],["constant","f32","-inf"],
// CHECK-SAME:      ["i","index"],["constant","index",-2],["arith.addi","index",11,12],["arith.index_cast","i32",13],["arith.sitofp","f32",14],
// CHECK-SAME:      ["arith.select","f32",9,10,15],["arith.select","f32",2,6,16]]
!q = tensor<1x2x?x4xf32>
module @leaves {
  func.func @f(%q: !q {attn.name = "q", attn.dims = ["N"]},
               %k: !q {attn.name = "k", attn.dims = ["S"]},
               %t: tensor<2x1xf16> {attn.name = "t"})
      -> (!q {attn.name = "o", attn.dims = ["N"]}) {
    %two = arith.constant 2 : index
    %o = attn.generic scores(%q, %k : !q, !q) score_mod {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %size = tensor.dim %k, %two : !q
      %early = arith.cmpi slt, %j, %size : index
      %narrow = tensor.extract %t[%h, %b] : tensor<2x1xf16>
      %entry = arith.extf %narrow : f16 to f32
      %nan = arith.constant 0x7FC00000 : f32
      %hidden = arith.constant 0xFF800000 : f32
      %large = arith.cmpf ogt, %s, %nan : f32
      %back = arith.constant -2 : index
      %place = arith.addi %i, %back : index
      %integer = arith.index_cast %place : index to i32
      %float = arith.sitofp %integer : i32 to f32
      %0 = arith.select %large, %hidden, %float : f32
      %1 = arith.select %early, %entry, %0 : f32
      attn.yield %1 : f32
    } pool(%k : !q) -> !q
    return %o : !q
  }
}

// -----

// A value that an oracle cannot know is no expression: the manifest says why.
// CHECK-LABEL: module @refused
// CHECK-SAME:    "attention":null,"attention_reason":"'score_mod' reads a tensor that is not an argument",{{.*}}"name":"read"
// CHECK-SAME:    "attention":null,"attention_reason":"'score_mod' uses the size of a value that is not an argument",{{.*}}"name":"size"
// CHECK-SAME:    "attention":null,"attention_reason":"'score_mod' captures the result of 'index.add'",{{.*}}"name":"captured"
!q = tensor<1x2x3x4xf32>
module @refused {
  func.func @read(%q: !q {attn.name = "q"}) -> (!q {attn.name = "o"}) {
    %t = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
    %o = attn.generic scores(%q, %q : !q, !q) score_mod {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %0 = tensor.extract %t[%h] : tensor<2xf32>
      attn.yield %0 : f32
    } pool(%q : !q) -> !q
    return %o : !q
  }
  func.func @size(%q: !q {attn.name = "q"}, %n: tensor<i32> {attn.name = "n"})
      -> (!q {attn.name = "o"}) {
    %number = tensor.extract %n[] : tensor<i32>
    %rows = arith.index_cast %number : i32 to index
    %made = tensor.empty(%rows) : tensor<?xf32>
    %zero = arith.constant 0 : index
    %size = tensor.dim %made, %zero : tensor<?xf32>
    %o = attn.generic scores(%q, %q : !q, !q) score_mod {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %integer = arith.index_cast %size : index to i32
      %0 = arith.sitofp %integer : i32 to f32
      attn.yield %0 : f32
    } pool(%q : !q) -> !q
    return %o : !q
  }
  func.func @captured(%q: !q {attn.name = "q"}) -> (!q {attn.name = "o"}) {
    %one = arith.constant 1 : index
    %two = index.add %one, %one
    %o = attn.generic scores(%q, %q : !q, !q) score_mod {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %integer = arith.index_cast %two : index to i32
      %0 = arith.sitofp %integer : i32 to f32
      attn.yield %0 : f32
    } pool(%q : !q) -> !q
    return %o : !q
  }
}

// -----

// A value that is used twice is written once.
// CHECK-LABEL: module @doubled
// CHECK-SAME:    "score_mod":{{\[\[}}"score","f32"],["arith.addf","f32",0,0],["arith.addf","f32",1,1],["arith.mulf","f32",2,1]]
!q = tensor<1x2x3x4xf32>
module @doubled {
  func.func @f(%q: !q {attn.name = "q"}) -> (!q {attn.name = "o"}) {
    %o = attn.generic scores(%q, %q : !q, !q) score_mod {
    ^bb0(%0: f32, %b: index, %h: index, %i: index, %j: index):
      %1 = arith.addf %0, %0 : f32
      %2 = arith.addf %1, %1 : f32
      %3 = arith.mulf %2, %1 : f32
      attn.yield %3 : f32
    } pool(%q : !q) -> !q
    return %o : !q
  }
}

// -----

// Captured results of elementwise ops, reads and sizes are followed out of the
// region.
// CHECK-LABEL: module @followed
// CHECK-SAME:    "score_mod":{{\[\[}}"score","f32"],["constant","index",1],["extract","f32","t",1],["arith.negf","f32",2],["arith.addf","f32",0,3]]
!q = tensor<1x2x3x4xf32>
module @followed {
  func.func @f(%q: !q {attn.name = "q"}, %t: tensor<2xf32> {attn.name = "t"})
      -> (!q {attn.name = "o"}) {
    %one = arith.constant 1 : index
    %element = tensor.extract %t[%one] : tensor<2xf32>
    %shift = arith.negf %element : f32
    %o = attn.generic scores(%q, %q : !q, !q) score_mod {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %0 = arith.addf %s, %shift : f32
      attn.yield %0 : f32
    } pool(%q : !q) -> !q
    return %o : !q
  }
}
