// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Integers that follow from their places are written so where they are read.
//
// RUN: mixattn-opt --attn-fold-positions --canonicalize --cse --split-input-file %s | FileCheck %s

#i = affine_map<(b, i) -> (b, i)>
#all = affine_map<(b, i, j) -> (b, i)>
#added = affine_map<(b, i, j) -> (b, j)>
#query = affine_map<(b, i, j) -> (b, i)>
#pair = affine_map<(b, i, j) -> (b, i, j)>

// Positions less those before them are 1, whose number of others is 0, which
// all places have in common: of a mask, positions compared are left.
// CHECK-LABEL: func.func @continued
// CHECK-NOT:     tensor.insert_slice
// CHECK:         %[[O:.+]] = linalg.generic {{.*}}"parallel"]} outs(
// CHECK-NEXT:    ^bb0(%{{.+}}: i1):
// CHECK-NEXT:      %[[QUERY:.+]] = linalg.index 1
// CHECK-NEXT:      %[[KEY:.+]] = linalg.index 2
// CHECK-NEXT:      %[[QUERY64:.+]] = arith.index_cast %[[QUERY]]
// CHECK-NEXT:      %[[KEY64:.+]] = arith.index_cast %[[KEY]]
// CHECK-NEXT:      %[[SEEN:.+]] = arith.cmpi sle, %[[KEY64]], %[[QUERY64]] : i64
// CHECK-NEXT:      linalg.yield %[[SEEN]] : i1
// CHECK:         return %[[O]]
func.func @continued(%x: tensor<?x?xf32>) -> tensor<?x?x?xi1> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i64
  %zero = arith.constant 0 : i64
  %b = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %more = arith.addi %n, %c1 : index
  %empty = tensor.empty(%b, %n) : tensor<?x?xi64>
  %empty_first = tensor.empty(%b) : tensor<?x1xi64>
  %empty_more = tensor.empty(%b, %more) : tensor<?x?xi64>
  %positions = linalg.generic {indexing_maps = [#i], iterator_types = ["parallel", "parallel"]} outs(%empty : tensor<?x?xi64>) {
  ^bb0(%out: i64):
    %i = linalg.index 1 : index
    %place = arith.index_cast %i : index to i64
    linalg.yield %place : i64
  } -> tensor<?x?xi64>
  %before = linalg.generic {indexing_maps = [#i], iterator_types = ["parallel", "parallel"]} outs(%empty_first : tensor<?x1xi64>) {
  ^bb0(%out: i64):
    %first = arith.subi %zero, %one : i64
    linalg.yield %first : i64
  } -> tensor<?x1xi64>
  %part = tensor.insert_slice %before into %empty_more[0, 0] [%b, 1] [1, 1] : tensor<?x1xi64> into tensor<?x?xi64>
  %whole = tensor.insert_slice %positions into %part[0, 1] [%b, %n] [1, 1] : tensor<?x?xi64> into tensor<?x?xi64>
  %own = tensor.extract_slice %whole[0, 1] [%b, %n] [1, 1] : tensor<?x?xi64> to tensor<?x?xi64>
  %last = tensor.extract_slice %whole[0, 0] [%b, %n] [1, 1] : tensor<?x?xi64> to tensor<?x?xi64>
  %starts = linalg.generic {indexing_maps = [#i, #i, #i], iterator_types = ["parallel", "parallel"]} ins(%own, %last : tensor<?x?xi64>, tensor<?x?xi64>) outs(%empty : tensor<?x?xi64>) {
  ^bb0(%x1: i64, %x0: i64, %out: i64):
    %step = arith.subi %x1, %x0 : i64
    %starts = arith.cmpi ne, %step, %one : i64
    %number = arith.extui %starts : i1 to i64
    linalg.yield %number : i64
  } -> tensor<?x?xi64>
  %zeros = linalg.fill ins(%zero : i64) outs(%empty : tensor<?x?xi64>) -> tensor<?x?xi64>
  %packed = linalg.generic {indexing_maps = [#added, #all], iterator_types = ["parallel", "parallel", "reduction"]} ins(%starts : tensor<?x?xi64>) outs(%zeros : tensor<?x?xi64>) {
  ^bb0(%x0: i64, %sum: i64):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %counts = arith.cmpi sle, %j, %i : index
    %number = arith.select %counts, %x0, %zero : i64
    %so = arith.addi %sum, %number : i64
    linalg.yield %so : i64
  } -> tensor<?x?xi64>
  %pairs = tensor.empty(%b, %n, %n) : tensor<?x?x?xi1>
  %mask = linalg.generic {indexing_maps = [#query, #query, #pair], iterator_types = ["parallel", "parallel", "parallel"]} ins(%packed, %positions : tensor<?x?xi64>, tensor<?x?xi64>) outs(%pairs : tensor<?x?x?xi1>) {
  ^bb0(%of_query: i64, %query: i64, %out: i1):
    %row = linalg.index 0 : index
    %j = linalg.index 2 : index
    // As an exporter writes an index that may count from the end, and is held
    // within the tensor.
    %is_below = arith.cmpi slt, %j, %c0 : index
    %from_end = arith.addi %j, %n : index
    %from_start = arith.select %is_below, %from_end, %j : index
    %at_least = arith.maxsi %from_start, %c0 : index
    %most = arith.subi %n, %c1 : index
    %at = arith.minsi %at_least, %most : index
    %of_key = tensor.extract %packed[%row, %at] : tensor<?x?xi64>
    %key = tensor.extract %positions[%row, %at] : tensor<?x?xi64>
    %is_same = arith.cmpi eq, %of_query, %of_key : i64
    %is_before = arith.cmpi sle, %key, %query : i64
    %seen = arith.andi %is_same, %is_before : i1
    linalg.yield %seen : i1
  } -> tensor<?x?x?xi1>
  return %mask : tensor<?x?x?xi1>
}

// -----

#i = affine_map<(i) -> (i)>
#all = affine_map<(i, j) -> (i)>
#added = affine_map<(i, j) -> (j)>

// Running sums of a number: up to each place, from it on, and without it.
// CHECK-LABEL: func.func @running_sums
// CHECK-SAME:    %[[X:.+]]: tensor<?xf32>
// CHECK:         %[[N:.+]] = tensor.dim %[[X]]
// CHECK-NOT:     reduction
// CHECK:         linalg.generic
// CHECK:           %[[I:.+]] = linalg.index 0
// CHECK:           %[[THREE:.+]] = arith.muli %[[I]], %c3
// CHECK:           %[[UP:.+]] = arith.addi %[[THREE]], %c3
// CHECK:           %[[UP64:.+]] = arith.index_cast %[[UP]]
// CHECK:           %[[FEWER:.+]] = arith.muli %[[I]], %c-3
// CHECK:           %[[MORE:.+]] = arith.muli %[[N]], %c3
// CHECK:           %[[DOWN:.+]] = arith.addi %[[FEWER]], %[[MORE]]
// CHECK:           %[[DOWN64:.+]] = arith.index_cast %[[DOWN]]
// CHECK:           %[[BEFORE64:.+]] = arith.index_cast %[[THREE]]
// CHECK:           arith.addi %[[UP64]], %[[DOWN64]]
// CHECK:           arith.addi %{{.+}}, %[[BEFORE64]]
func.func @running_sums(%x: tensor<?xf32>) -> tensor<?xi64> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i64
  %three = arith.constant 3 : i64
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %empty = tensor.empty(%n) : tensor<?xi64>
  %threes = linalg.fill ins(%three : i64) outs(%empty : tensor<?xi64>) -> tensor<?xi64>
  %zeros = linalg.fill ins(%zero : i64) outs(%empty : tensor<?xi64>) -> tensor<?xi64>
  %up = linalg.generic {indexing_maps = [#added, #all], iterator_types = ["parallel", "reduction"]} ins(%threes : tensor<?xi64>) outs(%zeros : tensor<?xi64>) {
  ^bb0(%x0: i64, %sum: i64):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %counts = arith.cmpi sle, %j, %i : index
    %number = arith.select %counts, %x0, %zero : i64
    %so = arith.addi %sum, %number : i64
    linalg.yield %so : i64
  } -> tensor<?xi64>
  %down = linalg.generic {indexing_maps = [#added, #all], iterator_types = ["parallel", "reduction"]} ins(%threes : tensor<?xi64>) outs(%zeros : tensor<?xi64>) {
  ^bb0(%x0: i64, %sum: i64):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %counts = arith.cmpi sge, %j, %i : index
    %number = arith.select %counts, %x0, %zero : i64
    %so = arith.addi %number, %sum : i64
    linalg.yield %so : i64
  } -> tensor<?xi64>
  %before = linalg.generic {indexing_maps = [#added, #all], iterator_types = ["parallel", "reduction"]} ins(%threes : tensor<?xi64>) outs(%zeros : tensor<?xi64>) {
  ^bb0(%x0: i64, %sum: i64):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %counts = arith.cmpi slt, %j, %i : index
    %number = arith.select %counts, %x0, %zero : i64
    %so = arith.addi %sum, %number : i64
    linalg.yield %so : i64
  } -> tensor<?xi64>
  %o = linalg.generic {indexing_maps = [#i, #i, #i, #i], iterator_types = ["parallel"]} ins(%up, %down, %before : tensor<?xi64>, tensor<?xi64>, tensor<?xi64>) outs(%empty : tensor<?xi64>) {
  ^bb0(%a: i64, %b: i64, %c: i64, %out: i64):
    %ab = arith.addi %a, %b : i64
    %abc = arith.addi %ab, %c : i64
    linalg.yield %abc : i64
  } -> tensor<?xi64>
  return %o : tensor<?xi64>
}

// -----

#all = affine_map<(i, j) -> (i)>
#added = affine_map<(i, j) -> (j)>

// One place beyond its own: the last sum has fewer. Ones above the diagonal of
// another size may be more than there are.
// CHECK-LABEL: func.func @uneven_sums
// CHECK:         linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]}
// CHECK:         linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]}
// CHECK:         linalg.generic {{.*}} ins(%{{.+}}, %{{.+}} : tensor<?xi64>, tensor<?xi64>)
func.func @uneven_sums(%x: tensor<?x?xf32>) -> tensor<?xi64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %m = tensor.dim %x, %c1 : tensor<?x?xf32>
  %empty = tensor.empty(%n) : tensor<?xi64>
  %empty_m = tensor.empty(%m) : tensor<?xi64>
  %ones = linalg.fill ins(%one : i64) outs(%empty : tensor<?xi64>) -> tensor<?xi64>
  %ones_m = linalg.fill ins(%one : i64) outs(%empty_m : tensor<?xi64>) -> tensor<?xi64>
  %zeros = linalg.fill ins(%zero : i64) outs(%empty : tensor<?xi64>) -> tensor<?xi64>
  %next = linalg.generic {indexing_maps = [#added, #all], iterator_types = ["parallel", "reduction"]} ins(%ones : tensor<?xi64>) outs(%zeros : tensor<?xi64>) {
  ^bb0(%x0: i64, %sum: i64):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %to = arith.addi %i, %c1 : index
    %counts = arith.cmpi sle, %j, %to : index
    %number = arith.select %counts, %x0, %zero : i64
    %so = arith.addi %sum, %number : i64
    linalg.yield %so : i64
  } -> tensor<?xi64>
  %others = linalg.generic {indexing_maps = [#added, #all], iterator_types = ["parallel", "reduction"]} ins(%ones_m : tensor<?xi64>) outs(%zeros : tensor<?xi64>) {
  ^bb0(%x0: i64, %sum: i64):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %counts = arith.cmpi sle, %j, %i : index
    %number = arith.select %counts, %x0, %zero : i64
    %so = arith.addi %sum, %number : i64
    linalg.yield %so : i64
  } -> tensor<?xi64>
  %o = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%next, %others : tensor<?xi64>, tensor<?xi64>) outs(%empty : tensor<?xi64>) {
  ^bb0(%a: i64, %b: i64, %out: i64):
    %ab = arith.addi %a, %b : i64
    linalg.yield %ab : i64
  } -> tensor<?xi64>
  return %o : tensor<?xi64>
}

// -----

#i = affine_map<(i) -> (i)>

// Pieces that do not continue each other stay; a part that lies in one of them
// is read from it. `%begin` may be any number.
// CHECK-LABEL: func.func @pieces
// CHECK-SAME:    %[[BEGIN:[a-z0-9]+]]: index) ->
// CHECK:         %[[ONCE:.+]] = tensor.insert_slice
// CHECK:         %[[TWICE:.+]] = tensor.insert_slice %{{.+}} into %[[ONCE]]
// CHECK:         linalg.generic {{.*}} ins(%[[TWICE]] : tensor<8xi64>)
// CHECK-NEXT:    ^bb0(%[[X:.+]]: i64, %{{.+}}: i64):
// CHECK:           %[[I:.+]] = linalg.index 0
// CHECK:           %[[I64:.+]] = arith.index_cast %[[I]]
// CHECK:           arith.addi %[[X]], %[[I64]]
// CHECK:         %[[PART:.+]] = tensor.extract_slice %[[TWICE]][%[[BEGIN]]]
// CHECK:         return %{{.+}}, %[[PART]]
func.func @pieces(%begin: index) -> (tensor<8xi64>, tensor<4xi64>) {
  %empty = tensor.empty() : tensor<4xi64>
  %empty_all = tensor.empty() : tensor<8xi64>
  %positions = linalg.generic {indexing_maps = [#i], iterator_types = ["parallel"]} outs(%empty : tensor<4xi64>) {
  ^bb0(%out: i64):
    %i = linalg.index 0 : index
    %place = arith.index_cast %i : index to i64
    linalg.yield %place : i64
  } -> tensor<4xi64>
  %once = tensor.insert_slice %positions into %empty_all[0] [4] [1] : tensor<4xi64> into tensor<8xi64>
  %twice = tensor.insert_slice %positions into %once[4] [4] [1] : tensor<4xi64> into tensor<8xi64>
  %second = tensor.extract_slice %twice[4] [4] [1] : tensor<8xi64> to tensor<4xi64>
  %long = tensor.insert_slice %second into %empty_all[0] [4] [1] : tensor<4xi64> into tensor<8xi64>
  %o = linalg.generic {indexing_maps = [#i, #i, #i], iterator_types = ["parallel"]} ins(%twice, %long : tensor<8xi64>, tensor<8xi64>) outs(%empty_all : tensor<8xi64>) {
  ^bb0(%x: i64, %y: i64, %out: i64):
    %xy = arith.addi %x, %y : i64
    linalg.yield %xy : i64
  } -> tensor<8xi64>
  %part = tensor.extract_slice %twice[%begin] [4] [1] : tensor<8xi64> to tensor<4xi64>
  %own = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]} ins(%part : tensor<4xi64>) outs(%empty : tensor<4xi64>) {
  ^bb0(%x: i64, %out: i64):
    linalg.yield %x : i64
  } -> tensor<4xi64>
  return %o, %own : tensor<8xi64>, tensor<4xi64>
}

// -----

#i = affine_map<(i) -> (i)>

// Place m + 4 lies in the second piece unless m is -1, which is no size.
// CHECK-LABEL: func.func @no_size
// CHECK:         %[[PART:.+]] = tensor.extract_slice
// CHECK:         return %[[PART]]
func.func @no_size(%m: index) -> tensor<1xi64> {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %zero = arith.constant 0 : i64
  %size = arith.addi %m, %c1 : index
  %all = arith.addi %m, %c5 : index
  %at = arith.addi %m, %c4 : index
  %empty = tensor.empty() : tensor<4xi64>
  %empty_second = tensor.empty(%size) : tensor<?xi64>
  %empty_all = tensor.empty(%all) : tensor<?xi64>
  %empty_one = tensor.empty() : tensor<1xi64>
  %zeros = linalg.fill ins(%zero : i64) outs(%empty : tensor<4xi64>) -> tensor<4xi64>
  %positions = linalg.generic {indexing_maps = [#i], iterator_types = ["parallel"]} outs(%empty_second : tensor<?xi64>) {
  ^bb0(%out: i64):
    %i = linalg.index 0 : index
    %place = arith.index_cast %i : index to i64
    linalg.yield %place : i64
  } -> tensor<?xi64>
  %first = tensor.insert_slice %zeros into %empty_all[0] [4] [1] : tensor<4xi64> into tensor<?xi64>
  %whole = tensor.insert_slice %positions into %first[4] [%size] [1] : tensor<?xi64> into tensor<?xi64>
  %part = tensor.extract_slice %whole[%at] [1] [1] : tensor<?xi64> to tensor<1xi64>
  %o = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]} ins(%part : tensor<1xi64>) outs(%empty_one : tensor<1xi64>) {
  ^bb0(%x: i64, %out: i64):
    linalg.yield %x : i64
  } -> tensor<1xi64>
  return %o : tensor<1xi64>
}

// -----

#i = affine_map<(i) -> (i)>

// A piece of one element that breaks the row, and one on top of others.
// CHECK-LABEL: func.func @broken
// CHECK-COUNT-3: tensor.insert_slice
// CHECK:         linalg.generic {{.*}} ins(%{{.+}}, %{{.+}} : tensor<4xi64>, tensor<4xi64>)
func.func @broken(%x: tensor<4xf32>) -> tensor<4xi64> {
  %zero = arith.constant 0 : i64
  %empty = tensor.empty() : tensor<4xi64>
  %empty_all = tensor.empty() : tensor<5xi64>
  %empty_one = tensor.empty() : tensor<1xi64>
  %positions = linalg.generic {indexing_maps = [#i], iterator_types = ["parallel"]} outs(%empty : tensor<4xi64>) {
  ^bb0(%out: i64):
    %i = linalg.index 0 : index
    %place = arith.index_cast %i : index to i64
    linalg.yield %place : i64
  } -> tensor<4xi64>
  %first = linalg.fill ins(%zero : i64) outs(%empty_one : tensor<1xi64>) -> tensor<1xi64>
  %part = tensor.insert_slice %first into %empty_all[0] [1] [1] : tensor<1xi64> into tensor<5xi64>
  %whole = tensor.insert_slice %positions into %part[1] [4] [1] : tensor<4xi64> into tensor<5xi64>
  %covered = tensor.insert_slice %first into %positions[2] [1] [1] : tensor<1xi64> into tensor<4xi64>
  %head = tensor.extract_slice %whole[0] [4] [1] : tensor<5xi64> to tensor<4xi64>
  %o = linalg.generic {indexing_maps = [#i, #i, #i], iterator_types = ["parallel"]} ins(%head, %covered : tensor<4xi64>, tensor<4xi64>) outs(%empty : tensor<4xi64>) {
  ^bb0(%a: i64, %b: i64, %out: i64):
    %ab = arith.addi %a, %b : i64
    linalg.yield %ab : i64
  } -> tensor<4xi64>
  return %o : tensor<4xi64>
}

// -----

#i = affine_map<(i) -> (i)>

// Comparisons that hold at all places, at none, and at some: of sizes that are
// two, and where a type of 32 bits may not hold the larger one.
// CHECK-LABEL: func.func @compared
// CHECK-SAME:    %[[X:.+]]: tensor<?xf32>, %[[M:.+]]: index
// CHECK:         linalg.generic
// CHECK-NOT:       tensor.extract
// CHECK:           arith.cmpi slt, %{{.+}}, %[[M]] : index
// CHECK:           arith.cmpi slt, %{{.+}}, %{{.+}} : i32
// CHECK-NOT:       arith.cmpi
// CHECK:           linalg.yield
func.func @compared(%x: tensor<?xf32>, %m: index) -> tensor<?xi1> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %false = arith.constant false
  %one = arith.constant 1 : i32
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %none = tensor.empty() : tensor<i1>
  %begin = linalg.fill ins(%false : i1) outs(%none : tensor<i1>) -> tensor<i1>
  %empty = tensor.empty(%n) : tensor<?xi1>
  %beyond = linalg.generic {indexing_maps = [#i], iterator_types = ["parallel"]} outs(%empty : tensor<?xi1>) {
  ^bb0(%out: i1):
    %i = linalg.index 0 : index
    %is = arith.cmpi sge, %i, %n : index
    linalg.yield %is : i1
  } -> tensor<?xi1>
  %any = linalg.generic {indexing_maps = [#i, affine_map<(i) -> ()>], iterator_types = ["reduction"]} ins(%beyond : tensor<?xi1>) outs(%begin : tensor<i1>) {
  ^bb0(%is: i1, %so: i1):
    %or = arith.ori %is, %so : i1
    linalg.yield %or : i1
  } -> tensor<i1>
  %o = linalg.generic {indexing_maps = [#i], iterator_types = ["parallel"]} outs(%empty : tensor<?xi1>) {
  ^bb0(%out: i1):
    %i = linalg.index 0 : index
    %next = arith.addi %i, %c1 : index
    %in_n = arith.cmpi sle, %next, %n : index
    %in_m = arith.cmpi slt, %i, %m : index
    %later = arith.cmpi sgt, %next, %i : index
    %narrow = arith.index_cast %i : index to i32
    %narrow_next = arith.addi %narrow, %one : i32
    %narrow_later = arith.cmpi slt, %narrow, %narrow_next : i32
    %narrow_other = arith.cmpi ne, %narrow, %narrow_next : i32
    %no = tensor.extract %any[] : tensor<i1>
    %a = arith.andi %in_n, %in_m : i1
    %b = arith.andi %later, %narrow_later : i1
    %c = arith.xori %narrow_other, %no : i1
    %ab = arith.andi %a, %b : i1
    %abc = arith.andi %ab, %c : i1
    linalg.yield %abc : i1
  } -> tensor<?xi1>
  return %o : tensor<?xi1>
}

// -----

#i = affine_map<(b, i) -> (b, i)>
#last = affine_map<(b, i) -> (b)>

// Positions of an argument may be any; those after a sum of them, too.
// CHECK-LABEL: func.func @given
// CHECK-SAME:    %[[P:.+]]: tensor<2x6xi64>
// CHECK:         %[[SUM:.+]] = linalg.generic {{.*}} ins(%[[P]] :
// CHECK:         linalg.generic {{.*}} ins(%[[P]], %[[SUM]] :
func.func @given(%positions: tensor<2x6xi64>) -> tensor<2x6xi1> {
  %zero = arith.constant 0 : i64
  %empty = tensor.empty() : tensor<2xi64>
  %zeros = linalg.fill ins(%zero : i64) outs(%empty : tensor<2xi64>) -> tensor<2xi64>
  %sum = linalg.generic {indexing_maps = [#i, #last], iterator_types = ["parallel", "reduction"]} ins(%positions : tensor<2x6xi64>) outs(%zeros : tensor<2xi64>) {
  ^bb0(%x: i64, %so: i64):
    %next = arith.addi %so, %x : i64
    linalg.yield %next : i64
  } -> tensor<2xi64>
  %truths = tensor.empty() : tensor<2x6xi1>
  %o = linalg.generic {indexing_maps = [#i, #last, #i], iterator_types = ["parallel", "parallel"]} ins(%positions, %sum : tensor<2x6xi64>, tensor<2xi64>) outs(%truths : tensor<2x6xi1>) {
  ^bb0(%x: i64, %y: i64, %out: i1):
    %less = arith.cmpi slt, %x, %y : i64
    linalg.yield %less : i1
  } -> tensor<2x6xi1>
  return %o : tensor<2x6xi1>
}
