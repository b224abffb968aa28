// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Errors of attn.row_term, attn.row_factors and attn.project.
//
// RUN: mixattn-opt %s --split-input-file --verify-diagnostics

func.func @factor_for_each_key(%k: tensor<1x2x3x5x8xf32>) {
  // expected-error @below {{'attn.row_term' op expected a factor for each component, but got 2}}
  %0 = attn.row_term %k factors [1.0, 1.0] of_keys has_square
      : tensor<1x2x3x5x8xf32> -> tensor<1x2x2x5xf32>
  return
}

// -----

func.func @factor_for_each_shift(%x: tensor<1x2x5x8xf32>, %s: tensor<2x3x8xf32>) {
  // expected-error @below {{'attn.row_term' op expected a factor for each component, but got 1}}
  %0 = attn.row_term %x shifts(%s : tensor<2x3x8xf32>) factors [1.0]
      : tensor<1x2x5x8xf32> -> tensor<1x2x1x5xf32>
  return
}

// -----

func.func @other_term(%x: tensor<1x2x5x8xf32>) {
  // expected-error @below {{'attn.row_term' op expected a result like 'tensor<1x2x2x5xf32>', but got 'tensor<1x2x1x5xf32>'}}
  %0 = attn.row_term %x factors [1.0, 1.0] has_square
      : tensor<1x2x5x8xf32> -> tensor<1x2x1x5xf32>
  return
}

// -----

func.func @narrow_term(%x: tensor<1x2x5x8xf32>) {
  // expected-error @below {{'attn.row_term' op result #0 must be 4D tensor of 32-bit float values, but got 'tensor<1x2x1x5xf16>'}}
  %0 = attn.row_term %x factors [1.0] has_square
      : tensor<1x2x5x8xf32> -> tensor<1x2x1x5xf16>
  return
}

// -----

func.func @other_projection(%x: tensor<?x2x16x8xf16>, %e: tensor<4x16xf32>) {
  // expected-error @below {{'attn.project' op expected a result like 'tensor<?x2x4x8xf32>', but got 'tensor<?x2x16x8xf32>'}}
  %0 = attn.project %x by %e : tensor<?x2x16x8xf16>, tensor<4x16xf32>
      -> tensor<?x2x16x8xf32>
  return
}

// -----

func.func @no_part(%x: tensor<1x2x5x8xf32>) {
  // expected-error @below {{'attn.row_term' op expected 'shifts' or 'has_square'}}
  %0 = attn.row_term %x factors [1.0] of_keys
      : tensor<1x2x5x8xf32> -> tensor<1x2x1x5xf32>
  return
}

// -----

func.func @no_heads_of_shifts(%x: tensor<1x2x5x8xf32>, %s: tensor<0x1x8xf32>) {
  // expected-error @below {{'attn.row_term' op expected the heads of 'shifts' to divide the 2 of 'rows', but got 'tensor<0x1x8xf32>'}}
  %0 = attn.row_term %x shifts(%s : tensor<0x1x8xf32>) factors [1.0]
      : tensor<1x2x5x8xf32> -> tensor<1x2x1x5xf32>
  return
}

// -----

func.func @heads_of_shifts(%x: tensor<1x4x5x8xf32>, %s: tensor<3x1x8xf32>) {
  // expected-error @below {{'attn.row_term' op expected the heads of 'shifts' to divide the 4 of 'rows', but got 'tensor<3x1x8xf32>'}}
  %0 = attn.row_term %x shifts(%s : tensor<3x1x8xf32>) factors [1.0]
      : tensor<1x4x5x8xf32> -> tensor<1x4x1x5xf32>
  return
}

// -----

// expected-note @below {{'rows' defined here, of type 'tensor<1x2x5x8xf32>'}}
// expected-note @below {{'shifts' defined here, of type 'tensor<2x1x6xf32>'}}
func.func @features_of_shifts(%x: tensor<1x2x5x8xf32>, %s: tensor<2x1x6xf32>) {
  // expected-error @below {{'attn.row_term' op expected 'rows' and 'shifts' to agree on the feature size, but got 8 and 6}}
  %0 = attn.row_term %x shifts(%s : tensor<2x1x6xf32>) factors [1.0]
      : tensor<1x2x5x8xf32> -> tensor<1x2x1x5xf32>
  return
}

// -----

// expected-note @below {{'term' defined here, of type 'tensor<1x2x4xf32>'}}
func.func @length_of_term(%x: tensor<1x2x5x8xf32>, %t: tensor<1x2x4xf32>) {
  // expected-error @below {{'attn.row_term' op expected 'term' to have the shape [1, 2, 5], but got 'tensor<1x2x4xf32>'}}
  %0 = attn.row_term %x term(%t : tensor<1x2x4xf32>) factors [1.0] has_square
      : tensor<1x2x5x8xf32> -> tensor<1x2x1x5xf32>
  return
}

// -----

