"""The networks of papers that figures are compared on, from those in this repository.

`resnet50(batch)` is examples/resnet50.mlir with another batch, in fp16, and a softmax at the end,
as GraphTurbo runs it; `bert(tokens)` is BERT-base with another number of tokens.
"""

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent

_SOFTMAX = """
  %sm_e = tensor.empty() : tensor<{b}xf16>
  %sm_f = linalg.fill ins(%cst_1 : f16) outs(%sm_e : tensor<{b}xf16>) -> tensor<{b}xf16>
  %sm_m = linalg.generic {{indexing_maps = [{all}, {row}], iterator_types = {reduces}}}
    ins({x} : {t}) outs(%sm_f : tensor<{b}xf16>) {{
    ^bb0(%in: f16, %out: f16):
      %m = arith.maximumf %in, %out : f16
      linalg.yield %m : f16
    }} -> tensor<{b}xf16>
  %sm_o = tensor.empty() : {t}
  %sm_p = linalg.generic {{indexing_maps = [{all}, {row}, {all}], iterator_types = {each}}}
    ins({x}, %sm_m : {t}, tensor<{b}xf16>) outs(%sm_o : {t}) {{
    ^bb0(%in: f16, %m: f16, %out: f16):
      %d = arith.subf %in, %m : f16
      %p = math.exp %d : f16
      linalg.yield %p : f16
    }} -> {t}
  %sm_g = linalg.fill ins(%cst : f16) outs(%sm_e : tensor<{b}xf16>) -> tensor<{b}xf16>
  %sm_s = linalg.generic {{indexing_maps = [{all}, {row}], iterator_types = {reduces}}}
    ins(%sm_p : {t}) outs(%sm_g : tensor<{b}xf16>) {{
    ^bb0(%in: f16, %out: f16):
      %s = arith.addf %in, %out : f16
      linalg.yield %s : f16
    }} -> tensor<{b}xf16>
  %sm_y = linalg.generic {{indexing_maps = [{all}, {row}, {all}], iterator_types = {each}}}
    ins(%sm_p, %sm_s : {t}, tensor<{b}xf16>) outs(%sm_o : {t}) {{
    ^bb0(%in: f16, %s: f16, %out: f16):
      %q = arith.divf %in, %s : f16
      linalg.yield %q : f16
    }} -> {t}
  return %sm_y : {t}
"""


def resnet50(batch: int) -> str:
    """Return IR of ResNet-50 in fp16 for a batch of 224x224 images."""
    text = (ROOT / "examples" / "resnet50.mlir").read_text(encoding="utf-8")
    text = text.replace("tensor<1x", f"tensor<{batch}x").replace("f32", "f16")
    text = text.replace("0xFF800000", "0xFC00")
    body, result, end = re.split(r"    return (%\w+) : tensor<\w+>\n", text)
    softmax = _SOFTMAX.format(
        x=result,
        b=batch,
        t=f"tensor<{batch}x1000xf16>",
        all="affine_map<(i, j) -> (i, j)>",
        row="affine_map<(i, j) -> (i)>",
        each='["parallel", "parallel"]',
        reduces='["parallel", "reduction"]',
    )
    return body + softmax + end


def bert(tokens: int) -> str:
    """Return IR of BERT-base in f32 for one sequence; twice the bytes that GraphTurbo has."""
    text = (ROOT / "benchmarks" / "networks" / "bert_base_s128.mlir").read_text(encoding="utf-8")
    return re.sub(r"(?<![0-9a-zA-Z_%#])128(?![0-9])|(?<=x)128(?=x)", str(tokens), text)
