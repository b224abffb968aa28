# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The ops with a softmax. Tensors among their arguments stand in the order of the dialect's operands,
by which ONNX knows them. README.md of the project has the formulas' sources."""

from typing import List, Optional

import torch
from torch import Tensor

from . import _philox
from ._register import register
from ._scores import Results, attend, products, repeat_heads, scale_of, widened


@register()
def softmax(query: Tensor, key: Tensor, value: Tensor, key_projection: Optional[Tensor] = None,
            value_projection: Optional[Tensor] = None, gaussian: bool = False,
            scale: Optional[float] = None, bias: Optional[Tensor] = None, softcap: Optional[float] = None,
            mask: Optional[Tensor] = None, lengths: Optional[Tensor] = None, causal: bool = False,
            band: Optional[List[int]] = None, start: Optional[Tensor] = None, sigsoftmax: bool = False,
            keep: Optional[List[int]] = None) -> Results:
    """Scaled dot-product attention. Projections [C, S] make C keys and values of all (Linformer);
    `gaussian` scores are `-|q - k|^2 / (2 sqrt(D))`; `scale` is 1/sqrt(D) where it is absent."""
    if key_projection is not None:
        key = torch.einsum("cs,bhsd->bhcd", widened(key_projection), widened(key))
        value, kept = torch.einsum("cs,bhsd->bhcd", widened(value_projection), widened(value)), value.dtype
    else:
        kept = value.dtype
    if gaussian:
        scores = _distances(query, key.unsqueeze(2), None).squeeze(2)
    else:
        scores = products(query, key) * scale_of(query, scale)
    result, weights, lse = attend(scores, value, bias, softcap, mask, lengths, causal, band, start,
                                  sigsoftmax, keep)
    return result.to(kept), weights, lse


def _by_component(numbers: Optional[List[float]], scores: Tensor) -> Tensor:
    return scores.new_tensor(numbers).reshape(-1, 1, 1)


def _dots(query: Tensor, keys: Tensor) -> Tensor:
    """Of keys [B, H, R, S, D], [B, H, R, N, S]."""
    return widened(query).unsqueeze(2) @ repeat_heads(widened(keys), query.shape[1]).transpose(-1, -2)


def _distances(query: Tensor, keys: Tensor, variances: Optional[List[float]]) -> Tensor:
    """-|q - k|^2 / (2 variance)."""
    q, k = widened(query).unsqueeze(2), repeat_heads(widened(keys), query.shape[1])
    squares = (q * q).sum(-1).unsqueeze(-1) + (k * k).sum(-1).unsqueeze(-2)
    scores = _dots(query, keys) - squares / 2
    return scores / (query.shape[-1] ** 0.5 if variances is None else _by_component(variances, scores))


@register()
def mixture_of_keys(query: Tensor, key: Tensor, value: Tensor, shifts: Optional[Tensor] = None,
                    prior: Optional[Tensor] = None, variances: Optional[List[float]] = None,
                    maximum: bool = False, dot: bool = False, bias: Optional[Tensor] = None,
                    softcap: Optional[float] = None, mask: Optional[Tensor] = None,
                    lengths: Optional[Tensor] = None, causal: bool = False,
                    band: Optional[List[int]] = None, start: Optional[Tensor] = None,
                    sigsoftmax: bool = False, keep: Optional[List[int]] = None) -> Results:
    """Attention with several keys per position (MGK): `key` is [B, H, R, S, D], or [B, H, S, D] with
    `shifts` [H, R, D] added. A score is logsumexp over r of `prior` [H, R] or [H, R, S], in logarithms,
    and `-|q - k_r|^2 / (2 variance_r)`, or with `dot` `q . k_r / variance_r`; with `maximum` the largest.
    Variances are sqrt(D) where they are absent."""
    keys = key if shifts is None else key.unsqueeze(2) + shifts.unsqueeze(2)
    if dot:
        scores = _dots(query, keys)
        scores = scores / (query.shape[-1] ** 0.5 if variances is None else _by_component(variances, scores))
    else:
        scores = _distances(query, keys, variances)
    if prior is not None:
        scores = scores + (prior if prior.dim() == 3 else prior.unsqueeze(2)).unsqueeze(2).to(scores.dtype)
    scores = scores.amax(2) if maximum else torch.logsumexp(scores, 2)
    return attend(scores, value, bias, softcap, mask, lengths, causal, band, start, sigsoftmax, keep)


def _mixed(mixer: Tensor, scores: Tensor) -> Tensor:
    """Over heads: mixer [M, H]."""
    return torch.einsum("ka,bkij->baij", mixer.to(scores.dtype), scores)


def _column(vector: Tensor, scores: Tensor) -> Tensor:
    return vector.to(scores.dtype).reshape(-1, 1, 1)


