// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The common parts of reports: tables, and places in files.

#ifndef MIXATTN_PASSES_PLAN_TABLE_H
#define MIXATTN_PASSES_PLAN_TABLE_H

#include "mlir/IR/Location.h"
#include "llvm/Support/raw_ostream.h"

#include <string>
#include <vector>

namespace mixattn {

/// Rows of cells, printed in columns: the first to the left, the others to the
/// right. A note may follow a row.
class Table {
public:
  void add(std::vector<std::string> row, std::string note = "") {
    rows.push_back({std::move(row), std::move(note)});
  }
  void print(llvm::raw_ostream &out) const;

private:
  struct Row {
    std::vector<std::string> cells;
    std::string note;
  };
  std::vector<Row> rows;
};

/// The place in the file that `location` leads to, or none.
mlir::FileLineColLoc findPlace(mlir::Location location);

} // namespace mixattn

#endif // MIXATTN_PASSES_PLAN_TABLE_H
