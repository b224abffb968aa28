// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A module at level llvm, small enough to read: y[i] = exp(x[i]) + steps, with
// a call into libm, one into libc and a function that must not be exported.
module attributes {attn.manifest = "{\"abi\":2,\"producer\":\"mixattn 0.1.0 (LLVM 22.1.8)\",\"target\":{\"arch\":\"x86_64\",\"cpu\":\"x86-64-v3\",\"features\":[\"avx\",\"avx2\",\"bmi\",\"bmi2\",\"f16c\",\"fma\",\"lzcnt\",\"movbe\",\"popcnt\",\"sse3\",\"sse4.1\",\"sse4.2\",\"ssse3\"]},\"entries\":[{\"name\":\"grow\",\"symbol\":\"mixattn_grow\",\"arguments\":[{\"name\":\"x\",\"dtype\":\"f32\",\"shape\":[\"N\"]},{\"name\":\"steps\",\"dtype\":\"i64\",\"shape\":[],\"range\":[0,\"N\"]}],\"results\":[{\"name\":\"y\",\"dtype\":\"f32\",\"shape\":[\"N\"]}],\"flops\":null,\"bytes\":null,\"attention\":null,\"attention_reason\":\"it holds no attention op\"}]}"} {
  llvm.mlir.global external constant @mixattn_manifest_of_grow("{\"abi\":2,\"producer\":\"mixattn 0.1.0 (LLVM 22.1.8)\",\"target\":{\"arch\":\"x86_64\",\"cpu\":\"x86-64-v3\",\"features\":[\"avx\",\"avx2\",\"bmi\",\"bmi2\",\"f16c\",\"fma\",\"lzcnt\",\"movbe\",\"popcnt\",\"sse3\",\"sse4.1\",\"sse4.2\",\"ssse3\"]},\"entries\":[{\"name\":\"grow\",\"symbol\":\"mixattn_grow\",\"arguments\":[{\"name\":\"x\",\"dtype\":\"f32\",\"shape\":[\"N\"]},{\"name\":\"steps\",\"dtype\":\"i64\",\"shape\":[],\"range\":[0,\"N\"]}],\"results\":[{\"name\":\"y\",\"dtype\":\"f32\",\"shape\":[\"N\"]}],\"flops\":null,\"bytes\":null,\"attention\":null,\"attention_reason\":\"it holds no attention op\"}]}\00") {addr_space = 0 : i32, section = ".mixattn.manifest"}
  llvm.func @expf(f32) -> f32
  llvm.func @malloc(i64) -> !llvm.ptr
  llvm.func @free(!llvm.ptr)

  llvm.func internal @step(%value: f32, %steps: f32) -> f32 attributes {passthrough = ["noinline"]} {
    %0 = llvm.call @expf(%value) : (f32) -> f32
    %1 = llvm.fadd %0, %steps : f32
    llvm.return %1 : f32
  }

  llvm.func @mixattn_grow(%tensors: !llvm.ptr, %count: i32, %call: !llvm.ptr) -> i32 {
    %ok = llvm.mlir.constant(0 : i32) : i32
    %error_count = llvm.mlir.constant(-1 : i32) : i32
    %three = llvm.mlir.constant(3 : i32) : i32
    %zero = llvm.mlir.constant(0 : i64) : i64
    %one = llvm.mlir.constant(1 : i64) : i64
    %four = llvm.mlir.constant(4 : i64) : i64
    %same = llvm.icmp "eq" %count, %three : i32
    llvm.cond_br %same, ^start, ^wrong
  ^wrong:
    llvm.return %error_count : i32
  ^start:
    %p_steps = llvm.getelementptr %tensors[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %p_y = llvm.getelementptr %tensors[2] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %t_x = llvm.load %tensors : !llvm.ptr -> !llvm.ptr
    %t_steps = llvm.load %p_steps : !llvm.ptr -> !llvm.ptr
    %t_y = llvm.load %p_y : !llvm.ptr -> !llvm.ptr
    %x = llvm.load %t_x : !llvm.ptr -> !llvm.ptr
    %steps = llvm.load %t_steps : !llvm.ptr -> !llvm.ptr
    %y = llvm.load %t_y : !llvm.ptr -> !llvm.ptr
    %p_shape = llvm.getelementptr %t_x[24] : (!llvm.ptr) -> !llvm.ptr, i8
    %shape = llvm.load %p_shape : !llvm.ptr -> !llvm.ptr
    %n = llvm.load %shape : !llvm.ptr -> i64
    %bytes = llvm.mul %n, %four : i64
    %scratch = llvm.call @malloc(%bytes) : (i64) -> !llvm.ptr
    %raw = llvm.load %steps : !llvm.ptr -> i64
    %float = llvm.sitofp %raw : i64 to f32
    llvm.br ^head(%zero : i64)
  ^head(%i: i64):
    %more = llvm.icmp "slt" %i, %n : i64
    llvm.cond_br %more, ^body, ^end
  ^body:
    %p_in = llvm.getelementptr %x[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %p_scratch = llvm.getelementptr %scratch[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %value = llvm.load %p_in : !llvm.ptr -> f32
    %grown = llvm.call @step(%value, %float) : (f32, f32) -> f32
    llvm.store volatile %grown, %p_scratch : f32, !llvm.ptr
    %next = llvm.add %i, %one : i64
    llvm.br ^head(%next : i64)
  ^end:
    "llvm.intr.memcpy"(%y, %scratch, %bytes) <{isVolatile = false}> : (!llvm.ptr, !llvm.ptr, i64) -> ()
    llvm.call @free(%scratch) : (!llvm.ptr) -> ()
    llvm.return %ok : i32
  }
}
