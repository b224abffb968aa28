// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A module at level llvm whose manifest has names that are hard for C.
module attributes {attn.manifest = "{\"abi\":2,\"producer\":\"p\",\"target\":{\"arch\":\"x86_64\",\"cpu\":\"x86-64\",\"features\":[]},\"entries\":[{\"name\":\"names\",\"symbol\":\"mixattn_names\",\"arguments\":[{\"name\":\"x\",\"dtype\":\"f16\",\"shape\":[\"call\",3]},{\"name\":\"double\",\"dtype\":\"bf16\",\"shape\":[]},{\"name\":\"a-b\",\"dtype\":\"f64\",\"shape\":[\"call\"]},{\"name\":\"a.b\",\"dtype\":\"i1\",\"shape\":[4]},{\"name\":\"1st\",\"dtype\":\"i8\",\"shape\":[4]},{\"name\":\"shapes\",\"dtype\":\"i16\",\"shape\":[4]}],\"results\":[{\"name\":\"call\",\"dtype\":\"i32\",\"shape\":[\"call\"]}],\"flops\":null,\"bytes\":null,\"attention\":null,\"attention_reason\":\"none\"}]}"} {
  llvm.func @mixattn_names(%tensors: !llvm.ptr, %count: i32, %call: !llvm.ptr) -> i32 {
    llvm.return %count : i32
  }
}
