// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ops on a score are the same for both targets, op by op: on rows of lanes
// on x86, on single numbers on sm_80.
//
// RUN: mixattn-opt --attn-to-tiled %s \
// RUN:   | FileCheck %s --check-prefixes=X86,BODY --implicit-check-not=tile.mma
// RUN: mixattn-opt --attn-set-target='family=mma chip=sm_80' --attn-to-tiled=family=mma %s \
// RUN:   | FileCheck %s --check-prefixes=MMA,BODY --implicit-check-not=tile.x86
// RUN: mixattn-opt --attn-to-llvm %s | FileCheck %s --check-prefix=LLVM
// RUN: mixattn-compile %s --target=sm_80 --emit=ptx -o - | FileCheck %s --check-prefix=PTX

// X86:        tile.x86.product %{{.+}} last
// MMA:      %[[S:.+]]:2 = tile.mma.product
// MMA:      tile.map[%{{.+}}, %{{.+}}] of %[[S]]#0 : vector<32xf32> -> vector<32xf32> {
// A number of all lanes is made once.
// BODY:         %[[LENGTH:.+]] = arith.sitofp %{{.+}} : i64 to f32
// BODY-NEXT:    %[[TERM:.+]] = arith.mulf %{{.+}}, %[[LENGTH]] : f32
// X86-NEXT:     %{{.+}} = vector.broadcast %[[TERM]] : f32 to vector<4xf32>
// BODY-NEXT:    %[[BIASED:.+]] = arith.subf %{{.+}}, %{{.+}} : {{f32|vector<4xf32>}}
// BODY-NEXT:    %[[RATIO:.+]] = arith.divf %[[BIASED]], %{{.+}} : {{f32|vector<4xf32>}}
// BODY-NEXT:    %[[BENT:.+]] = math.tanh %[[RATIO]] : {{f32|vector<4xf32>}}
// BODY-NEXT:    %[[CAPPED:.+]] = arith.mulf %[[BENT]], %{{.+}} : {{f32|vector<4xf32>}}
// BODY-NEXT:    %[[EXPONENT:.+]] = arith.mulf %[[CAPPED]], %{{.+}} : {{f32|vector<4xf32>}}
// A score_mod may give the lowest number of f32; it does not become -inf.
// BODY-NEXT:    %[[BELOW:.+]] = arith.cmpf olt, %[[EXPONENT]], %{{.+}} : {{f32|vector<4xf32>}}
// BODY-NEXT:    %[[FINITE:.+]] = arith.cmpf ogt, %[[CAPPED]], %{{.+}} : {{f32|vector<4xf32>}}
// BODY-NEXT:    %[[LOST:.+]] = arith.andi %[[BELOW]], %[[FINITE]] : {{i1|vector<4xi1>}}
// BODY-NEXT:    %{{.+}} = arith.select %[[LOST]], %{{.+}}, %[[EXPONENT]] : {{.*}}
// X86:        tile.x86.exp2
// X86:        tile.x86.product transposed
// MMA-NEXT:   tile.yield
// MMA:      math.exp2
// MMA:      tile.mma.product

// LLVM: llvm.func @mixattn_f(
// PTX:  .entry f_kernel_0(
!t = tensor<?x4x?x32xbf16>
func.func @f(%q: !t, %k: !t, %v: !t, %slopes: tensor<4xbf16>) -> !t {
  %o = attn.softmax %q, %k, %v score_mod {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %cap = arith.constant 30.0 : f32
    %wide = tensor.extract %slopes[%h] : tensor<4xbf16>
    %slope = arith.extf %wide : bf16 to f32
    %steps = arith.index_cast %j : index to i64
    %length = arith.sitofp %steps : i64 to f32
    %penalty = arith.mulf %slope, %length : f32
    %biased = arith.subf %s, %penalty : f32
    %ratio = arith.divf %biased, %cap : f32
    %bent = math.tanh %ratio : f32
    %capped = arith.mulf %cap, %bent : f32
    attn.yield %capped : f32
  } : (!t, !t, !t) -> !t
  return %o : !t
}
