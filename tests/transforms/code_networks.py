"""Networks of large or many kernels, where tiles at the ends of a row look like no other.

They are those of no publication; sizes are in proportion.
"""

from collections.abc import Callable

from tests.transforms.networks import Network, Value


def _padded(n: Network, x: Value, features: int, kernel: int) -> Value:
    return n.conv(n.pad(x, kernel // 2), features, kernel)


def large_kernels(rows: int = 56, features: int = 32) -> str:
    """Wide kernels, each followed by a narrow layer that is four times as deep (ConvNeXt)."""
    n = Network()
    x = n.conv(n.argument(1, 3, 2 * rows, 2 * rows), features, stride=2)
    for _ in range(2):
        deep = n.relu(n.conv(n.relu(_padded(n, x, features, 7)), 4 * features, 1))
        x = n.each("addf", x, n.conv(deep, features, 1))
    return n.text(n.conv(x, 2 * features, stride=2))


def branches(rows: int = 35, features: int = 48) -> str:
    """Blocks of three branches with kernels of 1, 3 and 5 (Inception)."""
    n = Network()
    x = n.argument(1, features, rows, rows)
    for _ in range(3):
        one = n.relu(n.conv(x, features // 2, 1))
        two = n.relu(n.conv(n.relu(n.conv(x, features // 2, 1)), features // 4))
        three = n.relu(_padded(n, n.relu(n.conv(x, features // 3, 1)), features // 4, 5))
        x = n.concat(one, two, three)
    return n.text(x)


def dense_block(rows: int = 40, features: int = 24) -> str:
    """Each layer reads all before it (DenseNet)."""
    n = Network()
    x = n.conv(n.argument(1, 3, rows, rows), features)
    for _ in range(6):
        x = n.concat(x, n.conv(n.relu(n.conv(n.relu(x), 2 * features, 1)), features // 2))
    return n.text(n.pool(x))


def plain(rows: int = 97, features: int = 24) -> str:
    """Kernels of 3 and 5 one behind another, on rows that no tile divides (VGG)."""
    n = Network()
    x = n.argument(2, 3, rows, rows)
    for wider in (1, 2):
        x = n.relu(n.conv(x, features * wider, stride=2))
        x = n.relu(_padded(n, x, features * wider, 5))
    return n.text(n.pool(x))


def windows(side: int = 56, features: int = 64) -> str:
    """Products within windows of 49, and a feed-forward of all rows (Swin)."""
    n = Network()
    rows = side * side
    x = n.argument(rows, features)
    for _ in range(2):
        groups = "[[0, 1], [2]]"
        parts = n.reshape(n.matmul(x, features), groups, rows // 49, 49, features)
        scores = n.relu(n.batch_matmul(parts, n.transpose(parts, 0, 2, 1)))
        mixed = n.reshape(n.batch_matmul(scores, parts), groups, rows, features)
        x = n.each("addf", x, n.matmul(mixed, features))
        x = n.each("addf", x, n.matmul(n.relu(n.matmul(x, 4 * features)), features))
    return n.text(x)


def separable(rows: int = 56, features: int = 24) -> str:
    """Depthwise and pointwise kernels with residuals (ShuffleNet, MobileNet)."""
    n = Network()
    x = n.relu(n.conv(n.argument(1, 3, 2 * rows, 2 * rows), features, stride=2))
    for stride in (1, 1, 2, 1):
        wide = n.relu(n.depthwise(n.relu(n.conv(x, 3 * features, 1, stride))))
        narrow = n.conv(wide, features, 1)
        x = n.each("addf", x, narrow) if stride == 1 else narrow
    return n.text(x)


def upscaled(rows: int = 128, features: int = 32) -> str:
    """Features become rows and columns, twice as many, twice (super-resolution)."""
    n = Network()
    x = n.relu(n.conv(n.argument(1, 3, rows, rows), features))
    for deep in (features, 12):
        x = n.conv(x, deep)
        _, _, h, w = x[1]
        apart = n.reshape(x, "[[0], [1, 2, 3], [4], [5]]", 1, deep // 4, 2, 2, h, w)
        between = n.transpose(apart, 0, 1, 4, 2, 5, 3)
        x = n.reshape(between, "[[0], [1], [2, 3], [4, 5]]", 1, deep // 4, 2 * h, 2 * w)
    return n.text(x)


NETWORKS: tuple[Callable[[], str], ...] = (
    large_kernels,
    branches,
    dense_block,
    plain,
    windows,
    separable,
    upscaled,
)
