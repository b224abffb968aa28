// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the noise of a score comes from.
#include "lib/Reference/NoiseSource.h"

using namespace mixattn;

/// An integer that doubles may not hold.
static Result<uint64_t> readInteger(const std::string &name,
                                    const Arguments &arguments) {
  auto argument = arguments.find(name);
  if (argument == arguments.end())
    return makeError("the attention op reads '{}', which is no argument", name);
  return static_cast<uint64_t>(argument->second->integer(0));
}

Status NoiseSource::bind(const Noise &source, int64_t sources,
                         const Shape &full, const Arguments &arguments) {
  op = &source;
  heads = full[1];
  if (Status read =
          readAll({{op->sigma, sigma}, {op->noise, noise}}, arguments);
      !read)
    return read;
  if (Status fits = expectShape({op->sigma, sigma}, {sources}); !fits)
    return fits;
  if (!op->noise.empty())
    return expectShape({op->noise, noise}, full);
  Result<uint64_t> seed = readInteger(op->seed, arguments);
  if (!seed)
    return seed.error();
  Result<uint64_t> start = readInteger(op->offset, arguments);
  if (!start)
    return start.error();
  key = {static_cast<uint32_t>(*seed), static_cast<uint32_t>(*seed >> 32)};
  offset = static_cast<uint32_t>(*start);
  return Success();
}

double NoiseSource::at(int64_t k, int64_t b, int64_t head, int64_t i,
                       int64_t j) const {
  if (!op->noise.empty())
    return sigma(k) * noise(b, head, i, j);
  PhiloxCounter counter = {static_cast<uint32_t>(j / 4),
                           static_cast<uint32_t>(i),
                           static_cast<uint32_t>(b * heads + head), offset};
  return sigma(k) * philoxNormal(counter, key, static_cast<int>(j % 4));
}
