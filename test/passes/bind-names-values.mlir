// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rules for the values of arguments that ops read as they are, and the sizes of
// ops that are no attention.
//
// RUN: mixattn-opt --attn-bind-names %s | FileCheck %s

!v = tensor<?x2x?x4xf32>
!keys = tensor<?x2x3x?x4xf32>
!gamma = tensor<?x2x3x?x?xf32>

// Indices lie within heads, rows and columns; there are as many as values.
// CHECK-LABEL: func.func @pool
// CHECK-SAME:    tensor<4x?x7xf32> {attn.dims = ["d0"], attn.name = "arg0"}
// CHECK-SAME:    tensor<?x3xi64> {attn.dims = ["d1"], attn.holds = {extents = [4, "d0", "d0"], kind = "coordinates"}, attn.name = "arg1"}
// CHECK-SAME:    tensor<?xf32> {attn.dims = ["d1"], attn.name = "arg2"}
// CHECK-SAME:    tensor<?x2x?x4xf32> {attn.dims = ["d2", "d0"], attn.name = "arg3"}
// CHECK-SAME:    -> (tensor<?x4x?x4xf32> {attn.dims = ["d2", "d0"], attn.name = "result0"})
func.func @pool(%band: tensor<4x?x7xf32>, %index: tensor<?x3xi64>,
                %value: tensor<?xf32>, %v: !v) -> tensor<?x4x?x4xf32> {
  %o = attn.structured_pool %v band(%band : tensor<4x?x7xf32>)
      error(%index, %value : tensor<?x3xi64>, tensor<?xf32>)
      : !v -> tensor<?x4x?x4xf32>
  return %o : tensor<?x4x?x4xf32>
}

// Windows lie within the rows, of which there may be a static number.
// CHECK-LABEL: func.func @windows
// CHECK-SAME:    tensor<?x3xi32> {attn.dims = ["T"], attn.holds = {extents = ["N"], kind = "windows"}, attn.name = "arg0"}
// CHECK-SAME:    tensor<?x3xi32> {attn.dims = ["d0"], attn.holds = {extents = [9], kind = "windows"}, attn.name = "arg2"}
func.func @windows(%t: tensor<?x3xi32> {attn.dims = ["T"]},
                   %v: !v {attn.dims = ["B", "N"]}, %u: tensor<?x3xi32>,
                   %w: tensor<?x2x9x4xf32>) -> (!v, tensor<?x2x9x4xf32>) {
  %0 = attn.structured_pool %v windows(%t : tensor<?x3xi32>) : !v -> !v
  %1 = attn.structured_pool %w windows(%u : tensor<?x3xi32>)
      : tensor<?x2x9x4xf32> -> tensor<?x2x9x4xf32>
  return %0, %1 : !v, tensor<?x2x9x4xf32>
}

// Logarithms of a softmax's prior, and a prior that is none.
// CHECK-LABEL: func.func @priors
// CHECK-SAME:    tensor<2x3xf32> {attn.holds = {kind = "log_prior"}, attn.name = "arg2"}
// CHECK-SAME:    tensor<2x3x?xf16> {attn.dims = ["d2"], attn.holds = {kind = "prior"}, attn.name = "arg3"}
func.func @priors(%q: !v, %k: !keys, %p: tensor<2x3xf32>, %r: tensor<2x3x?xf16>,
                  %v: !v) -> (!v, !v) {
  %0 = attn.mixture_of_keys %q, %k, %v prior(%p : tensor<2x3xf32>) : (!v, !keys, !v) -> !v
  %1 = attn.linear_mixture_of_keys %q, %k, %v prior(%r : tensor<2x3x?xf16>)
      feature_map <elu> : (!v, !keys, !v) -> !v
  return %0, %1 : !v, !v
}

// The shares of components have the sizes of queries and keys; masks and
// lengths tie them.
// CHECK-LABEL: func.func @responsibilities
// CHECK-SAME:    tensor<?x2x?x4xf32> {attn.dims = ["B", "N"], attn.name = "q"}
// CHECK-SAME:    tensor<?x2x3x?x4xf32> {attn.dims = ["B", "S"], attn.name = "keys"}
// CHECK-SAME:    tensor<2x3x?xf32> {attn.dims = ["S"], attn.holds = {kind = "log_prior"}, attn.name = "arg2"}
// CHECK-SAME:    tensor<1x1x?x?xi1> {attn.dims = ["N", "S"], attn.name = "arg3"}
// CHECK-SAME:    tensor<?xi64> {attn.dims = ["B"], attn.name = "arg4", attn.range = [0, "S"]}
// CHECK-SAME:    -> (tensor<?x2x3x?x?xf32> {attn.dims = ["B", "N", "S"], attn.name = "result0"})
func.func @responsibilities(%q: !v {attn.name = "q", attn.dims = ["B", "N"]},
                            %k: !keys {attn.name = "keys", attn.dims = ["B", "S"]},
                            %p: tensor<2x3x?xf32>, %m: tensor<1x1x?x?xi1>,
                            %n: tensor<?xi64>) -> !gamma {
  %g = attn.responsibilities %q, %k prior(%p : tensor<2x3x?xf32>)
      mask(%m : tensor<1x1x?x?xi1>) lengths(%n : tensor<?xi64>)
      : (!v, !keys) -> !gamma
  return %g : !gamma
}

// A mean is over something; one for each key has the keys' size.
// CHECK-LABEL: func.func @means
// CHECK-SAME:    tensor<?x2x3x?x?xf32> {attn.dims = ["d0", "d1", "d2"], attn.holds = {kind = "nonempty"}, attn.name = "arg0"}
// CHECK-SAME:    tensor<2x3xf32> {attn.name = "result0"}
// CHECK-SAME:    tensor<2x3x?xf32> {attn.dims = ["d2"], attn.name = "result1"}
func.func @means(%g: !gamma) -> (tensor<2x3xf32>, tensor<2x3x?xf32>) {
  %0 = attn.prior_update %g : !gamma -> tensor<2x3xf32>
  %1 = attn.prior_update %g per_key : !gamma -> tensor<2x3x?xf32>
  return %0, %1 : tensor<2x3xf32>, tensor<2x3x?xf32>
}

// A given rule stays, if ops ask for the same one; a value that is computed is
// no argument.
// CHECK-LABEL: func.func @given
// CHECK-SAME:    tensor<2x3xf32> {attn.holds = {kind = "log_prior"}, attn.name = "arg2"}
// CHECK-SAME:    tensor<2x3xf32> {attn.name = "arg3"}
func.func @given(%q: !v, %k: !keys, %p: tensor<2x3xf32> {attn.holds = {kind = "log_prior"}},
                 %x: tensor<2x3xf32>) -> (!gamma, !gamma) {
  %log = math.log %x : tensor<2x3xf32>
  %0 = attn.responsibilities %q, %k prior(%p : tensor<2x3xf32>) : (!v, !keys) -> !gamma
  %1 = attn.responsibilities %q, %k prior(%log : tensor<2x3xf32>) : (!v, !keys) -> !gamma
  return %0, %1 : !gamma, !gamma
}
