// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The dialect record and the attributes that its ops share.

#ifndef MIXATTN_DIALECT_ATTN_DIALECT_TD
#define MIXATTN_DIALECT_ATTN_DIALECT_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"

def Attn_Dialect : Dialect {
  let name = "attn";
  let cppNamespace = "::mixattn";
  let summary = "Attention that couples heads or keys";
  let description = [{
    One op says one attention. Named ops (`attn.softmax`, `attn.mix_heads`)
    read as the papers do; all of them generalise into `attn.generic`, the
    normal form, which passes plan, decompose and lower.

    Layouts are `[batch, heads, length, features]`; batch and lengths may be
    dynamic, heads and features are static. Letters: B batch, H query heads,
    N queries, S keys, D features of queries and keys, E features of values;
    b, h, i, j index batch, head, query and key.

    Arguments and results of an entry (a public function) may carry:

    - `attn.name = "q"`: the name by which tools bind it; `arg0`, `result0`
      and so on where it is missing.
    - `attn.dims = ["B", "N"]`: one name per dynamic dimension. Equal names
      have equal sizes, checked when the entry is called. Those of a result
      are sizes that the ops show to be an argument's.
    - `attn.range = [0, "S"]`: on integer arguments, the smallest and the
      largest value, each an integer or the name of a dimension; checked when
      the entry is called.
    - `attn.parameter`: on arguments that are weights of the model, which the
      cost report and the manifest tell from its inputs.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let hasOperationAttrVerify = 1;
}

def Attn_BandAttr : AttrDef<Attn_Dialect, "Band"> {
  let mnemonic = "band";
  let summary = "Keys that lie within a band around the query's own position";
  let description = [{
    Query i may attend to key j where `-upper <= i + (S - N) - j <= lower`: at
    most `lower` keys back and `upper` keys ahead of the position that is
    aligned with the query at the bottom right, as `causal` is.
  }];
  let parameters = (ins "int64_t":$lower, "int64_t":$upper);
  let assemblyFormat = "`<` $lower `,` $upper `>`";
  let genVerifyDecl = 1;
}

#endif // MIXATTN_DIALECT_ATTN_DIALECT_TD
