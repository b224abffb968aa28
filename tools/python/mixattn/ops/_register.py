# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators from formulas. A formula is a Python function that gives an op's result, or all of its
results; it is what computes, and what gradients come from."""

import functools
import inspect
from typing import Any, Callable, Dict

import torch

#: The results of each overload by their places among those of the formula.
OVERLOADS = {"": (0,), "weights": (0, 1), "lse": (0, 2)}
#: All operators by name.
OPS: Dict[str, "Op"] = {}


def wide(dtype: torch.dtype) -> torch.dtype:
    """The type in which numbers are computed: f32 for 16-bit floats."""
    return torch.promote_types(dtype, torch.float32)


#: The sizes that arguments share, from their first dims on, and from their last ones where they spread.
#: K are the keys that scores have: projected ones, or all.
LETTERS = {"query": "B.N.", "value": "B.S.", "prior": "..S", "lengths": "B", "start": "B", "noise": "B.NK",
           "mix_source": "B.N.", "key_projection": "KS", "value_projection": "KS"}
SPREAD = {"bias": "B.NK", "mask": "B.NK"}
#: Of which heads those of an argument serve several in a row each.
OF_SCORES = {"key": "queries", "value": "results"}


def check_sizes(name: str, given: Dict[str, Any]) -> None:
    """Fails unless all arguments are of one batch, as many queries and as many keys; torch.export then
    knows that these dims are equal."""
    query, key, projection = given["query"], given["key"], given.get("key_projection")
    known = {"B": query.shape[0], "N": query.shape[2], "S": key.shape[-2]}
    known["K"] = known["S"] if projection is None else projection.shape[0]

    def check(argument, size, letter):
        torch._check(size == known[letter], lambda: f"{name}: argument '{argument}': expected size {letter} to be "
                     f"{known[letter]} as in queries and keys, but got {size}")

    check("key", key.shape[0], "B")
    for argument, letters in LETTERS.items():
        if given.get(argument) is not None:
            for letter, size in zip(letters, given[argument].shape):
                if letter != ".":
                    check(argument, size, letter)
    for argument, letters in SPREAD.items():
        if given.get(argument) is not None:
            for letter, size in zip(reversed(letters), reversed(given[argument].shape)):
                if letter != "." and not (isinstance(size, int) and size == 1):
                    check(argument, size, letter)


def check_heads(name: str, given: Dict[str, Any], serves: Dict[str, str], heads: Callable) -> None:
    """Fails unless arguments have heads that each serve as many others."""
    for argument, others in serves.items():
        own = given[argument].shape[1]
        served = heads(given) if others == "results" else given["key" if others == "keys" else "query"].shape[1]
        torch._check(own > 0 and served % own == 0, lambda: f"{name}: argument '{argument}': expected heads that "
                     f"divide the {served} of {others}, but got {own}")


class Op:
    """An operator of PyTorch, torch.ops.mixattn.NAME, which is called like its formula."""

    def __init__(self, formula: Callable, heads: Callable, overloads: Any, serves: Dict[str, str]) -> None:
        functools.update_wrapper(self, formula)
        self.formula, self.heads, self.serves = formula, heads, serves
        self.__signature__ = inspect.signature(formula).replace(return_annotation=torch.Tensor)
        schema = torch.library.infer_schema(formula, mutates_args=())
        self.arguments = schema[:schema.rindex("->")]
        for overload in overloads:
            self._define(overload)
        self.overloads = {each: self.of(each) for each in overloads}

    def of(self, overload: str) -> Any:
        """The operator's overload."""
        return getattr(getattr(torch.ops.mixattn, self.__name__), overload or "default")

    def _define(self, overload: str) -> None:
        places = OVERLOADS[overload]
        name = f"mixattn::{self.__name__}" + (f".{overload}" if overload else "")
        torch.library.define(name, self.arguments + ("-> Tensor" if len(places) == 1 else
                                                     "-> (Tensor, Tensor)"))

        def compute(*args):
            self._check(self._bound(args, {}))
            results = self.formula(*args)
            results = results if isinstance(results, tuple) else (results,)
            chosen = tuple(results[place].contiguous() for place in places)
            return chosen if len(chosen) > 1 else chosen[0]

        def fake(*args, **kwargs):
            given = self._bound(args, kwargs)
            self._check(given)
            chosen = tuple(self._empty(given)[place] for place in places)
            return chosen if len(chosen) > 1 else chosen[0]

        def keep(ctx, inputs, output):
            tensors = [x for x in inputs if isinstance(x, torch.Tensor)]
            ctx.others = [None if isinstance(x, torch.Tensor) else (x,) for x in inputs]
            ctx.save_for_backward(*tensors)

        def backward(ctx, *gradients):
            given = iter(ctx.saved_tensors)
            args = [next(given) if other is None else other[0] for other in ctx.others]
            wanted = [at for at, needs in enumerate(ctx.needs_input_grad) if needs]

            def of_wanted(*tensors):
                whole = list(args)
                for at, tensor in zip(wanted, tensors):
                    whole[at] = tensor
                return compute(*whole)

            _, pull = torch.func.vjp(of_wanted, *(args[at] for at in wanted))
            found = dict(zip(wanted, pull(gradients if len(gradients) > 1 else gradients[0])))
            return tuple(found.get(at) for at in range(len(args)))

        torch.library.impl(name, "CompositeExplicitAutograd", compute)
        torch.library.register_fake(name, fake)
        torch.library.register_autograd(name, backward, setup_context=keep)

    def _bound(self, args: Any, kwargs: Any) -> dict:
        """Arguments by name."""
        bound = self.__signature__.bind(*args, **kwargs)
        bound.apply_defaults()
        return bound.arguments

    def _check(self, given: dict) -> None:
        check_sizes(self.__name__, given)
        check_heads(self.__name__, given, self.serves, self.heads)

    def _empty(self, given: dict) -> tuple:
        """Results as large as they will be."""
        query, key, value = given["query"], given["key"], given["value"]
        batch, _, queries, _ = query.shape
        heads, exact = self.heads(given), wide(query.dtype)
        projection = given.get("key_projection")
        keys = key.shape[-2] if projection is None else projection.shape[0]
        return (value.new_empty((batch, heads, queries, value.shape[3])),
                query.new_empty((batch, heads, queries, keys), dtype=exact),
                query.new_empty((batch, heads, queries), dtype=exact))

    def __call__(self, *args: Any, **kwargs: Any) -> torch.Tensor:
        return self.overloads[""](*args, **kwargs)

    def weights(self, *args: Any, **kwargs: Any) -> tuple:
        """The result, and the weights that multiply the values, [B, H, N, S] in f32."""
        return self.overloads["weights"](*args, **kwargs)

    def lse(self, *args: Any, **kwargs: Any) -> tuple:
        """The result, and the logarithm of the softmax's sum, [B, H, N] in f32."""
        return self.overloads["lse"](*args, **kwargs)


def heads_of_query(given: dict) -> Any:
    """Output heads of ops that make no other ones."""
    return given["query"].shape[1]


def register(heads: Callable = heads_of_query, overloads: Any = tuple(OVERLOADS),
             serves: Dict[str, str] = OF_SCORES) -> Callable[[Callable], Op]:
    """Makes a formula an operator; `heads` of its arguments are those of the result, and `serves` says
    whose heads are fewer than which."""
    def make(formula):
        OPS[formula.__name__] = Op(formula, heads, overloads, serves)
        return OPS[formula.__name__]
    return make
