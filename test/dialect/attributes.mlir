// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The attributes of entries, and #attn.band.
//
// RUN: mixattn-opt --verify-roundtrip %s | FileCheck %s

// The compiler leaves the manifest on the module.
// CHECK-LABEL: module @manifest attributes {attn.manifest = "{}"}
module @manifest attributes {attn.manifest = "{}"} {}

// Arguments and results have names; sizes too, one name per dynamic dimension.
// CHECK-LABEL: func.func private @names
// CHECK-SAME:    (tensor<?x8x?xf32> {attn.dims = ["B", "N"], attn.name = "q"}, tensor<8xf32> {attn.dims = [], attn.name = "_2"})
// CHECK-SAME:    -> (tensor<?xf32> {attn.dims = ["B"], attn.name = "o"})
func.func private @names(
    tensor<?x8x?xf32> {attn.name = "q", attn.dims = ["B", "N"]},
    tensor<8xf32> {attn.name = "_2", attn.dims = []})
    -> (tensor<?xf32> {attn.name = "o", attn.dims = ["B"]})

// A range runs from an integer or size to another; both may be equal.
// CHECK-LABEL: func.func private @ranges
// CHECK-SAME:    (tensor<?xi64> {attn.range = [0, "S"]}, tensor<i32> {attn.range = [-3, -3]}, tensor<4xi1> {attn.range = ["N", 1]})
func.func private @ranges(tensor<?xi64> {attn.range = [0, "S"]},
                          tensor<i32> {attn.range = [-3, -3]},
                          tensor<4xi1> {attn.range = ["N", 1]})

// Other rules for values.
// CHECK-LABEL: func.func private @holds
// CHECK-SAME:    (tensor<4x2xf32> {attn.holds = {kind = "prior"}}, tensor<4x2x?xbf16> {attn.holds = {kind = "log_prior"}}, tensor<?x3xi64> {attn.holds = {extents = [8, "N", "N"], kind = "coordinates"}}, tensor<?x3xi32> {attn.holds = {extents = ["N"], kind = "windows"}}, tensor<?x?xf32> {attn.holds = {kind = "nonempty"}})
func.func private @holds(
    tensor<4x2xf32> {attn.holds = {kind = "prior"}},
    tensor<4x2x?xbf16> {attn.holds = {kind = "log_prior"}},
    tensor<?x3xi64> {attn.holds = {kind = "coordinates", extents = [8, "N", "N"]}},
    tensor<?x3xi32> {attn.holds = {kind = "windows", extents = ["N"]}},
    tensor<?x?xf32> {attn.holds = {kind = "nonempty"}})

// Weights are told from inputs.
// CHECK-LABEL: func.func private @parameters
// CHECK-SAME:    (tensor<4xf32> {attn.parameter}, tensor<4xf32>)
func.func private @parameters(tensor<4xf32> {attn.parameter}, tensor<4xf32>)

// Attributes that the compiler sets on buffers.
// CHECK-LABEL: func.func private @buffers
// CHECK-SAME:    (memref<4xi8> {attn.boolean, attn.name = "mask"}, memref<4xf32> {attn.name = "o", attn.result})
func.func private @buffers(memref<4xi8> {attn.name = "mask", attn.boolean},
                           memref<4xf32> {attn.name = "o", attn.result})

// A band may be as wide as none, and wider than any tensor.
// CHECK-LABEL: func.func private @band
// CHECK-SAME:    #attn.band<0, 0>, #attn.band<12, 4611686018427387904>
func.func private @band() attributes {bands = [#attn.band<0, 0>, #attn.band<12, 4611686018427387904>]}
