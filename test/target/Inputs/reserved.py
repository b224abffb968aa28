# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints a module at level llvm whose entry `f` has an argument for every word
that C, C++, DLPack or the header made for it use themselves."""

import json

WORDS = """
alignas alignof and and_eq asm auto bitand bitor bool break case catch char
char16_t char32_t char8_t class compl concept const const_cast consteval
constexpr constinit continue co_await co_return co_yield decltype default delete
do double dynamic_cast else enum explicit export extern false float for friend
goto if inline int long mutable namespace new noexcept not not_eq nullptr
operator or or_eq private protected public register reinterpret_cast requires
restrict return short signed sizeof static static_assert static_cast struct
switch template this thread_local throw true try typedef typeid typename typeof
typeof_unqual union unsigned using virtual void volatile wchar_t while xor
xor_eq _Alignas _Alignof _Atomic _Bool _Complex _Generic _Imaginary _Noreturn
_Static_assert _Thread_local __LINE__ __func__ __attribute__
I INT8_MAX INT64_MIN NULL EOF NAN INFINITY SIZE_MAX complex errno imaginary
linux unix stdin stdout stderr assert size_t
int8_t int16_t int32_t int64_t uint8_t uint16_t
DLTensor DLDevice kDLCPU kDLInt kDLFloat kDLBfloat
mixattn_f mixattn_call MIXATTN_DL_BOOL MIXATTN_ENTRIES_f
attn_f call count pointers shapes tensors
"""

arguments = [{"name": word, "dtype": "f32", "shape": ["N", 2]} for word in WORDS.split()]
for argument, dtype in zip(arguments, ("f16", "bf16", "f64", "i1", "i8", "i16", "i32", "i64")):
    argument["dtype"] = dtype
entry = {
    "name": "f", "symbol": "mixattn_f", "arguments": arguments, "results": [],
    "flops": None, "bytes": None, "attention": None, "attention_reason": "none",
}  # fmt: skip
target = {"arch": "x86_64", "cpu": "x86-64", "features": []}
manifest = {"abi": 2, "producer": "p", "target": target, "entries": [entry]}
text = json.dumps(json.dumps(manifest))
print(
    f"module attributes {{attn.manifest = {text}}} {{\n"
    "  llvm.func @mixattn_f(%tensors: !llvm.ptr, %count: i32, %call: !llvm.ptr) -> i32 {\n"
    "    llvm.return %count : i32\n  }\n}"
)
