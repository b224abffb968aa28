// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// attn-compute-in-place: a result takes the place of what its kernel reads
// last, where elements are read for those at their own places alone.
//
// RUN: mixattn-opt --attn-compute-in-place %s | FileCheck %s
// RUN: mixattn-opt --attn-compute-in-place --attn-bufferize %s | FileCheck %s --check-prefix=BUFFER

!x = tensor<?x64xf32>
!w = tensor<64x64xf32>
#id = affine_map<(i, j) -> (i, j)>
#turned = affine_map<(i, j) -> (j, i)>
#row = affine_map<(i, j) -> (i)>

// What a product is added to, through another pointwise op. Nothing is copied.
// CHECK-LABEL: func.func @residual(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<?x64xf32>
// CHECK:         %[[E:.+]] = tensor.empty
// CHECK:         %[[A:.+]] = attn.kernel ins(%[[X]], {{.*}} outs(%[[E]] :
// CHECK:         %[[B:.+]] = attn.kernel ins(%[[X]], %{{[^,]+}}, %[[A]], {{.*}} outs(%[[A]] :
// CHECK:         attn.kernel ins(%[[B]], {{.*}} outs(%[[B]] :
// BUFFER-LABEL: func.func @residual(
// BUFFER:         attn.kernel {{.*}} outs(%[[A:.+]] :
// BUFFER:         attn.kernel ins(%{{[^,]+}}, %{{[^,]+}}, %[[A]], {{.*}} outs(%[[A]] :
// BUFFER:         attn.kernel ins(%[[A]], {{.*}} outs(%[[A]] :
func.func @residual(%x: !x, %w: !w, %n: index) -> !x {
  %e = tensor.empty(%n) : !x
  %a = attn.kernel ins(%x, %n : !x, index) outs(%e : !x) {
  ^bb0(%0: !x, %m: index):
    %to = tensor.empty(%m) : !x
    %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%0 : !x) outs(%to : !x) {
    ^bb0(%p: f32, %q: f32):
      %s = math.exp %p : f32
      linalg.yield %s : f32
    } -> !x
    attn.results %r : !x
  } -> !x
  %b = attn.kernel ins(%x, %w, %a, %n : !x, !w, !x, index) outs(%e : !x) {
  ^bb0(%0: !x, %1: !w, %2: !x, %m: index):
    %zero = arith.constant 0.0 : f32
    %to = tensor.empty(%m) : !x
    %f = linalg.fill ins(%zero : f32) outs(%to : !x) -> !x
    %y = linalg.matmul ins(%0, %1 : !x, !w) outs(%f : !x) -> !x
    %s = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%y, %2 : !x, !x) outs(%to : !x) {
    ^bb0(%p: f32, %q: f32, %o: f32):
      %sum = arith.addf %p, %q : f32
      linalg.yield %sum : f32
    } -> !x
    %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%s : !x) outs(%to : !x) {
    ^bb0(%p: f32, %o: f32):
      %k = math.tanh %p : f32
      linalg.yield %k : f32
    } -> !x
    attn.results %r : !x
  } -> !x
  %c = attn.kernel ins(%b, %n : !x, index) outs(%e : !x) {
  ^bb0(%0: !x, %m: index):
    %to = tensor.empty(%m) : !x
    %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%0 : !x) outs(%to : !x) {
    ^bb0(%p: f32, %q: f32):
      %s = math.exp %p : f32
      linalg.yield %s : f32
    } -> !x
    attn.results %r : !x
  } -> !x
  return %c : !x
}

// An argument; what is read later, through a view, too; what has other sizes.
// CHECK-LABEL: func.func @read_later(
// CHECK-SAME:    %[[N:[a-z0-9]+]]: index, %[[K:[a-z0-9]+]]: index)
// CHECK:         %[[E:.+]] = tensor.empty(%[[N]])
// CHECK-COUNT-3: attn.kernel {{.*}} outs(%[[E]] :
// CHECK:         %[[OTHER:.+]] = tensor.empty(%[[K]])
// CHECK:         attn.kernel {{.*}} outs(%[[OTHER]] :
func.func @read_later(%x: !x, %n: index, %k: index) -> (!x, !x, tensor<?xf32>) {
  %e = tensor.empty(%n) : !x
  %a = attn.kernel ins(%x, %n : !x, index) outs(%e : !x) {
  ^bb0(%0: !x, %m: index):
    %to = tensor.empty(%m) : !x
    %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%0 : !x) outs(%to : !x) {
    ^bb0(%p: f32, %q: f32):
      %s = math.exp %p : f32
      linalg.yield %s : f32
    } -> !x
    attn.results %r : !x
  } -> !x
  %flat = tensor.collapse_shape %a [[0, 1]] : !x into tensor<?xf32>
  %b = attn.kernel ins(%a, %n : !x, index) outs(%e : !x) {
  ^bb0(%0: !x, %m: index):
    %to = tensor.empty(%m) : !x
    %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%0 : !x) outs(%to : !x) {
    ^bb0(%p: f32, %q: f32):
      %s = math.exp %p : f32
      linalg.yield %s : f32
    } -> !x
    attn.results %r : !x
  } -> !x
  %c = attn.kernel ins(%b, %n : !x, index) outs(%e : !x) {
  ^bb0(%0: !x, %m: index):
    %to = tensor.empty(%m) : !x
    %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%0 : !x) outs(%to : !x) {
    ^bb0(%p: f32, %q: f32):
      %s = math.exp %p : f32
      linalg.yield %s : f32
    } -> !x
    attn.results %r : !x
  } -> !x
  %other = tensor.empty(%k) : !x
  %d = attn.kernel ins(%c, %k : !x, index) outs(%other : !x) {
  ^bb0(%0: !x, %m: index):
    %to = tensor.empty(%m) : !x
    %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%0 : !x) outs(%to : !x) {
    ^bb0(%p: f32, %q: f32):
      %s = math.exp %p : f32
      linalg.yield %s : f32
    } -> !x
    attn.results %r : !x
  } -> !x
  return %b, %d, %flat : !x, !x, tensor<?xf32>
}

