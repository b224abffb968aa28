// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Entries that cannot be named.
//
// RUN: mixattn-opt %s --attn-bind-names --split-input-file --verify-diagnostics

// expected-error @below {{expected an entry's name to be an identifier that does not begin with 'manifest_of_', but got 'a b'}}
func.func @"a b"() {
  return
}

// -----

// expected-error @below {{expected an entry's name to be an identifier that does not begin with 'manifest_of_', but got 'manifest_of_f'}}
func.func @manifest_of_f() {
  return
}

// -----

func.func @f() {
  return
}
// expected-error @below {{expected entries whose functions have different names, but got 'f' and 'workspace_f'}}
func.func @workspace_f() {
  return
}

// -----

// expected-error @below {{expected entry 'two_blocks' to be one block that returns}}
func.func @two_blocks(%x: tensor<4xf32>) -> tensor<4xf32> {
  cf.br ^bb1
^bb1:
  return %x : tensor<4xf32>
}

// -----

// expected-error @below {{expected entry 'never_returns' to be one block that returns}}
func.func @never_returns() {
  ub.unreachable
}

// -----

// expected-error @below {{expected entry 'scalar' to take and return ranked tensors of floats or signless integers, but got 'f32'}}
func.func @scalar(%x: f32) {
  return
}

// -----

// expected-error @below {{expected entry 'unranked' to take and return ranked tensors of floats or signless integers, but got 'tensor<*xf32>'}}
func.func @unranked(%x: tensor<4xf32>) -> tensor<*xf32> {
  %y = tensor.cast %x : tensor<4xf32> to tensor<*xf32>
  return %y : tensor<*xf32>
}

// -----

// expected-error @below {{expected entry 'unsigned_integers' to take and return ranked tensors of floats or signless integers, but got 'tensor<4xui8>'}}
func.func @unsigned_integers(%x: tensor<4xui8>) {
  return
}

// -----

// expected-error @below {{expected entry 'encoding' to take and return ranked tensors of floats or signless integers, but got 'tensor<4xf32, "packed">'}}
func.func @encoding(%x: tensor<4xf32, "packed">) {
  return
}

// -----

func.func @recursion() {
  // expected-error @below {{expected the functions that entry 'recursion' calls to be inlined, but got @recursion}}
  call @recursion() : () -> ()
  return
}

// -----

func.func @call_of_a_pointer(%x: tensor<4xf32>) {
  %f = func.constant @call_of_a_pointer : (tensor<4xf32>) -> ()
  // expected-error @below {{expected the functions that entry 'call_of_a_pointer' calls to be inlined}}
  func.call_indirect %f(%x) : (tensor<4xf32>) -> ()
  return
}

// -----

// expected-error @below {{expected the arguments and results of entry 'one_name_for_two' to have distinct names, but got 'x' twice}}
func.func @one_name_for_two(%x: tensor<f32> {attn.name = "x"},
                            %y: tensor<f32> {attn.name = "x"}) {
  return
}

// -----

// A name that is given may be the one that another party has by default.
// expected-error @below {{expected the arguments and results of entry 'default_taken' to have distinct names, but got 'arg0' twice}}
func.func @default_taken(%x: tensor<f32>) -> (tensor<f32> {attn.name = "arg0"}) {
  return %x : tensor<f32>
}

// -----

!q = tensor<?x2x3x4xf32>
// expected-error @below {{expected one name for dimension 0 of argument 'q' and all that must equal it, but got 'A' and 'B'}}
func.func @two_names(%q: !q {attn.name = "q", attn.dims = ["A"]},
                     %k: !q {attn.dims = ["B"]}) -> !q {
  %o = attn.softmax %q, %k, %k : (!q, !q, !q) -> !q
  return %o : !q
}

// -----

!q = tensor<?x2x3x4xf32>
// expected-error @below {{expected dimension 0 of argument 'arg0' to be written as 5, the only size that its uses allow}}
func.func @one_size_only(%q: !q, %k: tensor<5x2x3x4xf32>) -> !q {
  %o = attn.softmax %q, %k, %k
      : (!q, tensor<5x2x3x4xf32>, tensor<5x2x3x4xf32>) -> !q
  return %o : !q
}

// -----

// Heads of a mixer are those of the query.
!q = tensor<1x2x3x4xf32>
// expected-error @below {{expected dimension 1 of argument 'm' to be written as 2, the only size that its uses allow}}
func.func @open_heads(%q: !q, %m: tensor<2x?xf32> {attn.name = "m"}) -> !q {
  %o = attn.mix_heads %q, %q, %q mixer(%m : tensor<2x?xf32>) : (!q, !q, !q) -> !q
  return %o : !q
}

// -----

