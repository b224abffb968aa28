// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether the system lets a process use AMX.

#ifndef MIXATTN_PASSES_ENTRY_AMX_PERMISSION_H
#define MIXATTN_PASSES_ENTRY_AMX_PERMISSION_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mixattn {

/// Whether code of `module` multiplies by AMX.
bool usesAmx(mlir::ModuleOp module);

/// Emits an i1: whether this process may use AMX. The system is asked once, by
/// Linux's arch_prctl (ARCH_REQ_XCOMP_PERM), for all threads of the process.
/// Where the CPU has no AMX, it says no.
mlir::Value emitMayUseAmx(mlir::ImplicitLocOpBuilder &b, mlir::ModuleOp module);

} // namespace mixattn

#endif // MIXATTN_PASSES_ENTRY_AMX_PERMISSION_H