// expected-note @below {{'prior' defined here, of type 'tensor<3x1xf32>'}}
func.func @heads_of_prior(%x: tensor<1x2x5x8xf32>, %p: tensor<3x1xf32>) {
  // expected-error @below {{'attn.row_term' op expected 'prior' to have the shape [2, 1], but got 'tensor<3x1xf32>'}}
  %0 = attn.row_term %x prior(%p : tensor<3x1xf32>) factors [1.0] has_square
      : tensor<1x2x5x8xf32> -> tensor<1x2x1x5xf32>
  return
}

// -----

// expected-note @below {{'sequence' defined here, of type 'tensor<1x2x5x8xf32>'}}
// expected-note @below {{'projection' defined here, of type 'tensor<3x7xf32>'}}
func.func @length_of_projection(%x: tensor<1x2x5x8xf32>, %e: tensor<3x7xf32>) {
  // expected-error @below {{'attn.project' op expected 'sequence' and 'projection' to agree on the length, but got 5 and 7}}
  %0 = attn.project %x by %e : tensor<1x2x5x8xf32>, tensor<3x7xf32>
      -> tensor<1x2x3x8xf32>
  return
}

// -----

func.func @panels_without_a_dim(%x: memref<2x4x6xf32>, %p: memref<2x2x4xf32>) {
  attn.kernel ins(%x : memref<2x4x6xf32>) outs(%p : memref<2x2x4xf32>) {
  ^bb0(%w: tensor<2x4x6xf32>):
    // expected-error @below {{'attn.panels' op expected each dim of 'tensor<2x4x6xf32>' once in 'terms', 'lanes' or 'batches'}}
    %0 = attn.panels %w terms [0] lanes [2] width 4 : tensor<2x4x6xf32> -> tensor<2x2x4xf32>
    attn.results %0 : tensor<2x2x4xf32>
  }
  return
}

// -----

func.func @panels_of_open_sizes(%x: memref<?x6xf32>, %p: memref<2x2x4xf32>) {
  attn.kernel ins(%x : memref<?x6xf32>) outs(%p : memref<2x2x4xf32>) {
  ^bb0(%w: tensor<?x6xf32>):
    // expected-error @below {{'attn.panels' op expected terms and lanes of known sizes, but got 'tensor<?x6xf32>'}}
    %0 = attn.panels %w terms [0] lanes [1] width 4 : tensor<?x6xf32> -> tensor<2x2x4xf32>
    attn.results %0 : tensor<2x2x4xf32>
  }
  return
}

// -----

func.func @panels_without_terms(%x: memref<4x6xf32>, %p: memref<6x1x4xf32>) {
  attn.kernel ins(%x : memref<4x6xf32>) outs(%p : memref<6x1x4xf32>) {
  ^bb0(%w: tensor<4x6xf32>):
    // expected-error @below {{'attn.panels' op expected terms and lanes of known sizes, but got 'tensor<4x6xf32>'}}
    %0 = attn.panels %w terms [] lanes [0, 1] width 4 : tensor<4x6xf32> -> tensor<6x1x4xf32>
    attn.results %0 : tensor<6x1x4xf32>
  }
  return
}

// -----

func.func @pairs_of_floats(%x: memref<4x6xf32>, %p: memref<2x2x8xf32>) {
  attn.kernel ins(%x : memref<4x6xf32>) outs(%p : memref<2x2x8xf32>) {
  ^bb0(%w: tensor<4x6xf32>):
    // expected-error @below {{'attn.panels' op expected pairs of bf16, but got 'tensor<4x6xf32>'}}
    %0 = attn.panels %w terms [0] lanes [1] width 4 pairs : tensor<4x6xf32> -> tensor<2x2x8xf32>
    attn.results %0 : tensor<2x2x8xf32>
  }
  return
}

// -----

func.func @fewer_panels(%x: memref<4x6xf32>, %p: memref<1x4x4xf32>) {
  attn.kernel ins(%x : memref<4x6xf32>) outs(%p : memref<1x4x4xf32>) {
  ^bb0(%w: tensor<4x6xf32>):
    // expected-error @below {{'attn.panels' op expected a result like 'tensor<2x4x4xf32>', but got 'tensor<1x4x4xf32>'}}
    %0 = attn.panels %w terms [0] lanes [1] width 4 : tensor<4x6xf32> -> tensor<1x4x4xf32>
    attn.results %0 : tensor<1x4x4xf32>
  }
  return
}

// -----

func.func @as_many_factors(%x: tensor<1x2x3x5xf32>) {
  // expected-error @below {{'attn.row_factors' op expected a result like 'tensor<1x2x4x5xf32>', but got 'tensor<1x2x3x5xf32>'}}
  %0 = attn.row_factors %x headroom 0.0 : tensor<1x2x3x5xf32> -> tensor<1x2x3x5xf32>
  return
}

// -----

// expected-note @below {{'term' defined here, of type 'tensor<1x2x?x5xf32>'}}
func.func @open_components(%x: tensor<1x2x?x5xf32>) {
  // expected-error @below {{'attn.row_factors' op expected 'term' to have static components}}
  %0 = attn.row_factors %x headroom 0.0 : tensor<1x2x?x5xf32> -> tensor<1x2x4x5xf32>
  return
}
