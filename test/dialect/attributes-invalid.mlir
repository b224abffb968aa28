// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes that entries may not carry.
//
// RUN: mixattn-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{'func.func' op expected 'attn.name' of argument 0 to be an identifier, but got "a b"}}
func.func private @name_with_a_gap(tensor<4xf32> {attn.name = "a b"})

// -----

// expected-error @below {{'func.func' op expected 'attn.name' of argument 0 to be an identifier, but got "2q"}}
func.func private @name_that_begins_with_a_digit(tensor<4xf32> {attn.name = "2q"})

// -----

// expected-error @below {{'func.func' op expected 'attn.name' of argument 0 to be an identifier, but got ""}}
func.func private @empty_name(tensor<4xf32> {attn.name = ""})

// -----

// expected-error @below {{'func.func' op expected 'attn.name' of result 0 to be an identifier, but got 3 : i64}}
func.func private @number_as_name(tensor<4xf32>) -> (tensor<4xf32> {attn.name = 3})

// -----

// expected-error @below {{'func.func' op expected 'attn.dims' of argument 0 to be an array of identifiers, but got "N"}}
func.func private @dims_without_brackets(tensor<?xf32> {attn.dims = "N"})

// -----

// expected-error @below {{'func.func' op expected 'attn.dims' of argument 0 to be an array of identifiers, but got ["N", 3]}}
func.func private @number_as_dim(tensor<?x?xf32> {attn.dims = ["N", 3]})

// -----

// expected-error @below {{'func.func' op expected 'attn.dims' of argument 0 to be an array of identifiers, but got ["N-1"]}}
func.func private @expression_as_dim(tensor<?xf32> {attn.dims = ["N-1"]})

// -----

// expected-error @below {{'func.func' op expected 'attn.dims' of argument 0 to name the 1 dynamic dimensions of 'tensor<?x4xf32>', but got 2 names}}
func.func private @dim_too_many(tensor<?x4xf32> {attn.dims = ["B", "N"]})

// -----

// expected-error @below {{'func.func' op expected 'attn.dims' of result 0 to name the 2 dynamic dimensions of 'tensor<?x?xf32>', but got 1 names}}
func.func private @dim_too_few(tensor<?x?xf32>) -> (tensor<?x?xf32> {attn.dims = ["B"]})

// -----

// expected-error @below {{'func.func' op expected 'attn.dims' of argument 0 to name the 0 dynamic dimensions of 'index', but got 1 names}}
func.func private @dims_of_a_scalar(index {attn.dims = ["B"]})

// -----

// expected-error @below {{'func.func' op expected 'attn.range' of argument 0 to be two integers or names of dimensions, but got [0]}}
func.func private @range_of_one(tensor<4xi64> {attn.range = [0]})

// -----

// expected-error @below {{'func.func' op expected 'attn.range' of argument 0 to be two integers or names of dimensions, but got [0, 1.000000e+00]}}
func.func private @range_of_floats(tensor<4xi64> {attn.range = [0, 1.0]})

// -----

// expected-error @below {{'func.func' op expected 'attn.range' of argument 0 to be two integers or names of dimensions, but got [0 : i8, 3 : i8]}}
func.func private @range_of_bytes(tensor<4xi64> {attn.range = [0 : i8, 3 : i8]})

// -----

// expected-error @below {{'func.func' op expected 'attn.range' of argument 1 to be two integers or names of dimensions, but got [0, "N-1"]}}
func.func private @range_up_to_an_expression(i1, tensor<4xi64> {attn.range = [0, "N-1"]})

// -----

// expected-error @below {{'func.func' op expected 'attn.range' of argument 0 to ascend, but got [5, 4]}}
func.func private @descending_range(tensor<4xi64> {attn.range = [5, 4]})

// -----

// expected-error @below {{'func.func' op expected 'attn.range' of argument 0 to be on integers, but got 'tensor<4xf32>'}}
func.func private @range_on_floats(tensor<4xf32> {attn.range = [0, 1]})

// -----

// expected-error @below {{'func.func' op expected 'attn.range' of argument 0 to be on integers, but got 'i64'}}
func.func private @range_on_a_scalar(i64 {attn.range = [0, 1]})

// -----

// expected-error @below {{'func.func' op expected 'attn.holds' of argument 0 to be a condition on values of 'tensor<4xf32>', but got "prior"}}
func.func private @holds_no_dictionary(tensor<4xf32> {attn.holds = "prior"})

