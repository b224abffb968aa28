# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What training asks beside attention: responsibilities of components, priors
from them, a penalty on mixers."""

import numpy as np

from oracle import basics, scores
from oracle.basics import Expected


def responsibilities(x, variances, dot=False, **masks):
    """gamma[b,h,r,i,j] = prior_r e^s_r / sum_r' prior_r' e^s_r'; zero where i
    does not see j."""
    allow = basics.visible(x, **masks)
    components = (scores.dots if dot else scores.gaussians)(x, variances)
    sizes = components if dot else scores.gaussian_sizes(x, variances)
    logits = np.stack(components)
    if "log_prior" in x:
        logits = logits + scores.by_component(x["log_prior"])
    shares = np.exp(logits - logits.max(0, initial=-np.inf))
    gamma = np.where(allow, shares / shares.sum(0), 0)
    return Expected({"gamma": np.moveaxis(gamma, 0, 2)},
                    basics.largest_of(sizes, allow))


def prior_update(x, per_key=False):
    """The mean of gamma over batches and queries, and over keys or not."""
    over = (0, 3) if per_key else (0, 3, 4)
    return Expected({"prior": x["gamma"].mean(over)})


def orthogonal_penalty(x):
    """|M^T M - I|_F^2."""
    mixer = x["mixer"]
    gram = mixer.T @ mixer - np.eye(mixer.shape[1])
    return Expected({"penalty": (gram * gram).sum()})