// Shifts are of key heads and have the features of the query.
!q = tensor<1x4x3x8xf32>
!k = tensor<1x2x3x8xf32>
// expected-error @below {{expected dimension 0 of argument 'shifts' to be written as 2, the only size that its uses allow}}
func.func @open_heads_of_shifts(
    %q: !q, %k: !k, %shifts: tensor<?x2x?xf32> {attn.name = "shifts"}) -> !q {
  %o = attn.mixture_of_keys %q, %k, %k shifted_by(%shifts : tensor<?x2x?xf32>)
      : (!q, !k, !k) -> !q
  return %o : !q
}

// -----

// A prior is of query heads.
!q = tensor<1x4x3x8xf32>
!keys = tensor<1x2x2x3x8xf32>
// expected-error @below {{expected dimension 0 of argument 'prior' to be written as 4, the only size that its uses allow}}
func.func @open_heads_of_a_prior(
    %q: !q, %keys: !keys, %prior: tensor<?x2xf32> {attn.name = "prior"}) -> !q {
  %o = attn.mixture_of_keys %q, %keys, %q prior(%prior : tensor<?x2xf32>)
      : (!q, !keys, !q) -> !q
  return %o : !q
}

// -----

// Components of a prior and of terms are those of the keys.
!q = tensor<1x4x3x8xf32>
!keys = tensor<1x2x2x3x8xf32>
// expected-error @below {{expected dimension 1 of argument 'prior' to be written as 2, the only size that its uses allow}}
func.func @open_components_of_a_prior(
    %q: !q, %keys: !keys, %prior: tensor<4x?xf32> {attn.name = "prior"}) -> !q {
  %o = attn.mixture_of_keys %q, %keys, %q prior(%prior : tensor<4x?xf32>)
      : (!q, !keys, !q) -> !q
  return %o : !q
}

// -----

!q = tensor<1x4x3x8xf32>
!keys = tensor<1x2x2x3x8xf32>
// expected-error @below {{expected dimension 2 of argument 'term' to be written as 2, the only size that its uses allow}}
func.func @open_components_of_a_term(
    %q: !q, %keys: !keys, %term: tensor<1x2x?x3xf32> {attn.name = "term"}) -> !q {
  %o = attn.generic scores(%q, %keys : !q, !keys)
      key_term(%term : tensor<1x2x?x3xf32>) pool(%q : !q) -> !q
  return %o : !q
}

// -----

// The rows of a mixer of scores are the heads of the query.
!q = tensor<1x4x3x8xf32>
!v = tensor<1x2x3x8xf32>
// expected-error @below {{expected dimension 0 of argument 'm' to be written as 4, the only size that its uses allow}}
func.func @open_rows(%q: !q, %v: !v, %m: tensor<?x2xf32> {attn.name = "m"}) -> !v {
  %o = attn.admixture_heads %q, %q, %v mixer(%m : tensor<?x2xf32>)
      : (!q, !q, !v) -> !v
  return %o : !v
}

// -----

// The hidden units of an MLP are the columns of its first layer.
!q = tensor<1x2x3x8xf32>
!w = tensor<2x3xf32>
!c = tensor<2xf32>
// expected-error @below {{expected dimension 0 of argument 'b1' to be written as 3, the only size that its uses allow}}
func.func @open_hidden_units(
    %q: !q, %w1: !w, %b1: tensor<?xf32> {attn.name = "b1"},
    %w2: tensor<?x2xf32>, %b2: !c) -> !q {
  %o = attn.admixture_heads %q, %q, %q
      mlp(%w1, %b1, %w2, %b2 : !w, tensor<?xf32>, tensor<?x2xf32>, !c)
      : (!q, !q, !q) -> !q
  return %o : !q
}

// -----

// Biases of mixed scores have the heads of the result.
!q = tensor<1x2x3x8xf32>
!v = tensor<1x6x3x8xf32>
// expected-error @below {{expected dimension 0 of argument 'bias' to be written as 6, the only size that its uses allow}}
func.func @open_heads_of_a_bias(
    %q: !q, %v: !v, %m: tensor<2x6xf32>,
    %bias: tensor<?x3x3xf32> {attn.name = "bias"}) -> !v {
  %o = attn.admixture_heads %q, %q, %v mixer(%m : tensor<2x6xf32>)
      bias(%bias : tensor<?x3x3xf32>) : (!q, !q, !v) -> !v
  return %o : !v
}

// -----

// expected-error @below {{expected dimension 0 of result 'o' to be 'N', as its ops show, but got 'M'}}
func.func @another_name_of_a_result(
    %x: tensor<?xf32> {attn.dims = ["N"]}, %y: tensor<?xf32> {attn.dims = ["M"]})
    -> (tensor<?xf32> {attn.name = "o", attn.dims = ["M"]}) {
  return %x : tensor<?xf32>
}

