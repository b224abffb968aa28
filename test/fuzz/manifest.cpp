// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Any bytes as the text of a manifest, and as an ELF file that holds one.
#include "lib/Runtime/Manifest.h"
#include "lib/Runtime/ElfSection.h"
#include <cstdint>

using namespace mixattn;

static void parse(std::string_view text) {
  Result<Manifest> manifest = parseManifest(text);
  if (!manifest)
    return;
  // All dims of a manifest that parses have sizes.
  for (const Entry &entry : manifest->entries) {
    DimSizes sizes;
    for (const auto &[name, rule] : entry.sizes)
      sizes[name] = 3;
    for (const Parameter &argument : entry.arguments)
      for (const Dim &dim : argument.shape)
        if (dim.isDynamic())
          sizes[dim.name] = 3;
    for (const Parameter &argument : entry.arguments)
      if (argument.holds)
        for (const Dim &extent : argument.holds->extents)
          extent.in(sizes);
    for (const Parameter &result : entry.results)
      for (const Dim &dim : result.shape)
        dim.in(sizes);
    if (entry.flops)
      entry.flops->in(sizes);
    if (entry.bytes)
      entry.bytes->in(sizes);
    for (const Launch &launch :
         entry.launches.value_or(std::vector<Launch>())) {
      for (const SizeExpression &count : launch.grid)
        count.in(sizes, /*threads=*/1);
      for (const KernelParameter &parameter : launch.parameters)
        parameter.value.in(sizes, /*threads=*/1);
    }
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view file(reinterpret_cast<const char *>(data), size);
  parse(file);
  if (Result<ElfSection> section = findElfSection(file, ".mixattn.manifest"))
    parse(section->content);
  return 0;
}
