"""Makes the networks of this folder from torch: linalg on tensors, weights as arguments.

Not needed to use the project: the files are there. Needs about 3 GB of packages:

    python3.11 -m venv torch-venv && . torch-venv/bin/activate
    pip install torch==2.13.0
    pip install numpy packaging sympy dill multiprocess pyyaml
    pip install --no-deps torch-mlir torchvision==0.28.0

Made with Python 3.11.7, torch 2.13.0+cpu, torch-mlir 20261001 and torchvision 0.28.0.

    python examples/generate.py resnet50 vit_b_16 -o examples
    python examples/generate.py --all -o examples

Any function of `torchvision.models` will do; for another network of your own, call `to_linalg`.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

EXAMPLES = ("resnet50", "mobilenet_v2", "vit_b_16", "squeezenet1_1")


def to_linalg(model: torch.nn.Module, inputs: Sequence[torch.Tensor]) -> str:
    """Return the MLIR text of `model`; parameters and buffers become arguments after the inputs.

    They come in the order of `named_parameters` and `named_buffers`; counters of batch
    normalisation are left out, as evaluation never reads them.
    """
    from torch_mlir import fx

    # The fused encoder operation of nn.TransformerEncoder has no lowering.
    torch.backends.mha.set_fastpath_enabled(False)
    model = model.eval()
    state = dict(model.named_parameters()) | {
        name: buffer
        for name, buffer in model.named_buffers()
        if not name.endswith("num_batches_tracked")
    }

    class WithState(torch.nn.Module):
        """Calls the model with its parameters as arguments instead of attributes."""

        def forward(self, arguments: Any, values: Any) -> Any:
            return torch.func.functional_call(
                model, dict(zip(state, values, strict=True)), tuple(arguments)
            )

    values = [value.detach() for value in state.values()]
    module = fx.export_and_import(
        WithState(), list(inputs), values, output_type="linalg-on-tensors"
    )
    return str(module)


def torchvision_model(name: str) -> torch.nn.Module:
    """Build a network of torchvision without weights, with or without its C extension."""
    library = torch.library.Library("torchvision", "DEF")
    try:
        import torchvision
    except RuntimeError:
        # Without the C extension torchvision wants these two declared before it is imported.
        library.define("nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
        library.define("qnms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
        import torchvision
    return torchvision.models.get_model(name, weights=None)


def main() -> None:
    parser = argparse.ArgumentParser(description="torchvision networks as linalg on tensors")
    parser.add_argument("networks", nargs="*", help=f"e.g. {' '.join(EXAMPLES)}")
    parser.add_argument("--all", action="store_true", help="the examples of this folder")
    parser.add_argument("-o", "--output", type=Path, default=Path("."), help="folder to write to")
    parser.add_argument("--size", type=int, default=224, help="height and width of the image")
    arguments = parser.parse_args()
    for name in EXAMPLES if arguments.all else arguments.networks:
        image = torch.zeros(1, 3, arguments.size, arguments.size)
        text = to_linalg(torchvision_model(name), [image])
        (arguments.output / f"{name}.mlir").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
