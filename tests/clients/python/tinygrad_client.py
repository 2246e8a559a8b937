# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tinygrad: the same program on the device that DEV names and on the CPU back end."""

from checks import check, finish
from tinygrad import Device, Tensor, TinyJit, dtypes, nn
from tinygrad.helpers import Context


def on(device, program):
    """Random numbers come from the CPU, so that both devices have the same ones."""
    Tensor.manual_seed(7)
    return program(lambda *shape: Tensor.randn(*shape, device="CPU").realize().to(device).realize())


def compare(name, program, tolerance):
    check(name, on("CUDA", program), on("CPU", program), tolerance)


class Perceptron:
    shape = (32, 16)

    def __init__(self):
        self.first, self.second = nn.Linear(16, 32), nn.Linear(32, 4)

    def __call__(self, x):
        return self.second(self.first(x).relu())


class Convolutional:
    shape = (16, 1, 14, 14)

    def __init__(self):
        # A bias before the normalization has no effect: its gradient is noise, which Adam makes large.
        self.first, self.norm = nn.Conv2d(1, 8, 3, bias=False), nn.BatchNorm(8)
        self.second = nn.Conv2d(8, 8, 3)
        self.last = nn.Linear(8 * 4 * 4, 4)

    def __call__(self, x):
        x = self.norm(self.first(x)).relu().max_pool2d(2)
        return self.last(self.second(x).relu().flatten(1))


def training(network, optimizer):
    """The loss of each of four steps, then all weights."""

    def program(random):
        model = network()
        for weight in nn.state.get_parameters(model):
            # Statistics of a normalization keep their values, zeros and ones.
            fresh = random(*weight.shape) * 0.2 if len(weight.shape) > 1 else weight.to(random(1).device)
            weight.replace(fresh.contiguous().realize())
        steps = optimizer(nn.state.get_parameters(model), lr=0.01)
        x, labels = random(*network.shape), random(network.shape[0], 4).argmax(1)
        numbers = []
        with Context(TRAINING=1):
            for _ in range(4):
                steps.zero_grad()
                loss = model(x).sparse_categorical_crossentropy(labels).backward()
                steps.step()
                numbers.append(loss.item())
        assert numbers[-1] < numbers[0], numbers
        return numbers + [w.tolist() for w in nn.state.get_parameters(model)]

    return program


def jit(random):
    """From the third call on, one graph launch for all three kernels."""
    first, second = random(24, 24), random(24, 24)

    @TinyJit
    def step(x):
        x = (x @ first).relu().realize()
        x = (x @ second).realize()
        return x.sum(axis=0).realize()

    return [step(random(24, 24)).tolist() for _ in range(5)]


assert Device.DEFAULT == "CUDA", Device.DEFAULT
compare("element by element", lambda random: (random(999) * 3 + 1).sin().exp2().tolist(), 2e-5)
compare("matrix product", lambda random: (random(96, 80) @ random(80, 112)).tolist(), 2e-5)
# With tensor cores, whose sums are f32; the CPU back end multiplies the same numbers as f32. TC_OPT=2 pads.
with Context(TC_OPT=2, ALLOW_TF32=1):
    for m, k, n in (64, 64, 64), (50, 70, 90):
        compare(f"products of half, {m} x {k} x {n}",
                lambda random: random(m, k).half().matmul(random(k, n).half(), dtype=dtypes.float).tolist(), 1e-5)
        compare(f"products of tf32, {m} x {k} x {n}", lambda random: (random(m, k) @ random(k, n)).tolist(), 2e-2)
# The CPU back end keeps intermediate results wider than half.
compare("half precision", lambda random: [random(64, 32).half().float().tolist(),
                                          (random(64, 32).half() + random(32).half()).float().tolist()], 1e-3)
compare("reductions", lambda random: [(x := random(33, 47)).sum(0).tolist(), x.max(1).tolist(),
                                      x.softmax().tolist()], 1e-5)
compare("integers", lambda random: ((x := (random(500) * 1e6).int()) // 7 + x % 13 + (x ^ 0x55)).tolist(), 0)
compare("sorting", lambda random: random(200).sort()[0].tolist(), 0)
compare("graph", jit, 2e-5)
for optimizer in nn.optim.SGD, nn.optim.Adam:
    compare(f"perceptron, {optimizer.__name__}", training(Perceptron, optimizer), 2e-4)
    compare(f"convolutions, {optimizer.__name__}", training(Convolutional, optimizer), 2e-4)

devices = ("CUDA:0", "CUDA:1")
values = [float(i) for i in range(64)]
check("from device to device", Tensor(values, device=devices[0]).realize().to(devices[1]).realize().tolist(), values)
both = Tensor(values, device="CUDA:0").reshape(8, 8).shard(devices, axis=0)
check("on two devices", (both * 2).sum(0).tolist(), [sum(values[i::8]) * 2 for i in range(8)])
finish()
