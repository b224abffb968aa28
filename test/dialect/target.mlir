// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The target of a module, as it is read and written.
//
// RUN: mixattn-opt %s --split-input-file | mixattn-opt --split-input-file | FileCheck %s
// RUN: mixattn-opt %s --split-input-file --mlir-print-op-generic | mixattn-opt --split-input-file | FileCheck %s

// CHECK: module attributes {attn.target = #attn.target<x86, chip = "x86-64">} {
module attributes {attn.target = #attn.target<x86, chip = "x86-64">} {
}

// -----

// CHECK: module attributes {attn.target = #attn.target<x86, chip = "znver5", features = ["avx2", "fma"], threads = 2, machine = {cores = 2 : i64, vendor = "GenuineIntel"}>} {
module attributes {attn.target = #attn.target<x86, threads = 2, features = ["avx2", "fma"],
    machine = {cores = 2 : i64, vendor = "GenuineIntel"},
    chip = "znver5">} {
}

// -----

// CHECK: module attributes {attn.target = #attn.target<mma, chip = "sm_80">} {
module attributes {attn.target = #attn.target<mma, chip = "sm_80">} {
}
