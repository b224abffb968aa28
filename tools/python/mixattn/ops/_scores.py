# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The steps that all attention through a softmax shares. Scores are [B, H, N, S]."""

from typing import Any, Optional, Sequence, Tuple

import torch
from torch import Tensor

from ._register import wide

#: The result [B, H, N, E], the weights and the logarithms of their sums.
Results = Tuple[Tensor, Tensor, Tensor]


def widened(tensor: Tensor) -> Tensor:
    """In the type in which it is computed."""
    return tensor.to(wide(tensor.dtype))


def repeat_heads(tensor: Tensor, heads: int) -> Tensor:
    """Each head for as many of `heads` in a row."""
    group = heads // tensor.shape[1]
    if group == 1:
        return tensor
    shape = list(tensor.shape)
    return tensor.unsqueeze(2).expand(*shape[:2], group, *shape[2:]).reshape(shape[0], heads, *shape[2:])


def products(query: Tensor, key: Tensor) -> Tensor:
    """The products of queries with keys, per query head."""
    return widened(query) @ repeat_heads(widened(key), query.shape[1]).transpose(-1, -2)


def scale_of(query: Tensor, scale: Optional[float]) -> float:
    """1 / sqrt(D) where none is given."""
    return query.shape[-1] ** -0.5 if scale is None else scale


def within(scores: Tensor, lower: Optional[int], upper: int, start: Optional[Tensor]) -> Tensor:
    """Whether key j lies in a band around the place of query i; without `lower` it has no lower end."""
    queries, keys = scores.shape[-2:]
    i, j = (torch.arange(size, device=scores.device) for size in (queries, keys))
    first: Any = keys - queries if start is None else start.reshape(-1, 1, 1, 1)
    own = i.unsqueeze(1) + first
    seen = j <= own + upper
    return seen if lower is None else seen & (own <= j + lower)


def visible(scores: Tensor, mask: Optional[Tensor], lengths: Optional[Tensor], causal: bool,
            band: Optional[Sequence[int]], start: Optional[Tensor]) -> Optional[Tensor]:
    """Which keys each query sees; all where it is none."""
    seen = [] if mask is None else [mask]
    if lengths is not None:
        seen.append(torch.arange(scores.shape[-1], device=scores.device) < lengths.reshape(-1, 1, 1, 1))
    if causal:
        seen.append(within(scores, None, 0, start))
    if band is not None:
        seen.append(within(scores, band[0], band[1], start))
    result = None
    for each in seen:
        result = each if result is None else result & each
    return result


def normalise(scores: Tensor, seen: Optional[Tensor]) -> tuple:
    """Weights, and the logarithms of the sums; zeros and -inf where a query sees no key."""
    if seen is None:
        return torch.softmax(scores, -1), torch.logsumexp(scores, -1)
    scores = scores.masked_fill(~seen, float("-inf"))
    largest = scores.amax(-1, keepdim=True).detach()
    largest = torch.where(largest == float("-inf"), torch.zeros_like(largest), largest)
    exponentials = torch.exp(scores - largest)
    total = exponentials.sum(-1, keepdim=True)
    none = total == 0
    total = torch.where(none, torch.ones_like(total), total)
    lse = (largest + torch.log(total)).masked_fill(none, float("-inf"))
    return exponentials / total, lse.squeeze(-1)


def attend(scores: Tensor, value: Tensor, bias: Optional[Tensor], softcap: Optional[float],
           mask: Optional[Tensor], lengths: Optional[Tensor], causal: bool, band: Optional[Sequence[int]],
           start: Optional[Tensor], sigsoftmax: bool, keep: Optional[Sequence[int]],
           mix: Any = None) -> Results:
    """What becomes of scores. `mix` is applied to the weights."""
    if bias is not None:
        scores = scores + bias.to(scores.dtype)
    if softcap is not None:
        scores = softcap * torch.tanh(scores / softcap)
    if sigsoftmax:
        scores = scores + torch.nn.functional.logsigmoid(scores)
    weights, lse = normalise(scores, visible(scores, mask, lengths, causal, band, start))
    if keep is not None:
        weights = weights * within(weights, keep[0], keep[1], start)
    if mix is not None:
        weights = mix(weights)
    values = widened(value).to(weights.dtype)
    if lengths is not None:
        # Values after the last key may be anything.
        counts = torch.arange(values.shape[2], device=values.device) < lengths.reshape(-1, 1)
        values = values.masked_fill(~counts[:, None, :, None], 0)
    result = weights @ repeat_heads(values, weights.shape[1])
    return result.to(value.dtype), weights, lse
