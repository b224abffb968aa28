// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Entries that leave their tensors of eight elements: one reads x[8], one reads
// a vector from x[4] on, one writes the lanes from y[4] on of which a mask holds
// the first five.
module attributes {attn.manifest = "{\"abi\":2,\"producer\":\"by hand\",\"target\":{\"arch\":\"x86_64\",\"cpu\":\"x86-64-v3\",\"features\":[\"avx\",\"avx2\",\"bmi\",\"bmi2\",\"f16c\",\"fma\",\"lzcnt\",\"movbe\",\"popcnt\",\"sse3\",\"sse4.1\",\"sse4.2\",\"ssse3\"]},\"sanitizer\":\"address\",\"entries\":[{\"name\":\"element\",\"symbol\":\"mixattn_element\",\"arguments\":[{\"name\":\"x\",\"dtype\":\"f32\",\"shape\":[8]}],\"results\":[{\"name\":\"y\",\"dtype\":\"f32\",\"shape\":[8]}],\"flops\":null,\"bytes\":null,\"attention\":null,\"attention_reason\":\"planted\"},{\"name\":\"vector\",\"symbol\":\"mixattn_vector\",\"arguments\":[{\"name\":\"x\",\"dtype\":\"f32\",\"shape\":[8]}],\"results\":[{\"name\":\"y\",\"dtype\":\"f32\",\"shape\":[8]}],\"flops\":null,\"bytes\":null,\"attention\":null,\"attention_reason\":\"planted\"},{\"name\":\"masked\",\"symbol\":\"mixattn_masked\",\"arguments\":[{\"name\":\"x\",\"dtype\":\"f32\",\"shape\":[8]}],\"results\":[{\"name\":\"y\",\"dtype\":\"f32\",\"shape\":[8]}],\"flops\":null,\"bytes\":null,\"attention\":null,\"attention_reason\":\"planted\"}]}"} {
  llvm.mlir.global external constant @mixattn_manifest("{\"abi\":2,\"producer\":\"by hand\",\"target\":{\"arch\":\"x86_64\",\"cpu\":\"x86-64-v3\",\"features\":[\"avx\",\"avx2\",\"bmi\",\"bmi2\",\"f16c\",\"fma\",\"lzcnt\",\"movbe\",\"popcnt\",\"sse3\",\"sse4.1\",\"sse4.2\",\"ssse3\"]},\"sanitizer\":\"address\",\"entries\":[{\"name\":\"element\",\"symbol\":\"mixattn_element\",\"arguments\":[{\"name\":\"x\",\"dtype\":\"f32\",\"shape\":[8]}],\"results\":[{\"name\":\"y\",\"dtype\":\"f32\",\"shape\":[8]}],\"flops\":null,\"bytes\":null,\"attention\":null,\"attention_reason\":\"planted\"},{\"name\":\"vector\",\"symbol\":\"mixattn_vector\",\"arguments\":[{\"name\":\"x\",\"dtype\":\"f32\",\"shape\":[8]}],\"results\":[{\"name\":\"y\",\"dtype\":\"f32\",\"shape\":[8]}],\"flops\":null,\"bytes\":null,\"attention\":null,\"attention_reason\":\"planted\"},{\"name\":\"masked\",\"symbol\":\"mixattn_masked\",\"arguments\":[{\"name\":\"x\",\"dtype\":\"f32\",\"shape\":[8]}],\"results\":[{\"name\":\"y\",\"dtype\":\"f32\",\"shape\":[8]}],\"flops\":null,\"bytes\":null,\"attention\":null,\"attention_reason\":\"planted\"}]}\00") {addr_space = 0 : i32, section = ".mixattn.manifest"}

  llvm.func @mixattn_element(%tensors: !llvm.ptr, %count: i32, %call: !llvm.ptr) -> i32 {
    %p_y = llvm.getelementptr %tensors[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %t_x = llvm.load %tensors : !llvm.ptr -> !llvm.ptr
    %t_y = llvm.load %p_y : !llvm.ptr -> !llvm.ptr
    %x = llvm.load %t_x : !llvm.ptr -> !llvm.ptr
    %y = llvm.load %t_y : !llvm.ptr -> !llvm.ptr
    %p = llvm.getelementptr %x[8] : (!llvm.ptr) -> !llvm.ptr, f32
    %value = llvm.load %p : !llvm.ptr -> f32
    llvm.store %value, %y : f32, !llvm.ptr
    %ok = llvm.mlir.constant(0 : i32) : i32
    llvm.return %ok : i32
  }

  llvm.func @mixattn_vector(%tensors: !llvm.ptr, %count: i32, %call: !llvm.ptr) -> i32 {
    %p_y = llvm.getelementptr %tensors[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %t_x = llvm.load %tensors : !llvm.ptr -> !llvm.ptr
    %t_y = llvm.load %p_y : !llvm.ptr -> !llvm.ptr
    %x = llvm.load %t_x : !llvm.ptr -> !llvm.ptr
    %y = llvm.load %t_y : !llvm.ptr -> !llvm.ptr
    %p = llvm.getelementptr %x[4] : (!llvm.ptr) -> !llvm.ptr, f32
    %value = llvm.load %p {alignment = 4 : i64} : !llvm.ptr -> vector<8xf32>
    llvm.store %value, %y {alignment = 4 : i64} : vector<8xf32>, !llvm.ptr
    %ok = llvm.mlir.constant(0 : i32) : i32
    llvm.return %ok : i32
  }

  llvm.func @mixattn_masked(%tensors: !llvm.ptr, %count: i32, %call: !llvm.ptr) -> i32 {
    %p_y = llvm.getelementptr %tensors[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %t_x = llvm.load %tensors : !llvm.ptr -> !llvm.ptr
    %t_y = llvm.load %p_y : !llvm.ptr -> !llvm.ptr
    %x = llvm.load %t_x : !llvm.ptr -> !llvm.ptr
    %y = llvm.load %t_y : !llvm.ptr -> !llvm.ptr
    %p = llvm.getelementptr %y[4] : (!llvm.ptr) -> !llvm.ptr, f32
    %zeros = llvm.mlir.zero : vector<8xf32>
    %mask = llvm.mlir.constant(dense<[true, true, true, true, true, false, false, false]> : vector<8xi1>) : vector<8xi1>
    llvm.intr.masked.store %zeros, %p, %mask {alignment = 4 : i32} : vector<8xf32>, vector<8xi1> into !llvm.ptr
    %ok = llvm.mlir.constant(0 : i32) : i32
    llvm.return %ok : i32
  }
}
