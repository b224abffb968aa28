// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Targets that are none.
//
// RUN: mixattn-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{expected 'chip' to be a name, but got nothing}}
module attributes {attn.target = #attn.target<x86, chip = "">} {
}

// -----

// expected-error @below {{expected 'features' to be names that ascend, but got ["fma", "avx2"]}}
module attributes {attn.target = #attn.target<x86, chip = "znver5", features = ["fma", "avx2"]>} {
}

// -----

// expected-error @below {{expected 'features' to be names that ascend, but got ["fma", "fma"]}}
module attributes {attn.target = #attn.target<x86, chip = "znver5", features = ["fma", "fma"]>} {
}

// -----

// expected-error @below {{expected 'features' to be names that ascend, but got [1]}}
module attributes {attn.target = #attn.target<x86, chip = "znver5", features = [1]>} {
}

// -----

// expected-error @below {{expected 'threads' from 0 to 4096, but got 4097}}
module attributes {attn.target = #attn.target<x86, chip = "znver5", threads = 4097>} {
}

// -----

// expected-error @below {{expected 'features', 'threads', 'machine' and 'calibration' with x86 only}}
module attributes {attn.target = #attn.target<mma, chip = "sm_80", threads = 1>} {
}

// -----

// expected-error @below {{expected 'cores' of 'machine' to be a text or a number of 64 bits that is not negative, but got -1 : i64}}
module attributes {attn.target = #attn.target<x86, chip = "znver5", machine = {cores = -1 : i64}>} {
}

// -----

// expected-error @below {{expected 'call' of 'calibration' to be a number of f64 above 0 and at most 1e15, but got 0.000000e+00 : f64}}
module attributes {attn.target = #attn.target<x86, chip = "znver5", calibration = {call = 0.0 : f64}>} {
}

// -----

// expected-error @below {{expected 'call' of 'calibration' to be a number of f64 above 0 and at most 1e15, but got 1 : i64}}
module attributes {attn.target = #attn.target<x86, chip = "znver5", calibration = {call = 1 : i64}>} {
}

// -----

// expected-error @below {{expected 'features', 'threads', 'machine' and 'calibration' with x86 only}}
module attributes {attn.target = #attn.target<mma, chip = "sm_80", calibration = {call = 1.0 : f64}>} {
}

// -----

// expected-error @below {{expected 'attn.target' to be a target, but got "znver5"}}
module attributes {attn.target = "znver5"} {
}

// -----

// expected-error @below {{expected 'attn.target' to be on a module}}
func.func private @f() attributes {attn.target = #attn.target<x86, chip = "znver5">}