// -----

// expected-error @below {{'func.func' op expected 'attn.holds' of argument 0 to be a condition on values of 'tensor<4x2xf32>', but got {kind = "posterior"}}}
func.func private @holds_unknown(tensor<4x2xf32> {attn.holds = {kind = "posterior"}})

// -----

// expected-error @below {{'func.func' op expected 'attn.holds' of argument 0 to be a condition on values of 'tensor<4x2xf32>', but got {extents = [4], kind = "prior"}}}
func.func private @holds_more(tensor<4x2xf32> {attn.holds = {extents = [4], kind = "prior"}})

// -----

// expected-error @below {{'func.func' op expected 'attn.holds' of argument 0 to be a condition on values of 'tensor<4x2xi32>', but got {kind = "log_prior"}}}
func.func private @holds_of_integers(tensor<4x2xi32> {attn.holds = {kind = "log_prior"}})

// -----

// expected-error @below {{'func.func' op expected 'attn.holds' of argument 0 to be a condition on values of 'tensor<4xf32>', but got {kind = "prior"}}}
func.func private @holds_without_heads(tensor<4xf32> {attn.holds = {kind = "prior"}})

// -----

// expected-error @below {{'func.func' op expected 'attn.holds' of argument 0 to be a condition on values of 'tensor<?x3xi64>', but got {kind = "coordinates"}}}
func.func private @holds_without_extents(tensor<?x3xi64> {attn.holds = {kind = "coordinates"}})

// -----

// expected-error @below {{'func.func' op expected 'attn.holds' of argument 0 to be a condition on values of 'tensor<?x3xi64>', but got {extents = [8, "N"], kind = "coordinates"}}}
func.func private @holds_two_extents(tensor<?x3xi64> {attn.holds = {extents = [8, "N"], kind = "coordinates"}})

// -----

// expected-error @below {{'func.func' op expected 'attn.holds' of argument 0 to be a condition on values of 'tensor<?x3xf32>', but got {extents = [8, "N", "N"], kind = "coordinates"}}}
func.func private @holds_floats(tensor<?x3xf32> {attn.holds = {extents = [8, "N", "N"], kind = "coordinates"}})

// -----

// expected-error @below {{'func.func' op expected 'attn.holds' of argument 0 to be a condition on values of 'tensor<3xi64>', but got {extents = [8, "N", "N"], kind = "coordinates"}}}
func.func private @holds_of_a_row(tensor<3xi64> {attn.holds = {extents = [8, "N", "N"], kind = "coordinates"}})

// -----

// expected-error @below {{'func.func' op expected 'attn.holds' of argument 0 to be a condition on values of 'tensor<?x1xi64>', but got {extents = [-1], kind = "coordinates"}}}
func.func private @holds_no_extent(tensor<?x1xi64> {attn.holds = {extents = [-1], kind = "coordinates"}})

// -----

// expected-error @below {{'func.func' op expected 'attn.holds' of argument 0 to be a condition on values of 'tensor<?x2xi64>', but got {extents = ["N"], kind = "windows"}}}
func.func private @holds_windows_of_two(tensor<?x2xi64> {attn.holds = {extents = ["N"], kind = "windows"}})

// -----

// expected-error @below {{'func.func' op expected 'attn.holds' of argument 0 to be a condition on values of 'f32', but got {kind = "nonempty"}}}
func.func private @holds_on_a_scalar(f32 {attn.holds = {kind = "nonempty"}})

// -----

// expected-error @below {{'func.func' op expected 'attn.holds' of result 0 to be on an argument}}
func.func private @holds_among_the_results() -> (tensor<4x2xf32> {attn.holds = {kind = "prior"}})

// -----

// expected-error @below {{'func.func' op expected 'attn.parameter' of argument 0 to have no value, but got true}}
func.func private @parameter_with_a_value(tensor<4xf32> {attn.parameter = true})

// -----

// expected-error @below {{'func.func' op expected 'attn.parameter' of result 0 to be on an argument}}
func.func private @parameter_among_the_results() -> (tensor<4xf32> {attn.parameter})

// -----

// expected-error @below {{'func.func' op has the unknown attribute 'attn.nam' on argument 0}}
func.func private @unknown_attribute_on_an_argument(tensor<4xf32> {attn.nam = "q"})

// -----

