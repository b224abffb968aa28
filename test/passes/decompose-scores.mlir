// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scores before they are changed and masked: components, their combination,
// mixers over heads; and the results on request.
//
// RUN: mixattn-opt --attn-decompose --split-input-file %s \
// RUN:   | FileCheck %s --implicit-check-not=attn.

// Gaussians of three components in 16 bits: squared differences, divided by
// -2 variances, plus the prior; then logsumexp, whose largest term starts at
// -2^127. Query head h reads key head h / 2 in every component.
// CHECK-DAG: #[[QUERY:.+]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d3, d5)>
// CHECK-DAG: #[[KEY:.+]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1 floordiv 2, d2, d4, d5)>
// CHECK-DAG: #[[EACH:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>
// CHECK-DAG: #[[COMPONENT:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d2)>
// CHECK-DAG: #[[PRIOR:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d1, d2)>
// CHECK-DAG: #[[SCORE:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>
// CHECK-LABEL: func.func @gaussian_components
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: tensor<?x4x?x8xbf16>, %[[KEYS:[a-z0-9]+]]: tensor<?x2x3x?x8xbf16>, %[[P:[a-z0-9]+]]: tensor<4x3xf16>)

// Squared distances.
// CHECK:         %[[DISTANCES:.+]] = linalg.generic {indexing_maps = [#[[QUERY]], #[[KEY]], #{{.+}}], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%[[Q]], %[[KEYS]] :
// CHECK:           %[[DIFFERENCE:.+]] = arith.subf %{{.+}}, %{{.+}} : f32
// CHECK-NEXT:      %[[SQUARE:.+]] = arith.mulf %[[DIFFERENCE]], %[[DIFFERENCE]] : f32
// CHECK-NEXT:      arith.addf %{{.+}}, %[[SQUARE]] fastmath<reassoc> : f32

// Variances and prior.
// CHECK:         %[[FACTORS:.+]] = arith.constant dense<[-5.000000e-01, -2.500000e-01, -1.250000e-01]> : tensor<3xf32>
// CHECK:         %[[RAW:.+]] = linalg.generic {indexing_maps = [#[[EACH]], #[[COMPONENT]], #[[PRIOR]], #[[EACH]]], {{.*}} ins(%[[DISTANCES]], %[[FACTORS]], %[[P]] :
// CHECK-NEXT:    ^bb0(%[[DISTANCE:.+]]: f32, %[[FACTOR:.+]]: f32, %[[NARROW:.+]]: f16, %{{.+}}: f32):
// CHECK-DAG:       %[[EXPONENT:.+]] = arith.mulf %[[DISTANCE]], %[[FACTOR]] : f32
// CHECK-DAG:       %[[LOG_PRIOR:.+]] = arith.extf %[[NARROW]] : f16 to f32
// CHECK:           arith.addf %[[EXPONENT]], %[[LOG_PRIOR]] : f32

// Their logsumexp.
// CHECK:         %[[LEAST:.+]] = arith.constant -3.40282347E+38 : f32
// CHECK:         %[[LARGEST:.+]] = linalg.generic {indexing_maps = [#[[EACH]], #[[SCORE]]], iterator_types = ["parallel", "parallel", "reduction", "parallel", "parallel"]} ins(%[[RAW]] :
// CHECK:           arith.cmpf ogt
// CHECK:         %[[SUMS:.+]] = linalg.generic {indexing_maps = [#[[EACH]], #[[SCORE]], #[[SCORE]]], iterator_types = ["parallel", "parallel", "reduction", "parallel", "parallel"]} ins(%[[RAW]], %[[LARGEST]] :
// CHECK:           math.exp
// CHECK:         %[[COMBINED:.+]] = linalg.generic {{.*}} ins(%[[LARGEST]], %[[SUMS]] :
// CHECK-NEXT:    ^bb0(%[[MAX:.+]]: f32, %[[SUM:.+]]: f32, %{{.+}}: f32):
// CHECK-NEXT:      %[[LOG:.+]] = math.log %[[SUM]] : f32
// CHECK-NEXT:      arith.addf %[[MAX]], %[[LOG]] : f32

// The scale acts on the combination.
// CHECK:         linalg.generic {{.*}} ins(%[[COMBINED]] :
// CHECK:           %[[SCALE:.+]] = arith.constant 2.500000e-01 : f32
// CHECK-NEXT:      arith.mulf %{{.+}}, %[[SCALE]] : f32
!q = tensor<?x4x?x8xbf16>
!keys = tensor<?x2x3x?x8xbf16>
func.func @gaussian_components(%q: !q, %keys: !keys, %prior: tensor<4x3xf16>) -> !q {
  %o = attn.generic scores(%q, %keys : !q, !keys) gaussian
      variances [1.0, 2.0, 4.0] prior(%prior : tensor<4x3xf16>) scale 0.25
      pool(%q : !q) -> !q
  return %o : !q
}

