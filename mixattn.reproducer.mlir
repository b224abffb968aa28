// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mixattn-opt --verify-roundtrip %s -o /dev/null
//
// Scaled dot-product attention, the baseline.
//
//   o[b,h,i,:] = sum_j A[b,h,i,j] v[b,h,j,:]
//   A[b,h,i,:] = softmax_j(q[b,h,i,:] . k[b,h,j,:] / sqrt(64))
//
// "Improving Transformers with Probabilistic Attention Keys" (mixture of
// Gaussian keys), equations 1 and 2.
func.func @softmax(
    %q: tensor<?x8x?x64xf32> {attn.name = "q", attn.dims = ["B", "N"]},
    %k: tensor<?x8x?x64xf32> {attn.name = "k", attn.dims = ["B", "S"]},
    %v: tensor<?x8x?x64xf32> {attn.name = "v", attn.dims = ["B", "S"]})
    -> (tensor<?x8x?x64xf32> {attn.name = "o", attn.dims = ["B", "N"]}) {
  %o = attn.softmax %q, %k, %v
      : (tensor<?x8x?x64xf32>, tensor<?x8x?x64xf32>, tensor<?x8x?x64xf32>)
      -> tensor<?x8x?x64xf32>
  return %o : tensor<?x8x?x64xf32>
}

// mixattn-compile 0.1.0 failed on this; `mixattn-opt --run-reproducer FILE` repeats the passes.
{-#
  external_resources: {
    mlir_reproducer: {
      pipeline: "builtin.module(attn-select-entry{entry=},inline{default-pipeline=canonicalize inlining-threshold=4294967295 max-iterations=4 },symbol-dce,attn-bind-names,canonicalize{  max-iterations=10 max-num-rewrites=-1 region-simplify=normal test-convergence=false top-down=true},attn-generalize,canonicalize{  max-iterations=10 max-num-rewrites=-1 region-simplify=normal test-convergence=false top-down=true},cse,attn-write-manifest{cpu=znver5 features={aes,avx,avx2,avx512bf16,avx512bitalg,avx512bw,avx512cd,avx512dq,avx512f,avx512ifma,avx512vbmi,avx512vbmi2,avx512vl,avx512vnni,avx512vpopcntdq,avxvnni,bmi,bmi2,f16c,fma,gfni,lzcnt,movbe,pclmul,popcnt,sse3,sse4.1,sse4.2,ssse3,vaes,vpclmulqdq}},attn-simplify,canonicalize{  max-iterations=10 max-num-rewrites=-1 region-simplify=normal test-convergence=false top-down=true},cse,attn-verify-level{level=normal},attn-take-buffers,func.func(attn-form-kernels),func.func(attn-decompose),func.func(convert-elementwise-to-linalg),func.func(attn-compute-in-results),canonicalize{  max-iterations=10 max-num-rewrites=-1 region-simplify=normal test-convergence=false top-down=true},cse,attn-bufferize,expand-realloc{emit-deallocs=false},canonicalize{  max-iterations=10 max-num-rewrites=-1 region-simplify=normal test-convergence=false top-down=true},ownership-based-buffer-deallocation{private-function-dynamic-ownership=false},canonicalize{  max-iterations=10 max-num-rewrites=-1 region-simplify=normal test-convergence=false top-down=true},buffer-deallocation-simplification,bufferization-lower-deallocations,cse,canonicalize{  max-iterations=10 max-num-rewrites=-1 region-simplify=normal test-convergence=false top-down=true},canonicalize{  max-iterations=10 max-num-rewrites=-1 region-simplify=normal test-convergence=false top-down=true},cse,attn-verify-level{level=bufferized},attn-schedule-x86{lanes=16 registers=32},canonicalize{  max-iterations=10 max-num-rewrites=-1 region-simplify=normal test-convergence=false top-down=true},cse,attn-verify-level{level=tiled})",
      disable_threading: true,
      verify_each: true
    }
  }
#-}
