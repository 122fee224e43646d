"""Every pass is documented: docstring with IR before and after, options, a page under docs/."""

from dataclasses import MISSING, fields
from pathlib import Path

import pytest
from xdsl.passes import ModulePass

from xdsl_memplan.universe import MEMPLAN_UNIVERSE

ROOT = Path(__file__).parent.parent
PASSES = sorted(MEMPLAN_UNIVERSE.all_passes)


@pytest.fixture(params=PASSES)
def module_pass(request: pytest.FixtureRequest) -> type[ModulePass]:
    return MEMPLAN_UNIVERSE.all_passes[request.param]()


def test_pass_class_and_file_share_the_name(module_pass: type[ModulePass]):
    words = module_pass.name.split("-")
    assert module_pass.__name__ == "".join(word.capitalize() for word in words) + "Pass"
    assert module_pass.__module__.rpartition(".")[2] == "_".join(words)


def test_docstring_shows_ir_before_and_after(module_pass: type[ModulePass]):
    text = module_pass.__doc__ or ""
    assert text.count("```mlir") >= 2, f"{module_pass.name}: show IR before and after"


def test_options_are_explained_and_have_defaults(module_pass: type[ModulePass]):
    text = module_pass.__doc__ or ""
    for option in fields(module_pass):
        if option.name == "name":
            continue
        assert f"`{option.name.replace('_', '-')}`" in text, f"{module_pass.name}: {option.name}"
        assert option.default is not MISSING or option.default_factory is not MISSING


def test_page(module_pass: type[ModulePass]):
    page = ROOT / "docs" / "passes" / f"{module_pass.name}.md"
    assert page.is_file(), f"{module_pass.name} has no page {page.relative_to(ROOT)}"


def test_filecheck_test(module_pass: type[ModulePass]):
    folder = ROOT / "tests" / "filecheck" / "transforms"
    assert list(folder.rglob(f"{module_pass.name}*.mlir"))
