"""One element of a batch after another: no more is moved than for each alone, and the same made."""

import re

import pytest

from tests.transforms.batch_networks import scaled, squeeze_and_excitation
from tests.transforms.networks import Network
from tests.transforms.random_networks import random_network
from tests.transforms.test_inline_calls import after
from tests.transforms.test_loops_in_tiles import assert_computes_the_same, planned_with_bytes
from xdsl_memplan.transforms import planned_in_tiles

LOOP = "memplan-generalize-ops,memplan-trim,memplan-fuse-elementwise,memplan-loop-over-batch"


@pytest.mark.parametrize("seed", range(24))
def test_random_networks_compute_the_same_one_by_one(seed: int):
    text = random_network(seed, 5, batch=2 + seed % 3)
    module = after(text, LOOP)
    assert str(module).count("scf.for") == 1
    assert_computes_the_same(text, module)


@pytest.mark.parametrize("stage", ["all", "none"])
@pytest.mark.parametrize("seed", [*range(8), 42, 44, 5020])
def test_random_networks_compute_the_same_in_tiles(
    seed: int, stage: str, monkeypatch: pytest.MonkeyPatch
):
    """Loops are planned wherever there may be any, and taken where they are better."""
    monkeypatch.setattr(planned_in_tiles, "_least_of_loops", lambda *_: 0)
    text = random_network(seed, 6, batch=3)
    module = after(text, f'memplan-pipeline{{memory="L1=1KiB,DDR" stage={stage} arena=alloc}}')
    assert_computes_the_same(text, module)


@pytest.mark.parametrize(
    ("seed", "layers", "scale", "capacity"),
    [
        (3, 4, 3, 32768),
        (5, 7, 2, 8192),
        (16, 5, 2, 16384),
        (32, 3, 1, 4096),
        (36, 5, 1, 2048),
        (44, 6, 3, 32768),
        (46, 3, 2, 2048),
        (55, 3, 1, 4096),
    ],
)
def test_four_images_move_no_more_than_each_alone(
    seed: int, layers: int, scale: int, capacity: int, capsys: pytest.CaptureFixture[str]
):
    """They moved up to 1.46 times as much: what goes from group to group was that of all four."""
    _, one = planned_with_bytes(capacity, capsys, scaled(seed, layers, 1, scale))
    _, four = planned_with_bytes(capacity, capsys, scaled(seed, layers, 4, scale))
    assert four <= 4 * one


def test_blocks_with_squeeze_and_excitation_stay_on_chip(capsys: pytest.CaptureFixture[str]):
    """Whole batches of what is weighed went off chip and back."""
    text = squeeze_and_excitation(batch=4)
    module, moved = planned_with_bytes(65536, capsys, text)
    _, alone = planned_with_bytes(65536, capsys, squeeze_and_excitation(batch=1))
    assert moved <= 4 * alone
    assert_computes_the_same(text, module)


def test_what_must_move_at_least_is_known_with_a_loop_too(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    """As much as for the whole batch, which moves more."""

    def reported() -> str:
        options = 'memory="L1=64KiB,DDR" stage=all summary=true'
        after(squeeze_and_excitation(batch=4), f"memplan-pipeline{{{options}}}")
        return capsys.readouterr().err

    looped = re.search(r"@main: (\d+) bytes move .* \(optimal\)", reported())
    monkeypatch.setattr(planned_in_tiles, "batch_of", lambda _: 0)
    whole = re.search(r"@main: (\d+) bytes move .* \(at least (\d+) must\)", reported())
    assert looped is not None
    assert whole is not None
    assert int(looped[1]) == int(whole[2]) < int(whole[1])


def test_rows_of_a_matrix_are_no_batch():
    n = Network()
    text = n.text(n.relu(n.matmul(n.argument(128, 8), 8)))
    assert "scf.for" not in str(after(text, LOOP))


ADDED_TO_THE_NEXT = """
func.func @main(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> tensor<4x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %y = linalg.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x8xf32>) outs(%f : tensor<4x8xf32>) -> tensor<4x8xf32>
  %a = tensor.extract_slice %y[1, 0] [3, 8] [1, 1] : tensor<4x8xf32> to tensor<3x8xf32>
  %b = tensor.extract_slice %y[0, 0] [1, 8] [1, 1] : tensor<4x8xf32> to tensor<1x8xf32>
  %r = tensor.concat dim(0) %a, %b : (tensor<3x8xf32>, tensor<1x8xf32>) -> tensor<4x8xf32>
  %z = linalg.add ins(%y, %r : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  func.return %z : tensor<4x8xf32>
}
"""  # noqa: E501


def test_rows_that_share_products_are_planned_without_a_loop(capsys: pytest.CaptureFixture[str]):
    """A loop would compute each row twice; the pipeline called that a mistake, and gave up."""
    module, _ = planned_with_bytes(200, capsys, ADDED_TO_THE_NEXT)
    assert_computes_the_same(ADDED_TO_THE_NEXT, module)
