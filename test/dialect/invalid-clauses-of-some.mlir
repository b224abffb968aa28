// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Errors of clauses that only some ops take: given scores, projections, noise.
//
// RUN: mixattn-opt --split-input-file --verify-diagnostics %s

!s = tensor<2x3x5x7xf32>
!v = tensor<2x3x7x4xf32>
func.func @c21_scores_and_given(%s: !s, %v: !v) -> tensor<2x3x7x4xf32> {
  // expected-error @below {{'attn.generic' op expected either 'scores' or 'given'}}
  %o = attn.generic scores(%v, %v : !v, !v) given(%s : !s) pool(%v : !v) -> !v
  return %o : !v
}

// -----

!v = tensor<2x3x7x4xf32>
func.func @c21_neither(%v: !v) -> !v {
  // expected-error @below {{'attn.generic' op expected either 'scores' or 'given'}}
  %o = "attn.generic"(%v) <{
      operandSegmentSizes = array<i32: 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>,
      resultSegmentSizes = array<i32: 1, 0, 0>}> ({}) : (!v) -> !v
  return %o : !v
}

// -----

!v = tensor<2x3x7x4xf32>
func.func @c21_query_alone(%v: !v) -> !v {
  // expected-error @below {{'attn.generic' op expected either 'scores' or 'given'}}
  %o = "attn.generic"(%v, %v) <{
      operandSegmentSizes = array<i32: 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>,
      resultSegmentSizes = array<i32: 1, 0, 0>}> ({}) : (!v, !v) -> !v
  return %o : !v
}

// -----

!s = tensor<2x3x5x7xf32>
!v = tensor<2x3x7x4xf32>
!o = tensor<2x3x5x4xf32>
func.func @c21_given_and_term(%s: !s, %v: !v, %t: tensor<2x3x7xf32>) -> !o {
  // expected-error @below {{'attn.generic' op expected given scores without projections, components and terms}}
  %o = attn.generic given(%s : !s) key_term(%t : tensor<2x3x7xf32>) pool(%v : !v) -> !o
  return %o : !o
}

// -----

!s = tensor<2x?x5x7xf32>
!v = tensor<2x3x7x4xf32>
// expected-note @below {{'given_scores' defined here, of type 'tensor<2x?x5x7xf32>'}}
func.func @c21_given_heads(%s: !s, %v: !v) {
  // expected-error @below {{'attn.generic' op expected 'given_scores' to have static heads}}
  %o = attn.generic given(%s : !s) pool(%v : !v) -> tensor<2x?x5x4xf32>
  return
}

// -----

!s = tensor<2x3x5x7xf32>
!v = tensor<2x3x6x4xf32>
// expected-note @below {{'given_scores' defined here, of type 'tensor<2x3x5x7xf32>'}}
// expected-note @below {{'value' defined here, of type 'tensor<2x3x6x4xf32>'}}
func.func @c4_given(%s: !s, %v: !v) {
  // expected-error @below {{'attn.generic' op expected 'given_scores' and 'value' to agree on the length, but got 7 and 6}}
  %o = attn.generic given(%s : !s) pool(%v : !v) -> tensor<2x3x5x4xf32>
  return
}

// -----

!s = tensor<2x3x5x7xf32>
!v = tensor<1x3x7x4xf32>
// expected-note @below {{'given_scores' defined here, of type 'tensor<2x3x5x7xf32>'}}
// expected-note @below {{'value' defined here, of type 'tensor<1x3x7x4xf32>'}}
func.func @c3_given(%s: !s, %v: !v) {
  // expected-error @below {{'attn.generic' op expected 'given_scores' and 'value' to agree on the batch, but got 2 and 1}}
  %o = attn.generic given(%s : !s) pool(%v : !v) -> tensor<2x3x5x4xf32>
  return
}

// -----

!q = tensor<2x3x7x4xf32>
func.func @c24_one_projection(%q: !q, %e: tensor<6x7xf32>) -> !q {
  // expected-error @below {{'attn.softmax' op expected 'key_projection' and 'value_projection' together or not at all}}
  %o = "attn.softmax"(%q, %q, %q, %e) <{
      operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 0, 0>,
      resultSegmentSizes = array<i32: 1, 0, 0>}> ({})
      : (!q, !q, !q, tensor<6x7xf32>) -> !q
  return %o : !q
}

