// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An algorithm of our own for softmax attention on x86.
#ifndef ROW_BY_ROW_H
#define ROW_BY_ROW_H

#include "mlir/IR/DialectRegistry.h"

/// Adds the algorithm `row_by_row` to the table of schedules for x86.
void registerRowByRow(mlir::DialectRegistry &registry);

#endif // ROW_BY_ROW_H
