# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops of training in addition to attention: responsibilities of components,
priors from them, a penalty on mixers."""

import numpy as np

from oracle import basics, scores
from oracle.basics import Expected


def normalised(shares):
    """Divided by their sum over the components."""
    return basics.quotient(shares, shares.sum(0))


def responsibilities(x, variances, dot=False, **masks):
    """gamma[b,h,r,i,j] = prior_r e^s_r / sum_r' prior_r' e^s_r'; zero where i
    does not see j."""
    allow = basics.visible(x, **masks)
    components = (scores.dots if dot else scores.gaussians)(x, variances)
    sizes = components if dot else scores.gaussian_sizes(x, variances)
    logits = np.stack(components)
    if "log_prior" in x:
        logits = logits + scores.by_component(x["log_prior"])
    top = logits.max(0)
    below = logits - np.where(top == -np.inf, 0, top)
    shares = np.exp(below)
    gamma = np.where(allow, normalised(shares), 0)
    log_gamma = np.where(allow, below - np.log(shares.sum(0)), -np.inf)
    sizes = np.broadcast_to(np.abs(sizes), logits.shape)
    return Expected({"gamma": np.moveaxis(gamma, 0, 2)},
                    basics.largest_that_matters(log_gamma, sizes))


def means(gamma, over):
    return gamma.mean(over)


def prior_update(x, per_key=False):
    """The mean of gamma over batches and queries, and over keys or not."""
    return Expected({"prior": means(x["gamma"],
                                    (0, 3) if per_key else (0, 3, 4))})


def products_of_columns(mixer):
    """M^T M."""
    return mixer.T @ mixer


def orthogonal_penalty(x):
    """|M^T M - I|_F^2."""
    difference = products_of_columns(x["mixer"]) - np.eye(x["mixer"].shape[1])
    return Expected({"penalty": (difference * difference).sum()})