// expected-error @below {{'func.func' op has the unknown attribute 'attn.rank' on result 0}}
func.func private @unknown_attribute_on_a_result() -> (tensor<4xf32> {attn.rank = 1})

// -----

// The compiler's own mark is for buffers.
// expected-error @below {{'func.func' op has the unknown attribute 'attn.result' on argument 0}}
func.func private @tensor_marked_as_buffer(tensor<4xf32> {attn.result})

// -----

// expected-error @below {{'func.func' op has the unknown attribute 'attn.name'}}
func.func private @attribute_on_the_function() attributes {attn.name = "f"}

// -----

// expected-error @below {{'builtin.module' op has the unknown attribute 'attn.manifest'}}
module @manifest_that_is_no_text attributes {attn.manifest = 1} {}

// -----

// expected-error @below {{expected band widths from 0 to 4611686018427387904, but got -1 and 2}}
func.func private @negative_width_below() attributes {band = #attn.band<-1, 2>}

// -----

// expected-error @below {{expected band widths from 0 to 4611686018427387904, but got 2 and -1}}
func.func private @negative_width_above() attributes {band = #attn.band<2, -1>}

// -----

// expected-error @below {{expected band widths from 0 to 4611686018427387904, but got 0 and 4611686018427387905}}
func.func private @wider_than_any_tensor() attributes {band = #attn.band<0, 4611686018427387905>}

// -----

// expected-error @below {{unknown attribute `stripe` in dialect `attn`}}
func.func private @unknown_attribute_of_the_dialect() attributes {a = #attn.stripe<1>}

// -----

// expected-error @below {{'builtin.module' op expected 'attn.sizes' to be on a function}}
module attributes {attn.sizes = {}} {
}

// -----

func.func @short_sums_of_nothing(%a: tensor<8xf32>, %o: tensor<f64>) -> tensor<f64> {
  // expected-error @below {{'linalg.generic' op expected 'attn.short_sums_in_f32' to be on a sum in f64 of f32}}
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>],
      iterator_types = ["reduction"]} ins(%a : tensor<8xf32>) outs(%o : tensor<f64>) attrs = {attn.short_sums_in_f32} {
  ^bb0(%x: f32, %sum: f64):
    linalg.yield
  } -> tensor<f64>
  return %0 : tensor<f64>
}

// -----

// expected-error @below {{'func.func' op expected 'attn.short_sums_in_f32' to be on a sum in f64 of f32}}
func.func private @short_sums_of_a_function() attributes {attn.short_sums_in_f32}

// -----

func.func @short_sums_of_products(%a: tensor<8xf32>, %o: tensor<f64>) -> tensor<f64> {
  // expected-error @below {{'linalg.generic' op expected 'attn.short_sums_in_f32' to be on a sum in f64 of f32}}
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>],
      iterator_types = ["reduction"]} ins(%a : tensor<8xf32>) outs(%o : tensor<f64>) attrs = {attn.short_sums_in_f32} {
  ^bb0(%x: f32, %sum: f64):
    %wide = arith.extf %x : f32 to f64
    %square = arith.mulf %wide, %wide : f64
    %next = arith.addf %sum, %square : f64
    linalg.yield %next : f64
  } -> tensor<f64>
  return %0 : tensor<f64>
}

// -----

// expected-error @below {{'func.func' op expected 'attn.sizes' to be a dictionary, but got ["N"]}}
func.func private @sizes_as_list(tensor<4xf32>) attributes {attn.sizes = ["N"]}

// -----

// expected-error @below {{'func.func' op expected the names in 'attn.sizes' to be identifiers, but got 'N-1'}}
func.func private @size_of_no_name(tensor<4xf32>) attributes {attn.sizes = {"N-1" = [1]}}

// -----

// expected-error @below {{'func.func' op expected 'attn.sizes' to give 'N' one or two sizes that ascend, or a text, but got [4, 2]}}
func.func private @descending_sizes(tensor<4xf32>) attributes {attn.sizes = {N = [4, 2]}}

// -----

// expected-error @below {{'func.func' op expected 'attn.sizes' to give 'N' one or two sizes that ascend, or a text, but got []}}
func.func private @no_size(tensor<4xf32>) attributes {attn.sizes = {N = []}}

// -----

// expected-error @below {{'func.func' op expected 'attn.sizes' to give 'N' one or two sizes that ascend, or a text, but got [-1]}}
func.func private @negative_size(tensor<4xf32>) attributes {attn.sizes = {N = [-1]}}
