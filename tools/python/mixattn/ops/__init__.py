# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention said outright: operators of PyTorch, each an op of the dialect `attn` with every clause.

    import mixattn.ops
    o = mixattn.ops.mix_heads(q, k, v, mixer=m, causal=True)

They compute in PyTorch by their formulas, have gradients, and torch.export keeps them whole, so that
the compiler need not find what is said. `mix_heads.weights(...)` and `mix_heads.lse(...)` give
`(result, weights)` and `(result, lse)` in f32; torch.ops.mixattn.mix_heads has the same overloads.

In ONNX they are of domain mixattn, and any runtime computes their formulas:

    program = torch.onnx.export(model, (x,), dynamo=True, custom_translation_table=mixattn.ops.translations())
    mixattn.ops.attach(program).save("model.onnx")

Queries are [B, H, N, D], keys [B, H, S, D], values [B, H, S, E], results [B, H, N, E]; fewer heads of
keys or values serve several of queries in a row. Clauses of all ops with a softmax, in the order in
which they act on the score of query i and key j:

- `bias`, at most four dims, which spread from the right to [B, H, N, S]: added;
- `softcap`: `c tanh(score / c)`;
- `mask`, true where a query may attend, spread like the bias; `lengths` [B]: key j counts where
  `j < lengths[b]`; `causal`: keys `j <= i + (S - N)`; `band` [lower, upper]: `-upper <= i + (S - N) - j
  <= lower`; `start` [B] takes the place of S - N. A query that sees no key gets zeros;
- `sigsoftmax`: exponentials are weighed by the sigmoid of their score;
- `keep` [lower, upper]: weights outside of this band become zero, the others stay as they are.
"""

from ._attention import admixture_heads, mix_heads, mixture_of_keys, softmax
from ._linear import linear, linear_admixture_heads, linear_mixture_of_keys
from ._onnx import attach, translations

__all__ = ["admixture_heads", "attach", "linear", "linear_admixture_heads", "linear_mixture_of_keys",
           "mix_heads", "mixture_of_keys", "softmax", "translations"]
