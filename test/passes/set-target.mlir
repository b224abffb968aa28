// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The options of attn-set-target become the module's target.
//
// RUN: mixattn-opt %s --attn-set-target | FileCheck %s --check-prefix=NONE
// RUN: mixattn-opt %s --attn-set-target='chip=x86-64-v3 features=fma,avx2,fma threads=2' | FileCheck %s --check-prefix=SORTED
// RUN: mixattn-opt %s --attn-set-target=threads=2 --attn-set-target='family=mma chip=sm_80' | FileCheck %s --check-prefix=GPU
// RUN: not mixattn-opt %s --attn-set-target='chip=sm_80 family=mma features=avx2' 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: not mixattn-opt %s --attn-set-target='threads=-1' 2>&1 | FileCheck %s --check-prefix=THREADS
// RUN: mixattn-opt %s --attn-set-target='chip=znver5 calibration=hidden_exp=4.5,call=1e3' | FileCheck %s --check-prefix=NUMBERS
// RUN: not mixattn-opt %s --attn-set-target='calibration=hidden=4.5' 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not mixattn-opt %s --attn-set-target='calibration=call=fast' 2>&1 | FileCheck %s --check-prefix=NUMBER

// NUMBERS: #attn.target<x86, chip = "znver5", calibration = {call = 1.000000e+03 : f64, hidden_exp = 4.500000e+00 : f64}>
// NAME:    error: expected 'calibration' to be the names of numbers that plans depend on, each with '=' and a number, but got 'hidden=4.5'
// NUMBER:  but got 'call=fast'
// NONE:    module attributes {attn.target = #attn.target<x86, chip = "x86-64">} {
// SORTED:  #attn.target<x86, chip = "x86-64-v3", features = ["avx2", "fma"], threads = 2>
// GPU:     #attn.target<mma, chip = "sm_80">
// WRONG:   error: expected 'features', 'threads', 'machine' and 'calibration' with x86 only
// THREADS: error: expected 'threads' from 0 to 4096, but got -1
module {
}
