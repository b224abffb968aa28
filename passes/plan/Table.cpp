// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The common parts of reports: tables, and places in files.

#include "passes/plan/Table.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Visitors.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mixattn;

void Table::print(llvm::raw_ostream &out) const {
  std::vector<size_t> widths;
  for (const Row &row : rows) {
    widths.resize(std::max(widths.size(), row.cells.size()));
    for (auto [width, cell] : llvm::zip(widths, row.cells))
      width = std::max(width, cell.size());
  }
  for (const auto &[cells, note] : rows) {
    out << cells.front();
    size_t gap = widths.front() - cells.front().size();
    for (auto [width, cell] : llvm::drop_begin(llvm::zip(widths, cells))) {
      out.indent(gap + 2 + width - cell.size()) << cell;
      gap = 0;
    }
    out << (note.empty() ? "" : "  ") << note << "\n";
  }
}

FileLineColLoc mixattn::findPlace(Location location) {
  FileLineColLoc place;
  location->walk([&](Location each) {
    place = dyn_cast<FileLineColLoc>(each);
    return place ? WalkResult::interrupt() : WalkResult::advance();
  });
  return place;
}
