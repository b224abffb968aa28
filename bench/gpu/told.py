# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tables of what a run on a GPU left."""


def ratios(run, name):
    """Each peer's time over ours, by name, from both steps that time peers."""
    found = {}
    for step in ("time", "peers"):
        seconds = run[step].get(name, {}).get("seconds", {})
        found |= {peer: each / seconds["ours"] for peer, each in seconds.items()
                  if peer != "ours"}
    return found


def machine(run):
    """A sentence about the GPU."""
    told = run["ceilings"]
    return (f"{told['device']}, PyTorch {told['torch']}. A copy moves "
            f"{told['copy'] / 1e12:.2f} TB/s, read and written; a product of bf16, "
            f"8192 x 8192 x 8192, takes {told['product'] / 1e12:.0f} TFLOP/s.\n")


def times(run):
    """The head and the lines of the table of times."""
    head = ["row", "code", "ms", "of a product's rate", "of a copy's bandwidth",
            "over predicted", "best peer's time", "best peer"]
    lines, ceiling = [], run["ceilings"]
    for name, found in run["time"].items():
        if "seconds" not in found:
            continue
        row, target, _ = name.split()
        ours, others = found["seconds"]["ours"], ratios(run, name)
        best = min(others, key=others.get) if others else None
        plan = ", ".join(dict.fromkeys(found["plans"]))
        # A causal mask or a band hides what the manifest's operations count.
        counted = found["flops"] and "causal" not in row and "band" not in row
        rate = found["flops"] / ours / ceiling["product"] if counted else None
        over = ours / found["predicted"] if found["predicted"] else None
        lines.append([f"`{row}`", f"{target}, `{plan}`", f"{ours * 1e3:.3f}",
                      "–" if rate is None else f"{rate:.2f}",
                      f"{found['bytes'] / ours / ceiling['copy']:.2f}",
                      "–" if over is None else f"{over:.2f}",
                      f"{others[best]:.2f} x" if best else "–", best or "–"])
    return head, lines


def checks(run):
    """A sentence about what was checked."""
    found = run["check"].values()
    cases, bad = sum(each["cases"] for each in found), sum(
        bool(each["bad"]) for each in found)
    worst = max(each["worst"] for each in found)
    return (f"{len(run['check'])} kernels of all variants, {cases} cases against the "
            f"oracle: {bad} wrong; the worst error is {worst:.2f} of the limit.\n")