// -----

// A prior by position has one per key.
// CHECK-DAG: #[[PRIOR:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d1, d2, d4)>
// CHECK-LABEL: func.func @prior_by_position
// CHECK-SAME:    %[[P:[a-z0-9]+]]: tensor<2x3x5xf32>)
// CHECK:         linalg.generic {indexing_maps = [#{{.+}}, #{{.+}}, #[[PRIOR]], #{{.+}}], {{.*}} ins(%{{.+}}, %{{.+}}, %[[P]] :
!q = tensor<1x2x5x4xf32>
!keys = tensor<1x2x3x5x4xf32>
func.func @prior_by_position(%q: !q, %keys: !keys, %prior: tensor<2x3x5xf32>) -> !q {
  %o = attn.generic scores(%q, %keys : !q, !keys)
      prior(%prior : tensor<2x3x5xf32>) pool(%q : !q) -> !q
  return %o : !q
}

// -----

// Products of shifted keys, each divided by its variance; their maximum starts
// at -inf.
// CHECK-DAG: #[[KEY:.+]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1 floordiv 2, d4, d5)>
// CHECK-DAG: #[[SHIFT:.+]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d1 floordiv 2, d2, d5)>
// CHECK-LABEL: func.func @shifts
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: tensor<1x4x3x8xf32>, %[[K:[a-z0-9]+]]: tensor<1x2x3x8xf32>, %[[SHIFTS:[a-z0-9]+]]: tensor<2x2x8xf32>)
// CHECK:         linalg.generic {indexing_maps = [#{{.+}}, #[[KEY]], #[[SHIFT]], #{{.+}}], {{.*}} ins(%[[Q]], %[[K]], %[[SHIFTS]] :
// CHECK-NEXT:    ^bb0(%[[QIN:.+]]: f32, %[[KIN:.+]]: f32, %[[SIN:.+]]: f32, %{{.+}}: f32):
// CHECK-NEXT:      %[[SHIFTED:.+]] = arith.addf %[[KIN]], %[[SIN]] : f32
// CHECK-NEXT:      arith.mulf %[[QIN]], %[[SHIFTED]] : f32
// CHECK:         arith.constant dense<[5.000000e-01, 2.500000e-01]> : tensor<2xf32>
// CHECK:         %[[LEAST:.+]] = arith.constant 0xFF800000 : f32
// CHECK-NEXT:    linalg.fill ins(%[[LEAST]] : f32)
// CHECK:           arith.maximumf
!q = tensor<1x4x3x8xf32>
!k = tensor<1x2x3x8xf32>
func.func @shifts(%q: !q, %k: !k, %shifts: tensor<2x2x8xf32>) -> !q {
  %o = attn.generic scores(%q, %k : !q, !k)
      shifted_by(%shifts : tensor<2x2x8xf32>) variances [2.0, 4.0] maximum
      pool(%q : !q) -> !q
  return %o : !q
}

// -----

// One Gaussian makes no components.
// CHECK-LABEL: func.func @gaussian
// CHECK:           arith.subf
// CHECK:         arith.constant dense<-2.500000e-01> : tensor<1xf32>
// CHECK-NOT:     math.log
// CHECK:         return
!q = tensor<1x2x3x4xf32>
func.func @gaussian(%q: !q) -> !q {
  %o = attn.generic scores(%q, %q : !q, !q) gaussian pool(%q : !q) -> !q
  return %o : !q
}

// -----

// A term per query and a term per key and component; the product is one for
// all components.
// CHECK-DAG: #[[PRODUCT:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>
// CHECK-DAG: #[[QUERY_TERM:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3)>
// CHECK-DAG: #[[KEY_TERM:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1 floordiv 2, d2, d4)>
// CHECK-LABEL: func.func @terms
// CHECK-SAME:    %[[T:[a-z0-9]+]]: tensor<1x4x3xf32>, %[[U:[a-z0-9]+]]: tensor<1x2x5x3xf16>)
// CHECK:         linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
// CHECK:         linalg.generic {indexing_maps = [#[[PRODUCT]], #{{.+}}, #[[QUERY_TERM]], #[[KEY_TERM]], #{{.+}}], {{.*}} ins(%{{.+}}, %{{.+}}, %[[T]], %[[U]] :
!q = tensor<1x4x3x8xf32>
!k = tensor<1x2x3x8xf32>
func.func @terms(%q: !q, %k: !k, %t: tensor<1x4x3xf32>, %u: tensor<1x2x5x3xf16>) -> !q {
  %o = attn.generic scores(%q, %k : !q, !k) query_term(%t : tensor<1x4x3xf32>)
      key_term(%u : tensor<1x2x5x3xf16>) pool(%q : !q) -> !q
  return %o : !q
}

