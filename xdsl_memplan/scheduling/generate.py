"""Made-up operator graphs for benchmarks and tests."""

import random

from xdsl_memplan.model.graph import Graph, Operator, Tensor


def random_graph(seed: int, operators: int, largest: int = 9, reach: int = 4) -> Graph:
    """Make a graph with shared inputs, weights, several results and outputs that are read too.

    Operators read from the last ``reach`` tensors; sizes are 1 to ``largest`` bytes.
    """
    pick = random.Random(seed)
    tensors = [Tensor("x", pick.randint(1, largest), "input")]
    listed: list[Operator] = []
    made = [0]
    for i in range(operators):
        inputs = {pick.choice(made[-reach:]) for _ in range(pick.randint(1, 3))}
        if pick.random() < 0.2:
            inputs.add(len(tensors))
            tensors.append(Tensor(f"w{i}", pick.randint(1, largest), "parameter"))
        outputs: list[int] = []
        for k in range(2 if pick.random() < 0.15 else 1):
            kind = "output" if pick.random() < 0.15 else "activation"
            outputs.append(len(tensors))
            tensors.append(Tensor(f"t{i}.{k}", pick.randint(1, largest), kind))
        listed.append(Operator(f"op{i}", tuple(sorted(inputs)), tuple(outputs)))
        made += outputs
    return Graph(listed, tensors)