// -----

!q = tensor<2x3x7x4xf32>
!e = tensor<6x7xf32>
func.func @c24_causal(%q: !q, %e: !e) -> !q {
  // expected-error @below {{'attn.softmax' op expected projected keys without components, 'key_term', 'lengths', 'causal', 'band' and 'keep'}}
  %o = attn.softmax %q, %q, %q projected_by(%e, %e : !e, !e) causal : (!q, !q, !q) -> !q
  return %o : !q
}

// -----

!q = tensor<2x3x7x4xf32>
!e = tensor<6x8xf32>
// expected-note @below {{'key_projection' defined here, of type 'tensor<6x8xf32>'}}
func.func @c24_length(%q: !q, %e: !e) -> !q {
  // expected-error @below {{'attn.softmax' op expected 'key_projection' to have the shape [6, 7], but got 'tensor<6x8xf32>'}}
  %o = attn.softmax %q, %q, %q projected_by(%e, %e : !e, !e) : (!q, !q, !q) -> !q
  return %o : !q
}

// -----

!q = tensor<2x3x7x4xf32>
// expected-note @below {{'value_projection' defined here, of type 'tensor<5x7xf32>'}}
func.func @c24_rows(%q: !q, %e: tensor<6x7xf32>, %f: tensor<5x7xf32>) -> !q {
  // expected-error @below {{'attn.softmax' op expected 'value_projection' to have the shape [6, 7], but got 'tensor<5x7xf32>'}}
  %o = attn.softmax %q, %q, %q projected_by(%e, %f : tensor<6x7xf32>, tensor<5x7xf32>) : (!q, !q, !q) -> !q
  return %o : !q
}

// -----

!q = tensor<2x3x7x4xf32>
// expected-note @below {{'key_projection' defined here, of type 'tensor<?x7xf32>'}}
func.func @c24_dynamic(%q: !q, %e: tensor<?x7xf32>) -> !q {
  // expected-error @below {{'attn.softmax' op expected 'key_projection' to have static rows}}
  %o = attn.softmax %q, %q, %q projected_by(%e, %e : tensor<?x7xf32>, tensor<?x7xf32>) : (!q, !q, !q) -> !q
  return %o : !q
}

// -----

!q = tensor<1x2x5x8xf32>
!n = tensor<1x2x5x5xf32>
func.func @c25_no_sigma(%q: !q, %m: tensor<2x2xf32>, %n: !n) -> !q {
  // expected-error @below {{'attn.admixture_heads' op expected 'noise' and a sigma with 'drawn' or 'philox'}}
  %o = attn.admixture_heads %q, %q, %q mixer(%m : tensor<2x2xf32>) drawn(%n : !n) : (!q, !q, !q) -> !q
  return %o : !q
}

// -----

!q = tensor<1x2x5x8xf32>
func.func @c25_kind_alone(%q: !q, %m: tensor<2x2xf32>) -> !q {
  // expected-error @below {{'attn.admixture_heads' op expected 'noise' and a sigma with 'drawn' or 'philox'}}
  %o = "attn.admixture_heads"(%q, %q, %q, %m) <{noise_kind = #attn.noise<local>,
      operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>,
      resultSegmentSizes = array<i32: 1, 0, 0>}> ({}) : (!q, !q, !q, tensor<2x2xf32>) -> !q
  return %o : !q
}

// -----

!q = tensor<1x2x5x8xf32>
func.func @c25_seed_alone(%q: !q, %m: tensor<2x2xf32>, %s: tensor<2xf32>, %n: tensor<i64>) -> !q {
  // expected-error @below {{'attn.admixture_heads' op expected noise that is either drawn or from philox}}
  %o = "attn.admixture_heads"(%q, %q, %q, %m, %s, %n) <{noise_kind = #attn.noise<local>,
      operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0>,
      resultSegmentSizes = array<i32: 1, 0, 0>}> ({})
      : (!q, !q, !q, tensor<2x2xf32>, tensor<2xf32>, tensor<i64>) -> !q
  return %o : !q
}

// -----