// -----

// A linear mixer sums over query heads; the scale acts after it, on the heads
// of the result.
// CHECK-DAG: #[[MIXER:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d4, d1)>
// CHECK-DAG: #[[SOURCE:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d4, d2, d3)>
// CHECK-LABEL: func.func @premix
// CHECK-SAME:    %[[M:[a-z0-9]+]]: tensor<2x6xbf16>)
// CHECK:         %[[MIXED:.+]] = linalg.generic {indexing_maps = [#[[MIXER]], #[[SOURCE]], #{{.+}}], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%[[M]], %{{.+}} : tensor<2x6xbf16>, tensor<1x2x3x3xf32>)
// CHECK-NOT:       arith.maximumf
// CHECK:         linalg.generic {{.*}} ins(%[[MIXED]] : tensor<1x6x3x3xf32>)
// CHECK:           arith.constant 5.000000e-01 : f32
!q = tensor<1x2x3x4xf32>
!v = tensor<1x3x3x4xf32>
!o = tensor<1x6x3x4xf32>
func.func @premix(%q: !q, %v: !v, %m: tensor<2x6xbf16>) -> !o {
  %o = attn.generic scores(%q, %q : !q, !q) premix(%m : tensor<2x6xbf16>)
      pool(%v : !v) -> !o
  return %o : !o
}

// -----

// Each term of a rectified mixer on its own, of scores that are scaled before.
// CHECK-LABEL: func.func @relu_per_key
// CHECK:         linalg.generic {{.*}}"reduction"]
// CHECK:         %[[SCALED:.+]] = linalg.generic
// CHECK:           arith.constant 3.000000e+00 : f32
// CHECK-NEXT:      arith.mulf
// CHECK:         linalg.generic {{.*}} ins(%{{.+}}, %[[SCALED]] :
// CHECK:           %[[TERM:.+]] = arith.mulf
// CHECK:           %[[POSITIVE:.+]] = arith.maximumf %[[TERM]], %{{.+}} : f32
// CHECK:           arith.addf %{{.+}}, %[[POSITIVE]] : f32
// CHECK-NOT:     arith.constant 3.000000e+00
// CHECK:         return
!q = tensor<1x2x3x4xf32>
!v = tensor<1x6x3x4xf32>
func.func @relu_per_key(%q: !q, %v: !v, %m: tensor<2x6xf32>) -> !v {
  %o = attn.generic scores(%q, %q : !q, !q) premix(%m : tensor<2x6xf32>)
      relu_per_key scale 3.0 scale_before pool(%v : !v) -> !v
  return %o : !v
}

// -----

// A perceptron: its first layer starts at b1, its second at b2, and what lies
// between is rectified.
// CHECK-LABEL: func.func @mlp
// CHECK-SAME:    %[[W1:[a-z0-9]+]]: tensor<2x5xf32>, %[[B1:[a-z0-9]+]]: tensor<5xf16>, %[[W2:[a-z0-9]+]]: tensor<5x6xf32>, %[[B2:[a-z0-9]+]]: tensor<6xf32>)
// CHECK:         %[[START1:.+]] = linalg.generic {{.*}} ins(%[[B1]] :
// CHECK:         %[[LAYER:.+]] = linalg.generic {{.*}} ins(%[[W1]], %{{.+}} : {{.*}} outs(%[[START1]] : tensor<1x5x3x3xf32>)
// CHECK-NOT:       arith.maximumf
// CHECK:         %[[START2:.+]] = linalg.generic {{.*}} ins(%[[B2]] :
// CHECK:         linalg.generic {{.*}} ins(%[[W2]], %[[LAYER]] : {{.*}} outs(%[[START2]] : tensor<1x6x3x3xf32>)
// CHECK-NEXT:    ^bb0(%[[WEIGHT:.+]]: f32, %[[UNIT:.+]]: f32, %{{.+}}: f32):
// CHECK:           %[[POSITIVE:.+]] = arith.maximumf %[[UNIT]], %{{.+}} : f32
// CHECK-NEXT:      arith.mulf %[[WEIGHT]], %[[POSITIVE]] : f32
!q = tensor<1x2x3x4xf32>
!v = tensor<1x6x3x4xf32>
func.func @mlp(%q: !q, %v: !v, %w1: tensor<2x5xf32>, %b1: tensor<5xf16>,
               %w2: tensor<5x6xf32>, %b2: tensor<6xf32>) -> !v {
  %o = attn.generic scores(%q, %q : !q, !q)
      premix_mlp(%w1, %b1, %w2, %b2
          : tensor<2x5xf32>, tensor<5xf16>, tensor<5x6xf32>, tensor<6xf32>)
      pool(%v : !v) -> !v
  return %o : !v
}

