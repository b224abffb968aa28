// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Texts for messages about graphs.
#include "lib/Import/Graph.h"

using namespace mixattn;

std::string mixattn::toText(const SizeList &sizes) {
  std::string text;
  for (const SizePolynomial &size : sizes)
    text += (text.empty() ? "" : ", ") + size.toText();
  return "[" + text + "]";
}

std::string mixattn::describe(const GraphNode &node) {
  std::string text = "op '" + node.op + "' of node '" + node.name + "'";
  if (node.place.line)
    text +=
        " (" + node.place.file + ":" + std::to_string(node.place.line) + ")";
  return text;
}
