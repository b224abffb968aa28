# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Linear attention: products of features in place of a softmax, `output_scale * phi(q) S / (phi(q) . z +
eps)` with sums over the keys seen `S = sum phi(k) v^T` and `z = sum phi(k)`."""

from typing import Optional

import torch
from torch import Tensor

from ._register import register
from ._scores import repeat_heads, visible, widened

#: A head of keys has a state, which a head of values fills.
OF_STATES = {"key": "queries", "value": "keys"}


def features(x: Tensor, feature_map: str, rolls: int, projection: Optional[Tensor]) -> Tensor:
    """phi, along the last dim."""
    if feature_map == "relu":
        return torch.relu(x)
    if feature_map in ("elu", "normalized_elu"):
        positive = torch.where(x > 0, x + 1, torch.exp(x.clamp(max=0)))
        return positive if feature_map == "elu" else positive / positive.sum(-1, keepdim=True)
    if feature_map == "dpfp" and rolls > 0:
        y = torch.cat([torch.relu(x), torch.relu(-x)], -1)
        return torch.cat([y * torch.roll(y, each, -1) for each in range(1, rolls + 1)], -1)
    if feature_map == "favor" and projection is not None:
        half, y = (x * x).sum(-1, keepdim=True) / 2, x @ projection.to(x.dtype)
        both = torch.cat([torch.exp(y - half), torch.exp(-y - half)], -1) + 1e-4
        return both * both.shape[-1] ** -0.5
    raise ValueError("linear attention: expected the feature map 'elu', 'normalized_elu', 'relu', 'dpfp' with 'rolls', "
                     f"or 'favor' with 'projection', but got '{feature_map}'")


def _seen(query: Tensor, key: Tensor, lengths: Optional[Tensor], causal: bool) -> Tensor:
    """Whether query i sees key j, [B or 1, 1, N, S]."""
    every = query.new_ones((1, 1, query.shape[2], key.shape[2]), dtype=torch.bool)
    seen = visible(every, None, lengths, causal, None, None)
    return every if seen is None else every & seen


def _hidden(tensor: Tensor, lengths: Optional[Tensor]) -> Tensor:
    """Without what lies after the last key, which may be anything."""
    if lengths is None:
        return tensor
    counts = torch.arange(tensor.shape[2], device=tensor.device) < lengths.reshape(-1, 1)
    return tensor.masked_fill(~counts[:, None, :, None], 0)


def _divided(dividend: Tensor, total: Tensor, seen: Tensor, eps: float, output_scale: float) -> Tensor:
    """Zeros where the denominator is, and where no key is seen."""
    total = total.unsqueeze(-1) + eps
    none = (total == 0) | ~seen.any(-1, keepdim=True)
    return torch.where(none, torch.zeros_like(dividend), output_scale * dividend /
                       torch.where(none, torch.ones_like(total), total))


def _attend(q: Tensor, k: Tensor, value: Tensor, lengths: Optional[Tensor], causal: bool, eps: float,
            output_scale: float) -> Tensor:
    """Of features."""
    seen = _seen(q, k, lengths, causal)
    k, v = _hidden(k, lengths), _hidden(widened(value).to(q.dtype), lengths)
    weights = q @ repeat_heads(k, q.shape[1]).transpose(-1, -2) * seen
    dividend = weights @ repeat_heads(v, q.shape[1])
    return _divided(dividend, weights.sum(-1), seen, eps, output_scale).to(value.dtype)


@register(overloads=("",), serves=OF_STATES)
def linear(query: Tensor, key: Tensor, value: Tensor, projection: Optional[Tensor] = None,
           lengths: Optional[Tensor] = None, causal: bool = False, feature_map: str = "elu", rolls: int = 0,
           eps: float = 0.0, output_scale: float = 1.0) -> Tensor:
    """Linear attention. Feature maps are "elu", "normalized_elu", "relu", "dpfp" with its `rolls`, and
    "favor" with its `projection` [D, m]. Heads of values serve several of keys in a row."""
    q, k = (features(widened(x), feature_map, rolls, projection) for x in (query, key))
    return _attend(q, k, value, lengths, causal, eps, output_scale)


@register(overloads=("",), serves=OF_STATES)
def linear_mixture_of_keys(query: Tensor, key: Tensor, value: Tensor, shifts: Optional[Tensor] = None,
                           prior: Optional[Tensor] = None, projection: Optional[Tensor] = None,
                           lengths: Optional[Tensor] = None, causal: bool = False, feature_map: str = "elu",
                           rolls: int = 0, eps: float = 0.0, output_scale: float = 1.0) -> Tensor:
    """Linear attention with several keys per position (MLK): keys as in mixture_of_keys, whose features
    are summed, weighed by `prior` [H, R] or [H, R, S], which holds no negative number."""
    keys = key if shifts is None else key.unsqueeze(2) + shifts.unsqueeze(2)
    q, k = (features(widened(x), feature_map, rolls, projection) for x in (query, keys))
    if prior is not None:
        k = k * (prior if prior.dim() == 3 else prior.unsqueeze(2)).unsqueeze(-1).to(k.dtype)
    return _attend(q, k.sum(2), value, lengths, causal, eps, output_scale)


@register(overloads=("",), serves={"value": "keys"})
def linear_admixture_heads(query: Tensor, key: Tensor, value: Tensor, mixer: Optional[Tensor] = None,
                           w1: Optional[Tensor] = None, b1: Optional[Tensor] = None,
                           w2: Optional[Tensor] = None, b2: Optional[Tensor] = None,
                           normaliser: Optional[Tensor] = None, projection: Optional[Tensor] = None,
                           lengths: Optional[Tensor] = None, causal: bool = False, feature_map: str = "elu",
                           rolls: int = 0, eps: float = 0.0, output_scale: float = 1.0) -> Tensor:
    """Linear attention whose states are mixed over heads (LFiSH): M heads of keys to H of queries, by
    `mixer` [M, H], or by a perceptron `w1` [M, L], `b1` [L], `w2` [L, H], `b2` [H] whose denominators
    `normaliser` [M, H] mixes."""
    if mixer is None and normaliser is None:
        raise ValueError("linear_admixture_heads: expected 'mixer', or 'w1', 'b1', 'w2', 'b2' and 'normaliser', "
                         "but got none of them")
    q, k = (features(widened(x), feature_map, rolls, projection) for x in (query, key))
    seen = _seen(q, k, lengths, causal)
    k = _hidden(k, lengths)
    v = repeat_heads(_hidden(widened(value).to(q.dtype), lengths), k.shape[1])
    # Head k of keys for head a of queries, [B, M, H, N, S].
    weights = q.unsqueeze(1) @ k.unsqueeze(2).transpose(-1, -2) * seen.unsqueeze(1)
    if mixer is not None:
        mixed = mixer.to(q.dtype)
        dividend = torch.einsum("ka,bkaij,bkje->baie", mixed, weights, v)
        return _divided(dividend, torch.einsum("ka,bkaij->bai", mixed, weights), seen, eps,
                         output_scale).to(value.dtype)
    # Query i's states, [B, M, N, F, E]; all see the same keys unless causal.
    rows = seen if causal else seen[:, :, :1]
    states = torch.einsum("bzij,bkjf,bkje->bkife", rows.to(q.dtype).expand(q.shape[0], -1, -1, -1), k, v)
    hidden = torch.einsum("kl,bkife->blife", w1.to(q.dtype), states) + b1.to(q.dtype).reshape(-1, 1, 1, 1)
    bent = torch.einsum("la,blife->baife", w2.to(q.dtype), torch.relu(hidden))
    bent = (bent + b2.to(q.dtype).reshape(-1, 1, 1, 1)).expand(-1, -1, q.shape[2], -1, -1)
    dividend = torch.einsum("baif,baife->baie", q, bent)
    total = torch.einsum("ka,bkaij->bai", normaliser.to(q.dtype), weights)
    return _divided(dividend, total, seen, eps, output_scale).to(value.dtype)
