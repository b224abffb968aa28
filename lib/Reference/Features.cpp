// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Feature maps, one function each.
#include "lib/Reference/Features.h"
#include <cmath>

using namespace mixattn;

using Vector = std::vector<double>;

static double relu(double x) { return x < 0 ? 0 : x; }

/// x + 1 above 0, exp(x) below.
static Vector elu(Vector x) {
  for (double &feature : x)
    feature = feature > 0 ? feature + 1 : std::exp(feature);
  return x;
}

/// elu, divided by its sum.
static Vector normalizedElu(const Vector &x) {
  Vector features = elu(x);
  double sum = 0;
  for (double feature : features)
    sum += feature;
  for (double &feature : features)
    feature /= sum;
  return features;
}

static Vector rectified(Vector x) {
  for (double &feature : x)
    feature = relu(feature);
  return x;
}

/// y = [relu(x), relu(-x)] times itself, rolled by 1 to `rolls` places.
static Vector dpfp(const Vector &x, int64_t rolls) {
  Vector y;
  for (double feature : x)
    y.push_back(relu(feature));
  for (double feature : x)
    y.push_back(relu(-feature));
  int64_t count = static_cast<int64_t>(y.size());
  Vector features;
  for (int64_t roll = 1; roll <= rolls; ++roll)
    for (int64_t n = 0; n < count; ++n)
      features.push_back(y[n] * y[((n - roll) % count + count) % count]);
  return features;
}

/// (exp(-|x|^2 / 2 +- x W) + 1e-4) / sqrt(2 m).
static Vector favor(const Vector &x, const Array &projection) {
  int64_t count = projection.shape[1];
  double half = 0;
  for (double feature : x)
    half += feature * feature / 2;
  Vector features;
  for (int sign : {1, -1})
    for (int64_t n = 0; n < count; ++n) {
      double product = 0;
      for (size_t d = 0; d < x.size(); ++d)
        product += x[d] * projection(d, n);
      features.push_back((std::exp(sign * product - half) + 1e-4) /
                         std::sqrt(2.0 * static_cast<double>(count)));
    }
  return features;
}

Vector mixattn::featuresOf(const FeatureMap &map, const Array &projection,
                           const Vector &x) {
  switch (map.kind) {
  case FeatureMap::Kind::Elu:
    return elu(x);
  case FeatureMap::Kind::NormalizedElu:
    return normalizedElu(x);
  case FeatureMap::Kind::Relu:
    return rectified(x);
  case FeatureMap::Kind::Dpfp:
    return dpfp(x, map.rolls);
  case FeatureMap::Kind::Favor:
    return favor(x, projection);
  }
  return {};
}