!q = tensor<1x2x5x8xf32>
func.func @c25_no_noise(%q: !q, %m: tensor<2x2xf32>, %s: tensor<2xf32>) -> !q {
  // expected-error @below {{'attn.admixture_heads' op expected noise that is either drawn or from philox}}
  %o = attn.admixture_heads %q, %q, %q mixer(%m : tensor<2x2xf32>)
      noise <local> sigma(%s : tensor<2xf32>) : (!q, !q, !q) -> !q
  return %o : !q
}

// -----

!q = tensor<1x2x5x8xf32>
!n = tensor<1x2x5x5xf32>
func.func @c25_no_mixer(%q: !q, %s: tensor<2xf32>, %n: !n) -> !q {
  // expected-error @below {{'attn.generic' op expected noise with a mixer of scores, and local noise with a linear one}}
  %o = attn.generic scores(%q, %q : !q, !q) noise <global> sigma(%s : tensor<2xf32>) drawn(%n : !n)
      pool(%q : !q) -> !q
  return %o : !q
}

// -----

!q = tensor<1x2x5x8xf32>
!n = tensor<1x2x5x5xf32>
!m = tensor<2x2xf32>
!b = tensor<2xf32>
func.func @c25_local_mlp(%q: !q, %m: !m, %b: !b, %n: !n) -> !q {
  // expected-error @below {{'attn.admixture_heads' op expected noise with a mixer of scores, and local noise with a linear one}}
  %o = attn.admixture_heads %q, %q, %q mlp(%m, %b, %m, %b : !m, !b, !m, !b)
      noise <local> sigma(%b : !b) drawn(%n : !n) : (!q, !q, !q) -> !q
  return %o : !q
}

// -----

!q = tensor<1x2x5x8xf32>
!n = tensor<1x2x5x5xf32>
// expected-note @below {{'sigma' defined here, of type 'tensor<3xf32>'}}
func.func @c25_sigma(%q: !q, %m: tensor<2x2xf32>, %s: tensor<3xf32>, %n: !n) -> !q {
  // expected-error @below {{'attn.admixture_heads' op expected 'sigma' to have the shape [2], but got 'tensor<3xf32>'}}
  %o = attn.admixture_heads %q, %q, %q mixer(%m : tensor<2x2xf32>)
      noise <local> sigma(%s : tensor<3xf32>) drawn(%n : !n) : (!q, !q, !q) -> !q
  return %o : !q
}

// -----

!q = tensor<1x2x5x8xf32>
!v = tensor<1x4x5x8xf32>
!n = tensor<1x4x5x5xf32>
// expected-note @below {{'noise' defined here, of type 'tensor<1x4x5x5xf32>'}}
func.func @c25_global(%q: !q, %v: !v, %m: tensor<2x4xf32>, %s: tensor<2xf32>, %n: !n) -> !v {
  // expected-error @below {{'attn.admixture_heads' op expected 'noise' to have the shape [1, 2, 5, 5], but got 'tensor<1x4x5x5xf32>'}}
  %o = attn.admixture_heads %q, %q, %v mixer(%m : tensor<2x4xf32>)
      noise <global> sigma(%s : tensor<2xf32>) drawn(%n : !n) : (!q, !q, !v) -> !v
  return %o : !v
}

// -----

!q = tensor<1x2x5x8xf32>
// expected-note @below {{'premixer' defined here, of type 'tensor<3xf32>'}}
func.func @c16_shared_column(%q: !q, %m: tensor<3xf32>) -> !q {
  // expected-error @below {{'attn.admixture_heads' op expected 'premixer' to have the shape [2], but got 'tensor<3xf32>'}}
  %o = attn.admixture_heads %q, %q, %q mixer(%m : tensor<3xf32>) : (!q, !q, !q) -> !q
  return %o : !q
}

// -----

// expected-error @below {{expected 'rolls' from 1 to 64 with dpfp and none elsewhere, but got 0}}
func.func private @rolls_missing() attributes {x = #attn.feature_map<dpfp>}

// -----

// expected-error @below {{expected 'rolls' from 1 to 64 with dpfp and none elsewhere, but got 2}}
func.func private @rolls_of_elu() attributes {x = #attn.feature_map<elu, rolls = 2>}