def _admixed_heads(given: dict) -> int:
    mixer, w2 = given["mixer"], given["w2"]
    if mixer is None and w2 is None:
        raise ValueError("admixture_heads: expected 'mixer', or 'w1', 'b1', 'w2' and 'b2', but got none of them")
    if mixer is None:
        return w2.shape[1]
    return mixer.shape[1] if mixer.dim() == 2 else given["value"].shape[1]


@register(_admixed_heads)
def admixture_heads(query: Tensor, key: Tensor, value: Tensor, mixer: Optional[Tensor] = None,
                    w1: Optional[Tensor] = None, b1: Optional[Tensor] = None, w2: Optional[Tensor] = None,
                    b2: Optional[Tensor] = None, relu_per_key: bool = False,
                    noise_kind: Optional[str] = None, sigma: Optional[Tensor] = None,
                    noise: Optional[Tensor] = None, seed: Optional[Tensor] = None,
                    offset: Optional[Tensor] = None, scale: Optional[float] = None,
                    scale_before: bool = False, bias: Optional[Tensor] = None,
                    softcap: Optional[float] = None, mask: Optional[Tensor] = None,
                    lengths: Optional[Tensor] = None, causal: bool = False,
                    band: Optional[List[int]] = None, start: Optional[Tensor] = None,
                    sigsoftmax: bool = False, keep: Optional[List[int]] = None) -> Results:
    """Attention whose scores are mixed over heads (FiSH): M heads of queries and keys to H of values.
    `mixer` is [M, H], or [M] for all alike, and `relu_per_key` bends each term; or `w1` [M, L], `b1` [L],
    `w2` [L, H], `b2` [H] are a perceptron over heads. `noise_kind` "local" or "global" adds `sigma` [M]
    times `noise`, [B, H, N, S] or [B, M, N, S], or what Philox draws from `seed` and `offset`. `scale`
    acts after the mixer, or before it."""
    scores = products(query, key)
    if scale_before:
        scores = scores * scale_of(query, scale)
    made = _admixed_heads({"mixer": mixer, "w2": w2, "value": value})
    if mixer is not None and mixer.dim() == 1:
        mixer = mixer.unsqueeze(1).expand(-1, made)
    if noise_kind is not None:
        drawn_for = made if noise_kind == "local" else scores.shape[1]
        if noise is None:
            shape = (scores.shape[0], drawn_for, *scores.shape[2:])
            noise = _philox.normals(seed, offset, shape, scores.dtype)
        noise = noise.to(scores.dtype)
    if noise_kind == "global":
        scores = scores + _column(sigma, scores) * noise
    if mixer is None:
        hidden = torch.relu(_mixed(w1, scores) + _column(b1, scores))
        mixed = _mixed(w2, hidden) + _column(b2, scores)
    else:
        terms = scores.unsqueeze(2)
        if noise_kind == "local":
            terms = terms + sigma.to(scores.dtype).reshape(-1, 1, 1, 1) * noise.unsqueeze(1)
        if relu_per_key or noise_kind == "local":
            terms = mixer.to(scores.dtype).unsqueeze(-1).unsqueeze(-1) * terms
            mixed = (torch.relu(terms) if relu_per_key else terms).sum(1)
        else:
            mixed = _mixed(mixer, scores)
    if not scale_before:
        mixed = mixed * scale_of(query, scale)
    return attend(mixed, value, bias, softcap, mask, lengths, causal, band, start, sigsoftmax, keep)


@register()
def mix_heads(query: Tensor, key: Tensor, value: Tensor, mixer: Optional[Tensor] = None,
              mix_source: Optional[Tensor] = None, mix_weight: Optional[Tensor] = None,
              mix_bias: Optional[Tensor] = None, scale: Optional[float] = None,
              bias: Optional[Tensor] = None, softcap: Optional[float] = None, mask: Optional[Tensor] = None,
              lengths: Optional[Tensor] = None, causal: bool = False, band: Optional[List[int]] = None,
              start: Optional[Tensor] = None, sigsoftmax: bool = False,
              keep: Optional[List[int]] = None) -> Results:
    """Attention whose weights are mixed over heads (Mixhead): `mixer` [H, H], its first dim the source;
    or for each query `mix_bias` [H, H] and the products of `mix_source` [B, H, N, Dm], usually the query,
    with `mix_weight` [Dm, H]."""
    def mix(weights):
        if mixer is not None:
            return _mixed(mixer, weights)
        by_row = torch.einsum("bcid,da->bica", mix_source.to(weights.dtype), mix_weight.to(weights.dtype))
        return torch.einsum("bica,bcij->baij", by_row + mix_bias.to(weights.dtype), weights)

    if mixer is None and mix_weight is None:
        raise ValueError("mix_heads: expected 'mixer', or 'mix_source', 'mix_weight' and 'mix_bias', "
                         "but got none of them")
    scores = products(query, key) * scale_of(query, scale)
    return attend(scores, value, bias, softcap, mask, lengths, causal, band, start, sigsoftmax, keep, mix)
