"""Powers with exponents of other widths than C's `int`, which llc refuses: torch has i64."""

import re

_POWER = re.compile(r"@llvm\.powi\.(f16|bf16|f32|f64)\.i(?!32\b)(\d+)")
_DECLARATION = r"declare [^\n]*@llvm\.powi\.{0}\.i{1}\([^\n]*\n"
_FLOATS = {"f16": "half", "bf16": "bfloat", "f32": "float", "f64": "double"}

_FUNCTION = """
declare {float} @llvm.powi.{name}.i32({float}, i32)
define weak hidden {float} @power.{name}.i{bits}({float} %x, i{bits} %n) alwaysinline {{
  %short = {cast} i{bits} %n to i32
  %result = call {float} @llvm.powi.{name}.i32({float} %x, i32 %short)
  ret {float} %result
}}
"""


def with_short_exponents(llvm_ir: str) -> str:
    """Return LLVM IR in which all exponents of `llvm.powi` have 32 bits."""
    kinds = sorted(set(_POWER.findall(llvm_ir)))
    for name, bits in kinds:
        llvm_ir = re.sub(_DECLARATION.format(name, bits), "", llvm_ir)
        llvm_ir = llvm_ir.replace(f"@llvm.powi.{name}.i{bits}(", f"@power.{name}.i{bits}(")
        function = _FUNCTION.format(
            float=_FLOATS[name],
            name=name,
            bits=bits,
            cast="trunc" if int(bits) > 32 else "sext",
        )
        declaration = function.strip().splitlines()[0]
        if declaration.rpartition("(")[0] in llvm_ir:
            function = function.replace(declaration, "")
        llvm_ir += function
    return llvm_ir
