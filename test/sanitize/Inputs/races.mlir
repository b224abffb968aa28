// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Entries whose threads all write the same elements of y: one element; eight in
// a vector, and two lanes of such a vector, which LLVM's thread sanitizer does
// not see by itself.
module attributes {attn.manifest = "{\"abi\":2,\"producer\":\"by hand\",\"target\":{\"arch\":\"x86_64\",\"cpu\":\"x86-64-v3\",\"features\":[\"avx\",\"avx2\",\"bmi\",\"bmi2\",\"f16c\",\"fma\",\"lzcnt\",\"movbe\",\"popcnt\",\"sse3\",\"sse4.1\",\"sse4.2\",\"ssse3\"]},\"sanitizer\":\"thread\",\"entries\":[{\"name\":\"element\",\"symbol\":\"mixattn_element\",\"arguments\":[],\"results\":[{\"name\":\"y\",\"dtype\":\"f32\",\"shape\":[8]}],\"flops\":null,\"bytes\":null,\"attention\":null,\"attention_reason\":\"planted\"},{\"name\":\"vector\",\"symbol\":\"mixattn_vector\",\"arguments\":[],\"results\":[{\"name\":\"y\",\"dtype\":\"f32\",\"shape\":[8]}],\"flops\":null,\"bytes\":null,\"attention\":null,\"attention_reason\":\"planted\"},{\"name\":\"masked\",\"symbol\":\"mixattn_masked\",\"arguments\":[],\"results\":[{\"name\":\"y\",\"dtype\":\"f32\",\"shape\":[8]}],\"flops\":null,\"bytes\":null,\"attention\":null,\"attention_reason\":\"planted\"}]}"} {
  llvm.mlir.global external constant @mixattn_manifest("{\"abi\":2,\"producer\":\"by hand\",\"target\":{\"arch\":\"x86_64\",\"cpu\":\"x86-64-v3\",\"features\":[\"avx\",\"avx2\",\"bmi\",\"bmi2\",\"f16c\",\"fma\",\"lzcnt\",\"movbe\",\"popcnt\",\"sse3\",\"sse4.1\",\"sse4.2\",\"ssse3\"]},\"sanitizer\":\"thread\",\"entries\":[{\"name\":\"element\",\"symbol\":\"mixattn_element\",\"arguments\":[],\"results\":[{\"name\":\"y\",\"dtype\":\"f32\",\"shape\":[8]}],\"flops\":null,\"bytes\":null,\"attention\":null,\"attention_reason\":\"planted\"},{\"name\":\"vector\",\"symbol\":\"mixattn_vector\",\"arguments\":[],\"results\":[{\"name\":\"y\",\"dtype\":\"f32\",\"shape\":[8]}],\"flops\":null,\"bytes\":null,\"attention\":null,\"attention_reason\":\"planted\"},{\"name\":\"masked\",\"symbol\":\"mixattn_masked\",\"arguments\":[],\"results\":[{\"name\":\"y\",\"dtype\":\"f32\",\"shape\":[8]}],\"flops\":null,\"bytes\":null,\"attention\":null,\"attention_reason\":\"planted\"}]}\00") {addr_space = 0 : i32, section = ".mixattn.manifest"}

  llvm.func @mixattn_element(%tensors: !llvm.ptr, %count: i32, %call: !llvm.ptr) -> i32 {
    %tensor = llvm.load %tensors : !llvm.ptr -> !llvm.ptr
    %y = llvm.load %tensor : !llvm.ptr -> !llvm.ptr
    %zero = llvm.mlir.zero : f32
    omp.parallel {
      llvm.store %zero, %y : f32, !llvm.ptr
      omp.terminator
    }
    %ok = llvm.mlir.constant(0 : i32) : i32
    llvm.return %ok : i32
  }

  llvm.func @mixattn_vector(%tensors: !llvm.ptr, %count: i32, %call: !llvm.ptr) -> i32 {
    %tensor = llvm.load %tensors : !llvm.ptr -> !llvm.ptr
    %y = llvm.load %tensor : !llvm.ptr -> !llvm.ptr
    %zeros = llvm.mlir.zero : vector<8xf32>
    omp.parallel {
      llvm.store %zeros, %y {alignment = 4 : i64} : vector<8xf32>, !llvm.ptr
      omp.terminator
    }
    %ok = llvm.mlir.constant(0 : i32) : i32
    llvm.return %ok : i32
  }

  llvm.func @mixattn_masked(%tensors: !llvm.ptr, %count: i32, %call: !llvm.ptr) -> i32 {
    %tensor = llvm.load %tensors : !llvm.ptr -> !llvm.ptr
    %y = llvm.load %tensor : !llvm.ptr -> !llvm.ptr
    %zeros = llvm.mlir.zero : vector<8xf32>
    %mask = llvm.mlir.constant(dense<[false, false, true, true, false, false, false, false]> : vector<8xi1>) : vector<8xi1>
    omp.parallel {
      llvm.intr.masked.store %zeros, %y, %mask {alignment = 4 : i32} : vector<8xf32>, vector<8xi1> into !llvm.ptr
      omp.terminator
    }
    %ok = llvm.mlir.constant(0 : i32) : i32
    llvm.return %ok : i32
  }
}