// -----

// Weights are those that multiply the values, after a postmix; lse is of the
// scores before it. Both are f32, and only they are made on request.
// CHECK-LABEL: func.func @results
// CHECK:         %[[MAX:.+]] = linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel", "reduction"]
// CHECK:           arith.cmpf ogt
// CHECK:         %[[SUM:.+]] = linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel", "reduction"]
// CHECK:           arith.addf
// CHECK:         %[[LSE:.+]] = linalg.generic {{.*}} ins(%[[MAX]], %[[SUM]] :
// CHECK:           %[[LOG:.+]] = math.log
// CHECK-NEXT:      arith.addf %{{.+}}, %[[LOG]] : f32
// CHECK:           arith.divf
// CHECK:         %[[WEIGHTS:.+]] = linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]
// CHECK:           arith.mulf
// CHECK:         linalg.generic {{.*}} ins(%[[WEIGHTS]], %{{.+}} : tensor<1x2x3x3xf32>, tensor<1x2x3x4xf16>)
// CHECK:         %[[O:.+]] = linalg.generic
// CHECK:           arith.truncf
// CHECK:         %[[OPEN:.+]] = tensor.cast %[[WEIGHTS]] : tensor<1x2x3x3xf32> to tensor<1x2x?x3xf32>
// CHECK:         return %[[O]], %[[OPEN]], %[[LSE]]
!q = tensor<1x2x3x4xf16>
func.func @results(%q: !q, %m: tensor<2x2xf32>)
    -> (!q, tensor<1x2x?x3xf32>, tensor<1x2x3xf32>) {
  %o, %weights, %lse = attn.generic scores(%q, %q : !q, !q)
      postmix(%m : tensor<2x2xf32>) pool(%q : !q)
      -> !q weights tensor<1x2x?x3xf32> lse tensor<1x2x3xf32>
  return %o, %weights, %lse : !q, tensor<1x2x?x3xf32>, tensor<1x2x3xf32>
}

// -----

// No one asks: no logarithm.
// CHECK-LABEL: func.func @no_results
// CHECK-NOT:     math.log
// CHECK:         return
!q = tensor<1x2x3x4xf16>
func.func @no_results(%q: !q) -> !q {
  %o = attn.generic scores(%q, %q : !q, !q) pool(%q : !q) -> !q
  return %o : !q
}

// -----

// The new names decompose as well: the score of a named mixture without
// variances is divided by sqrt(16) in each component, before they combine.
// CHECK-LABEL: func.func @named
// CHECK:         arith.constant dense<2.500000e-01> : tensor<2xf32>
// CHECK:         math.log
// CHECK-NOT:     arith.constant 2.500000e-01
// CHECK:         return
!q = tensor<1x2x3x16xf32>
!keys = tensor<1x2x2x3x16xf32>
func.func @named(%q: !q, %keys: !keys) -> !q {
  %o = attn.mixture_of_keys %q, %keys, %q dot : (!q, !keys, !q) -> !q
  return %o : !q
}

// -----

// The hidden units of an MLP are known from one of its operands.
// CHECK-LABEL: func.func @open_hidden_units
// CHECK:         tensor.empty() : tensor<1x5x3x3xf32>
!q = tensor<1x2x3x4xf32>
func.func @open_hidden_units(%q: !q, %w1: tensor<?x5xf32>, %b1: tensor<?xf32>,
                             %w2: tensor<?x2xf32>, %b2: tensor<?xf32>) -> !q {
  %o = attn.generic scores(%q, %q : !q, !q)
      premix_mlp(%w1, %b1, %w2, %b2
          : tensor<?x5xf32>, tensor<?xf32>, tensor<?x2xf32>, tensor<?xf32>)
      pool(%q : !q) -> !q
  return %o : !q
}
