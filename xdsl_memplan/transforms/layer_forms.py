"""Ways to form layers that may differ, and modules whose layers were formed in them."""

from dataclasses import dataclass, field

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from xdsl_memplan.analysis.merged_places import has_merged_places
from xdsl_memplan.analysis.sliced_products import has_sliced_product
from xdsl_memplan.analysis.ways_to_form_layers import has_long_norm, has_turned_operand
from xdsl_memplan.dialects.operations_in import operations_in
from xdsl_memplan.transforms.concats_of_readers import has_large_concat
from xdsl_memplan.transforms.layer_number import layer_of
from xdsl_memplan.transforms.split_passes import SplitOptions, forming, rewriting
from xdsl_memplan.transforms.trials import Run, trial_of

_LONG_NORM = 16
"""A softmax or normalisation is tried in parts, too, where a row is more than this part of the
memory."""

_LARGE_CONCAT = 2
"""A concatenation that several layers read is put together by each where it is more than this part
of the memory: it would hardly stay on chip from the first to the last."""

_FEW_LAYERS = 128
"""With no more layers there is time to look whether large concatenations are better put together
once: S3D, of 92, moves 5 % fewer bytes so at 4 MiB."""

_VERY_FEW_LAYERS = 40
"""With no more layers there is time to look whether groups for less room, which leave more of it
for tensors that stay on chip between them, move fewer bytes."""


@dataclass(frozen=True)
class Form:
    """A way to form layers."""

    longest_norm: int = 0
    """Softmax and normalisations of longer rows, in bytes, are in parts; 0: none are."""
    turned_apart: bool = False
    """Operands that a rotary embedding makes are layers of their own, and do not go with their
    reader."""
    store_parts: bool = False
    """Of what is only put together for the return each part is stored where it lies."""
    largest_concat: int = 0
    """Larger concatenations, in bytes, each layer that reads them puts together; 0: none is."""
    slices_apart: bool = False
    """Slices of features are computed apart."""
    again: bool = False
    """Cheap products are computed again for each reader."""
    places_apart: bool = False
    """Places of an image are in dimensions of their own."""

    def forming(self) -> list[ModulePass]:
        """The pass that forms the layers."""
        return forming(self.longest_norm, self.turned_apart, self.store_parts, self.largest_concat)


def largest_concat(module: ModuleOp, capacity: int) -> int:
    """The size that larger concatenations with several readers exceed; 0 where there are none."""
    largest = max(1, capacity // _LARGE_CONCAT)
    return largest if has_large_concat(module, largest) else 0


def forms_of(module: ModuleOp, capacity: int, largest: int, *, is_small: bool) -> list[Form]:
    """Ways to form layers that may differ, but for slices.

    Concatenations larger than ``largest`` bytes each reader puts together; 0: none is. In a small
    network all norms are also in parts.
    """
    longest = max(1, capacity // _LONG_NORM)
    limits = (longest, 1) if is_small else (longest,)
    norms = (0, *(limit for limit in dict.fromkeys(limits) if has_long_norm(module, limit)))
    turned = (False, True) if has_turned_operand(module) else (False,)
    return [Form(norm, apart, largest_concat=largest) for apart in turned for norm in norms]


def slices_apart(module: ModuleOp, options: SplitOptions) -> tuple[bool, ...]:
    """Whether slices of features are computed apart: what to try."""
    return (False, True) if options.rewrite and has_sliced_product(module) else (False,)


def places_apart(module: ModuleOp, options: SplitOptions) -> tuple[bool, ...]:
    """Whether places of an image are in dimensions of their own: what to try."""
    return (False, True) if options.rewrite and has_merged_places(module) else (False,)


def has_few_layers(module: ModuleOp) -> bool:
    """Tell whether a module with layers has so few that another search takes little time."""
    return _layers_in(module) <= _FEW_LAYERS


def has_very_few_layers(module: ModuleOp) -> bool:
    """Tell whether a module with layers has so few that several searches take little time."""
    return _layers_in(module) <= _VERY_FEW_LAYERS


def _layers_in(module: ModuleOp) -> int:
    return max(map(layer_of, operations_in(module)), default=-1) + 1


@dataclass
class WaysToFormLayers:
    """Copies of a module with its layers, formed in ways that differ.

    A long sum may be a layer in any way, as the mean of squeeze and excitation is: the same layers
    are there once. Each way is gone once, whatever groups are then looked for.
    """

    module: ModuleOp
    options: SplitOptions
    run: Run
    forms: list[Form] = field(default_factory=list[Form])
    """Those that differ, of `others`, in the order in which they were asked for."""
    others: list[ModuleOp] = field(default_factory=list[ModuleOp])
    _rewritten: dict[tuple[bool, ...], ModuleOp] = field(
        default_factory=dict[tuple[bool, ...], ModuleOp]
    )
    _formed: dict[Form, ModuleOp] = field(default_factory=dict[Form, ModuleOp])

    @property
    def last(self) -> int:
        """The number of the last way that differed."""
        return len(self.others) - 1

    def rewritten_in(self, form: Form) -> ModuleOp:
        """Return the module as it is before layers are formed."""
        way = form.slices_apart, form.again, form.places_apart
        if way not in self._rewritten:
            self._rewritten[way] = trial_of(self.module, rewriting(self.options, *way), self.run)
        return self._rewritten[way]

    def layers_in(self, form: Form) -> ModuleOp:
        """Return the module with layers formed in a way."""
        if form not in self._formed:
            self._formed[form] = trial_of(self.rewritten_in(form), form.forming(), self.run)
        return self._formed[form]

    def other(self, form: Form) -> ModuleOp | None:
        """Form layers in another way; None if they are the same as in one before."""
        layers = self.layers_in(form)
        if not add_other(self.others, layers):
            return None
        self.forms.append(form)
        return layers


def add_other(modules: list[ModuleOp], module: ModuleOp) -> bool:
    """Add a module if none is the same; tell whether it was added."""
    if any(module.is_structurally_equivalent(other) for other in modules):
        return False
    modules.append(module)
    return True