// -----

// A promise is not enough: the result's memory is the caller's.
// expected-error @below {{expected dimension 0 of result 'o' to be '2 N', as its ops show, but got 'N'}}
func.func @promise(%x: tensor<?xf32> {attn.dims = ["N"]})
    -> (tensor<?xf32> {attn.name = "o", attn.dims = ["N"]}) {
  %o = tensor.concat dim(0) %x, %x : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %o : tensor<?xf32>
}

// -----

// A loop that grows what it carries.
// expected-error @below {{expected dimension 0 of result 'o' to have the size of an argument's dimension, or one computed from such, which its ops do not show}}
func.func @growing_loop(%x: tensor<?xf32> {attn.dims = ["N"]})
    -> (tensor<?xf32> {attn.name = "o"}) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %o = scf.for %i = %zero to %one step %one iter_args(%a = %x) -> tensor<?xf32> {
    %b = tensor.concat dim(0) %a, %a : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    scf.yield %b : tensor<?xf32>
  }
  return %o : tensor<?xf32>
}

// -----

// The heads of a result are those of the mixer of its scores.
!q = tensor<1x2x3x8xf32>
!v = tensor<1x6x3x8xf32>
// expected-error @below {{expected dimension 1 of result 'result0' to be written as 6, the only size that it can have}}
func.func @open_heads_of_a_result(%q: !q, %v: !v, %m: tensor<2x6xf32>)
    -> tensor<1x?x3x8xf32> {
  %o = attn.admixture_heads %q, %q, %v mixer(%m : tensor<2x6xf32>)
      : (!q, !q, !v) -> tensor<1x?x3x8xf32>
  return %o : tensor<1x?x3x8xf32>
}

// -----

// expected-error @below {{expected dimension 0 of result 'o' to have the size of an argument's dimension, or one computed from such, which its ops do not show}}
func.func @size_out_of_nowhere(%n: tensor<i32>) -> (tensor<?xf32> {attn.name = "o"}) {
  %size = tensor.extract %n[] : tensor<i32>
  %index = arith.index_cast %size : i32 to index
  %o = tensor.empty(%index) : tensor<?xf32>
  return %o : tensor<?xf32>
}

// -----

// expected-error @below {{expected dimension 0 of result 'o' to occur in an argument, but got 'N'}}
func.func @name_out_of_nowhere(%n: tensor<i32>)
    -> (tensor<?xf32> {attn.name = "o", attn.dims = ["N"]}) {
  %size = tensor.extract %n[] : tensor<i32>
  %index = arith.index_cast %size : i32 to index
  %o = tensor.empty(%index) : tensor<?xf32>
  return %o : tensor<?xf32>
}

// -----

// expected-error @below {{expected the bounds of values of argument 'x' to name a dimension of an argument, but got 'S'}}
func.func @range_of_nothing(%x: tensor<?xi64> {attn.name = "x", attn.dims = ["N"], attn.range = [0, "S"]}) {
  return
}

// -----

// expected-error @below {{expected the bounds of values of argument 'x' to name a dimension of an argument, but got 'S'}}
func.func @extent_of_nothing(%x: tensor<?x1xi64> {
    attn.name = "x", attn.dims = ["N"],
    attn.holds = {kind = "coordinates", extents = ["S"]}}) {
  return
}

// -----

// Two ops ask different things of one argument.
func.func @conditions(%v: tensor<1x8x?x4xf32>, %w: tensor<1x2x?x4xf32>,
                      %i: tensor<?x3xi64>, %x: tensor<?xf32>)
    -> (tensor<1x8x?x4xf32>, tensor<1x2x?x4xf32>) {
  %o = attn.structured_pool %v error(%i, %x : tensor<?x3xi64>, tensor<?xf32>)
      : tensor<1x8x?x4xf32> -> tensor<1x8x?x4xf32>
  // expected-error @below {{expected one condition on the values of argument 'arg2', but got {extents = [8, "d0", "d0"], kind = "coordinates"} and {extents = [2, "d1", "d1"], kind = "coordinates"}}}
  %p = attn.structured_pool %w error(%i, %x : tensor<?x3xi64>, tensor<?xf32>)
      : tensor<1x2x?x4xf32> -> tensor<1x2x?x4xf32>
  return %o, %p : tensor<1x8x?x4xf32>, tensor<1x2x?x4xf32>
}

// -----

