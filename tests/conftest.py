"""What all tests share: which of MLIR's tools are here, and what to do about tests that need them.

Mark a test with `pytest.mark.needs_mlir`. Without the tools it is left out, and one line at the end
says so; in CI (environment variable CI) their absence is an error instead.
"""

import os
import shutil

import pytest

MLIR_TOOLS = ("mlir-opt-22", "mlir-translate-22", "mlir-runner-22", "opt-22", "llc-22", "gcc")

_LEFT_OUT = pytest.StashKey[str]()


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "needs_mlir: needs mlir-opt and the LLVM tools, version 22")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    missing = [tool for tool in MLIR_TOOLS if shutil.which(tool) is None]
    needy = [item for item in items if item.get_closest_marker("needs_mlir")]
    if not missing or not needy:
        return
    if os.environ.get("CI"):
        raise pytest.UsageError(f"CI lacks {', '.join(missing)}; .ci/run should install them")
    left_out = f"{len(needy)} tests need {', '.join(missing)} (Debian: mlir-22-tools, llvm-22)"
    config.stash[_LEFT_OUT] = left_out
    for item in needy:
        item.add_marker(pytest.mark.skip(reason=left_out))


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    if _LEFT_OUT in config.stash:
        terminalreporter.write_line(f"left out: {config.stash[_LEFT_OUT]}")
