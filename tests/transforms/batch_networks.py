"""Networks for several images, or one, which are the same layers."""

from tests.transforms.random_networks import RandomNetwork


class Scaled(RandomNetwork):
    """Random layers on larger images."""

    most_elements = 1 << 40

    def __init__(self, seed: int, batch: int, scale: int) -> None:
        super().__init__(seed, batch)
        [(name, (_, features, rows, columns))] = self.activations
        self.arguments = [(name, (batch, 4 * features, scale * rows, scale * columns))]
        self.activations = list(self.arguments)


def scaled(seed: int, layers: int, batch: int, scale: int) -> str:
    """About so many random layers; images are so many times as high and wide as usual."""
    network = Scaled(seed, batch, scale)
    for _ in range(layers):
        network.layer()
    return network.finish()


def squeeze_and_excitation(batch: int, blocks: int = 2) -> str:
    """Blocks of a MobileNet, whose features are weighed by what their means tell."""
    n = RandomNetwork(0)
    n.arguments = []
    x = n.relu(n.conv(n.argument(batch, 3, 16, 16), 8))
    for _ in range(blocks):
        y = n.relu(n.depthwise(n.relu(n.conv(x, 24, 1))))
        x = n.each("addf", x, n.conv(n.squeezed(y), 8, 1))
    return n.text(x)