// Elements that are read for others: a product's, a norm's, transposed ones,
// and those of another result.
// CHECK-LABEL: func.func @other_places(
// CHECK:         %[[E:.+]] = tensor.empty
// CHECK-COUNT-4: attn.kernel {{.*}} outs(%[[E]] :
// CHECK:         attn.kernel {{.*}} outs(%[[E]], %[[E]] :
func.func @other_places(%x: !w, %w: !w) -> (!w, !w) {
  %e = tensor.empty() : !w
  %a = attn.kernel ins(%x : !w) outs(%e : !w) {
  ^bb0(%0: !w):
    %to = tensor.empty() : !w
    %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%0 : !w) outs(%to : !w) {
    ^bb0(%p: f32, %q: f32):
      %s = math.exp %p : f32
      linalg.yield %s : f32
    } -> !w
    attn.results %r : !w
  } -> !w
  %b = attn.kernel ins(%a, %w, %a : !w, !w, !w) outs(%e : !w) {
  ^bb0(%0: !w, %1: !w, %2: !w):
    %zero = arith.constant 0.0 : f32
    %to = tensor.empty() : !w
    %f = linalg.fill ins(%zero : f32) outs(%to : !w) -> !w
    %y = linalg.matmul ins(%0, %1 : !w, !w) outs(%f : !w) -> !w
    %r = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%y, %2 : !w, !w) outs(%to : !w) {
    ^bb0(%p: f32, %q: f32, %o: f32):
      %sum = arith.addf %p, %q : f32
      linalg.yield %sum : f32
    } -> !w
    attn.results %r : !w
  } -> !w
  %c = attn.kernel ins(%b : !w) outs(%e : !w) {
  ^bb0(%0: !w):
    %zero = arith.constant 0.0 : f32
    %sums = tensor.empty() : tensor<64xf32>
    %f = linalg.fill ins(%zero : f32) outs(%sums : tensor<64xf32>) -> tensor<64xf32>
    %y = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
        ins(%0 : !w) outs(%f : tensor<64xf32>) {
    ^bb0(%p: f32, %o: f32):
      %sum = arith.addf %p, %o : f32
      linalg.yield %sum : f32
    } -> tensor<64xf32>
    %to = tensor.empty() : !w
    %r = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
        ins(%0, %y : !w, tensor<64xf32>) outs(%to : !w) {
    ^bb0(%p: f32, %q: f32, %o: f32):
      %d = arith.divf %p, %q : f32
      linalg.yield %d : f32
    } -> !w
    attn.results %r : !w
  } -> !w
  %d = attn.kernel ins(%c : !w) outs(%e : !w) {
  ^bb0(%0: !w):
    %to = tensor.empty() : !w
    %r = linalg.generic {indexing_maps = [#turned, #id], iterator_types = ["parallel", "parallel"]}
        ins(%0 : !w) outs(%to : !w) {
    ^bb0(%p: f32, %q: f32):
      %s = math.exp %p : f32
      linalg.yield %s : f32
    } -> !w
    attn.results %r : !w
  } -> !w
  %both:2 = attn.kernel ins(%d : !w) outs(%e, %e : !w, !w) {
  ^bb0(%0: !w):
    %to = tensor.empty() : !w
    %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%0 : !w) outs(%to : !w) {
    ^bb0(%p: f32, %q: f32):
      %s = math.exp %p : f32
      linalg.yield %s : f32
    } -> !w
    %k = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%0 : !w) outs(%to : !w) {
    ^bb0(%p: f32, %q: f32):
      %s = math.tanh %p : f32
      linalg.yield %s : f32
    } -> !w
    attn.results %r, %k : !w, !w
  } -> !w, !w
  return %both#0, %both#1 : !w, !w
}