// Noise has the sizes of the scores; none of them repeats.
// expected-error @below {{expected dimension 0 of argument 'arg0' to be written as 1, the only size that its uses allow}}
func.func @noise(%q: tensor<?x2x?x8xf32>, %m: tensor<2x4xf32>, %s: tensor<2xf32>,
                 %v: tensor<?x4x?x8xf32>, %n: tensor<1x4x?x?xf32>) -> tensor<?x4x?x8xf32> {
  %o = attn.admixture_heads %q, %q, %v mixer(%m : tensor<2x4xf32>)
      noise <local> sigma(%s : tensor<2xf32>) drawn(%n : tensor<1x4x?x?xf32>)
      : (tensor<?x2x?x8xf32>, tensor<?x2x?x8xf32>, tensor<?x4x?x8xf32>) -> tensor<?x4x?x8xf32>
  return %o : tensor<?x4x?x8xf32>
}

// -----

// A size of which only ops know that it is no open one.
// expected-error @below {{expected dimension 0 of result 'o' to be written as 7, the only size that it can have}}
func.func @known_size(%x: tensor<7xf32>) -> (tensor<?xf32> {attn.name = "o"}) {
  %seven = arith.constant 7 : index
  %o = tensor.empty(%seven) : tensor<?xf32>
  return %o : tensor<?xf32>
}

// -----

// expected-error @below {{expected dimension 'S' of 'attn.sizes' to occur in an argument}}
func.func @range_of_no_dim(%x: tensor<?xf32> {attn.dims = ["N"]}) -> tensor<?xf32>
    attributes {attn.sizes = {S = [1]}} {
  return %x : tensor<?xf32>
}

// -----

// expected-error @below {{expected dimension 'M' of 'attn.sizes' to be a polynomial such as '4 B N + 1', but got "N / 2"}}
func.func @no_polynomial(%x: tensor<?xf32> {attn.dims = ["N"]}) -> tensor<?xf32>
    attributes {attn.sizes = {M = "N / 2"}} {
  return %x : tensor<?xf32>
}

// -----

// expected-error @below {{expected dimension 'M' of 'attn.sizes' to be computed from dimensions of arguments that are not computed themselves, but got 'S'}}
func.func @computed_from_nothing(%x: tensor<?xf32> {attn.dims = ["N"]}) -> tensor<?xf32>
    attributes {attn.sizes = {M = "N + S"}} {
  return %x : tensor<?xf32>
}

// -----

// Nothing tells a dim by what is less the larger it is, or by a product.
// expected-error @below {{expected dimension 'M' of 'attn.sizes' to be computed from dimensions of arguments that are not computed themselves, but got 'B'}}
func.func @told_by_a_product(
    %x: tensor<?xf32> {attn.dims = ["N"]}, %y: tensor<?xf32> {attn.dims = ["M"]})
    -> tensor<?xf32> attributes {attn.sizes = {M = "B N"}} {
  return %x : tensor<?xf32>
}

// -----

// expected-error @below {{expected dimension 'M' of 'attn.sizes' to be computed from dimensions of arguments that are not computed themselves, but got 'B'}}
func.func @told_by_less(%x: tensor<?xf32> {attn.dims = ["M"]})
    -> tensor<?xf32> attributes {attn.sizes = {M = "9 - B"}} {
  return %x : tensor<?xf32>
}

// -----

// expected-error @below {{expected dimension 'M' of 'attn.sizes' to be computed from dimensions of arguments that are not computed themselves, but got 'B'}}
func.func @told_beyond_32_bits(%x: tensor<?xf32> {attn.dims = ["M"]})
    -> tensor<?xf32> attributes {attn.sizes = {M = "2147483648 B"}} {
  return %x : tensor<?xf32>
}

// -----

// expected-error @below {{expected dimension 'M' of 'attn.sizes' to be a polynomial such as '4 B N + 1', but got "4 * * B"}}
func.func @two_stars(%x: tensor<?xf32> {attn.dims = ["M"]})
    -> tensor<?xf32> attributes {attn.sizes = {M = "4 * * B"}} {
  return %x : tensor<?xf32>
}

// -----

// expected-error @below {{expected dimension 'L' of 'attn.sizes' to be computed from dimensions of arguments that are not computed themselves, but got 'M'}}
func.func @computed_from_computed(
    %x: tensor<?xf32> {attn.dims = ["N"]}, %y: tensor<?xf32> {attn.dims = ["M"]})
    -> tensor<?xf32> attributes {attn.sizes = {L = "2 M", M = "N + 1"}} {
  return %x : tensor<?xf32>
}

// -----

// The name of another size.
// expected-error @below {{expected dimension 0 of result 'o' to be '2 N', as its ops show, but got 'M'}}
func.func @other_definition(%x: tensor<?xf32> {attn.dims = ["N"]})
    -> (tensor<?xf32> {attn.name = "o", attn.dims = ["M"]})
    attributes {attn.sizes = {M = "3 N"}} {
  %o = tensor.concat dim(0) %x, %x : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %o : tensor<?xf32>
}
