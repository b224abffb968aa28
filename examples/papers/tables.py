# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints tables of the papers, from the cost report on the graphs of this folder."""

import argparse
import json
import os
import subprocess
import sys

from layers import layer
from models import MODELS, model

WIDTHS = (256, 512, 1024, 2048, 4096)
LENGTHS = (128, 8192)


class Report:
    """mixattn-compile --cost=json."""

    def __init__(self, folder):
        self.compiler = os.path.join(folder, "mixattn-compile")

    def total(self, text, **dims):
        """The total of the one entry of `text`."""
        sizes = [f"--dim={name}={size}" for name, size in dims.items()]
        output = subprocess.run([self.compiler, "-", "--cost=json", *sizes], check=True,
                                input=text.encode(), stdout=subprocess.PIPE).stdout
        return json.loads(output)["entries"][0]["total"]


def keys(report, options):
    """MGK, appendix B: a layer of H heads, and one of H/2 with two keys a position."""
    sizes = {"head_size": options.head_size, "width": options.width,
             "output_width": options.heads * options.head_size}
    base = report.total(layer("softmax", heads=options.heads, **sizes), N=options.length)
    ours = report.total(layer("mixture_of_keys", heads=options.heads // 2, **sizes),
                        N=options.length)
    printed = ours["operations_as_printed"]
    print("                softmax  mixture of keys  saving")
    for name, a, b in (("operations", base["operations"], ours["operations"]),
                       ("  as printed", base["operations"], printed),
                       ("parameters", base["parameters"], ours["parameters"])):
        print(f"{name:12} {a:10} {b:16} {a - b:10}")


def shared_heads(report, options):
    """FiSH, appendix D: the attention matrices of H heads, and of M made into H."""
    sizes = {"heads": options.heads, "head_size": options.head_size, "width": options.width,
             "only_weights": True}
    base = report.total(layer("softmax", **sizes), N=options.length)
    ours = report.total(layer("admixture_heads", global_heads=options.global_heads, **sizes),
                        N=options.length)
    print("                softmax     shared heads  saving")
    for name in ("operations", "parameters"):
        print(f"{name:12} {base[name]:10} {ours[name]:16} {base[name] - ours[name]:10}")


def ratios(report, _):
    """MGK, Figure 3, and FiSH, Figures 3 and 8: a whole layer, with a feed-forward
    network of width 2048, divided by one of 8 heads."""
    print("width  keys: N=128   8192  shared: N=128   8192  parameters: keys  shared")
    for width in WIDTHS:
        sizes = {"width": width, "head_size": width // 8, "feed_forward": 2048}
        base = layer("softmax", **sizes)
        others = [layer("mixture_of_keys", **sizes), layer("admixture_mlp", **sizes)]
        cells = []
        for key, dims in [("macs", {"N": n}) for n in LENGTHS] + [("parameters", {"N": 1})]:
            of = report.total(base, **dims)[key]
            cells.append([report.total(each, **dims)[key] / of for each in others])
        (a, d), (b, e), (c, f) = cells
        print(f"{width:5} {a:12.3f} {b:6.3f} {d:14.3f} {e:6.3f} {c:17.4f} {f:7.4f}")


def parameters(report, _):
    """Mixhead, tables 1 to 3: what mixers add to each model; in brackets those whose
    layers alone are counted (models.py)."""
    print("model                    parameters   mixhead A  mixhead B")
    for name, row in MODELS.items():
        base, a, b = (report.total(model(name, mixing))["parameters"]
                      for mixing in (None, "a", "b"))
        count = f"{base}" if row.bands else f"({base})"
        print(f"{name:20} {count:>14} {a - base:+11} {b - base:+10}")


def head_sizes(report, _):
    """Mixhead, table 10: the model of 16 layers with wider heads. The paper's totals
    are the base model's millions and the weights of wider projections, without biases."""
    def count(size, **changes):
        text = model("baevski-wt103", head_size=size, **changes)
        return report.total(text)["parameters"]
    narrow, millions = count(128, projection_biases=False), round(count(128) / 1e6)
    print(f"head size  parameters  wider weights  with {millions} million")
    for size in (128, 256, 512):
        wider = count(size, projection_biases=False) - narrow
        print(f"{size:9} {count(size):11} {wider:14} {millions + wider / 1e6:15.1f}M")


def swin(report, _):
    """FiSH, Table 5: Swin-T, and the same with 6 and 12 heads that make scores in its
    last two stages. The paper prints 1024 times these GMAC."""
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../swin/swin.py")
    print("network       parameters   GMAC")
    for name in ("swin_t", "swin_t_gfish"):
        text = subprocess.run([sys.executable, script, name], check=True,
                              stdout=subprocess.PIPE).stdout
        total = report.total(text.decode())
        print(f"{name:12} {total['parameters']:11} {total['macs'] / 1e9:6.3f}")


TABLES = {"keys": keys, "shared-heads": shared_heads, "ratios": ratios,
          "parameters": parameters, "head-sizes": head_sizes, "swin": swin}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("table", choices=TABLES)
    parser.add_argument("--bin", default="build/bin", help="where the tools are")
    parser.add_argument("--length", type=int, default=256, help="N")
    parser.add_argument("--heads", type=int, default=8, help="H")
    parser.add_argument("--global-heads", type=int, default=2, help="M of shared heads")
    parser.add_argument("--head-size", type=int, default=16, help="D")
    parser.add_argument("--width", type=int, default=128, help="Dx")
    options = parser.parse_args()
    TABLES[options.table](Report(options.bin), options)


if __name__ == "__main__":
    main()
