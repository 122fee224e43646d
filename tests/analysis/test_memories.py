"""What the option, the module and its arenas say about memories."""

import pytest
from xdsl.dialects.builtin import ArrayAttr, IntegerAttr, ModuleOp, StringAttr, i64
from xdsl.utils.exceptions import PassFailedException

from xdsl_memplan.analysis.memories import Memories, Memory, parse_memories
from xdsl_memplan.dialects.memplan import MEMORIES, ArenaOp, MemoryAttr


def module_with(*memories: MemoryAttr, arenas: tuple[ArenaOp, ...] = ()) -> ModuleOp:
    module = ModuleOp(list(arenas))
    if memories:
        module.attributes[MEMORIES] = ArrayAttr(memories)
    return module


def test_option_reads_sizes_alignment_and_base():
    assert parse_memories("L1=64KiB:align=16:base=0x1000, L2=1MiB, DRAM") == [
        Memory("L1", 65536, 16, 4096),
        Memory("L2", 1048576),
        Memory("DRAM", None),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("=64", "names no memory"),
        (",", "',' has a comma with no memory on one side; write for example L1=64KiB,DDR"),
        ("L1=64KiB,", "comma with no memory"),
        ("L1=64KiB,,DDR", "comma with no memory"),
        (" ,DDR", "comma with no memory"),
        ("L1=64kb", "'64kb' is not a size in bytes"),
        ("L1=-1", "'-1' is not a size"),
        ("L1:align=0", "must be positive"),
        ("L1:size=3", "known are align=BYTES, base=ADDRESS"),
        ("L1=1,L1=2", "'L1' comes twice"),
        ("L1=64KiB:align=32:align=64", "memory 'L1' has align twice"),
        ("L1=99999999999GiB", "above"),
    ],
)
def test_option_errors_say_what_is_wrong(text: str, message: str):
    with pytest.raises(ValueError, match=message):
        parse_memories(text)


@pytest.mark.parametrize("text", ["", " "])
def test_no_text_is_no_memory(text: str):
    assert parse_memories(text) == []


def test_without_description_there_is_one_memory_without_limit():
    memories = Memories.of(module_with())
    assert list(memories.by_name.values()) == [Memory("memory", None, 64, None)]


def test_option_wins_over_module_wins_over_arena():
    arenas = (ArenaOp("L1", capacity=1), ArenaOp("L2", capacity=2), ArenaOp("L3", capacity=3))
    module = module_with(
        MemoryAttr.of("L1", capacity=10), MemoryAttr.of("L2", capacity=20), arenas=arenas
    )
    memories = Memories.of(module, "L1=100")
    assert [m.capacity for m in memories.by_name.values()] == [100, 20, 3]
    assert memories.default.name == "L1"


def test_option_that_knows_none_of_the_memories_is_a_mistake():
    with pytest.raises(PassFailedException, match="no memory 'l2'; it has L2"):
        Memories.of(module_with(MemoryAttr.of("L2")), "l2=1KiB")


def test_attribute_of_another_kind_is_refused():
    module = module_with()
    module.attributes[MEMORIES] = StringAttr("L1")
    with pytest.raises(PassFailedException, match="not an array of"):
        Memories.of(module)


def test_arena_says_what_memory_a_space_means():
    space = IntegerAttr(1, i64)
    memories = Memories.of(module_with(arenas=(ArenaOp("L1", space=space),)))
    assert memories.by_space == {space: "L1"}
