"""What mesh.py runs on a mesh of chips: each operation gives what every chip has, and what torch says
that it should have."""
import os

import torch
import ttnn

HEIGHT, WIDTH = 96, 64  # of a chip's part
OPERATIONS = {}
NEEDS = {}  # of some operations: whether a mesh can have them


def operation(function):
    OPERATIONS[function.__name__] = function
    return function


def needs(condition):
    def note(function):
        NEEDS[function.__name__] = condition
        return function
    return note


class Mesh:
    """A mesh that is open. Rows are independent of each other, in operations along axis 1."""

    def __init__(self, device, rows, columns, fabric):
        self.device, self.rows, self.columns = device, rows, columns
        self.fabric = fabric
        self.topology = ttnn.Topology.Ring if fabric == "ring" else ttnn.Topology.Linear
        # Of operations that send to one chip. On a fabric 2D, packets that go along a line do not arrive.
        self.route = ttnn.Topology.Mesh if fabric == "2d" else self.topology
        self.count = rows * columns
        self.left, self.right = self.random(), self.random()

    def random(self, height=HEIGHT, width=WIDTH, scale=1.0):
        """A tensor for each chip."""
        return [(torch.randn(1, 1, height, width) * scale).bfloat16() for _ in range(self.count)]

    def put(self, parts, layout=ttnn.TILE_LAYOUT, dtype=None, device=None):
        """A tensor of ttnn that has parts[i] on chip i."""
        device = device or self.device
        return ttnn.from_torch(torch.cat(parts, 0), layout=layout, device=device, dtype=dtype,
                               mesh_mapper=ttnn.ShardTensorToMesh(device, dim=0))

    def replicate(self, tensor, layout=ttnn.TILE_LAYOUT, dtype=None):
        return ttnn.from_torch(tensor, layout=layout, device=self.device, dtype=dtype,
                               mesh_mapper=ttnn.ReplicateTensorToMesh(self.device))

    def row_of(self, chip, parts):
        """The parts of all chips in the row of `chip`."""
        return parts[chip // self.columns * self.columns:][:self.columns]

    def by_row(self, parts, function):
        """function(parts of the row, column) for each chip."""
        return [function(self.row_of(chip, parts), chip % self.columns) for chip in range(self.count)]

    def semaphores(self, count):
        grid = self.device.compute_with_storage_grid_size()
        last = ttnn.CoreCoord(grid.x - 1, grid.y - 1)
        cores = ttnn.CoreRangeSet({ttnn.CoreRange(ttnn.CoreCoord(0, 0), last)})
        return [ttnn.create_global_semaphore(self.device, cores, 0) for _ in range(count)]


IS_SLOW = bool(os.environ.get("TT_METAL_SLOW_DISPATCH_MODE"))


def shards(tensor):
    return [ttnn.to_torch(shard) for shard in ttnn.get_device_tensors(tensor)]


def gathered(row, _):
    return torch.cat(row, 3)


def summed(row, _):
    return sum(part.float() for part in row)


def sum_part(row, column):
    return torch.chunk(summed(row, column), len(row), 3)[column]


# --- Collective operations ---


@operation
def add(mesh):
    result = ttnn.add(mesh.put(mesh.left), mesh.put(mesh.right))
    return shards(result), [a + b for a, b in zip(mesh.left, mesh.right)]


# Its kernels make packets of a fabric 1D only.
@needs(lambda mesh: mesh.fabric != "2d")
@operation
def point_to_point(mesh):
    result = ttnn.point_to_point(mesh.put(mesh.left), ttnn.MeshCoordinate(0, 0),
                                 ttnn.MeshCoordinate(0, mesh.columns - 1), topology=mesh.route)
    return [shards(result)[mesh.columns - 1]], [mesh.left[0]]


@operation
def all_gather(mesh):
    result = ttnn.all_gather(mesh.put(mesh.left), dim=3, cluster_axis=1)
    return shards(result), mesh.by_row(mesh.left, gathered)


@needs(lambda mesh: mesh.rows > 1)
@operation
def all_gather_columns(mesh):
    result = ttnn.all_gather(mesh.put(mesh.left), dim=3, cluster_axis=0)
    return shards(result), [torch.cat(mesh.left[chip % mesh.columns::mesh.columns], 3)
                            for chip in range(mesh.count)]


@operation
def reduce_scatter(mesh):
    parts = mesh.random(width=WIDTH * mesh.columns)
    result = ttnn.reduce_scatter(mesh.put(parts), dim=3, cluster_axis=1, topology=mesh.topology)
    return shards(result), mesh.by_row(parts, sum_part)


@operation
def all_reduce(mesh):
    result = ttnn.all_reduce(mesh.put(mesh.left), cluster_axis=1, topology=mesh.topology)
    return shards(result), mesh.by_row(mesh.left, summed)


@operation
def all_reduce_of_all(mesh):
    result = ttnn.all_reduce(mesh.put(mesh.left), topology=mesh.topology)
    return shards(result), [summed(mesh.left, 0)] * mesh.count


@operation
def all_broadcast(mesh):
    results = ttnn.all_broadcast(mesh.put(mesh.left), cluster_axis=1, topology=mesh.topology)
    of_chips = list(zip(*[shards(result) for result in results]))
    return [torch.cat(own, 3) for own in of_chips], mesh.by_row(mesh.left, gathered)


# Chips of other rows would wait for a sender of their own row.
@needs(lambda mesh: mesh.rows == 1)
@operation
def broadcast(mesh):
    result = ttnn.broadcast(mesh.put(mesh.left), ttnn.MeshCoordinate(0, 0), cluster_axis=1,
                            topology=mesh.topology)
    return shards(result), [mesh.left[0]] * mesh.count


# --- Tokens and experts ---

TOKENS, HIDDEN, CHOSEN = 32, 64, 2


def experts(mesh):
    """Two experts a chip: their chips, the tokens of each chip, and the experts that these choose."""
    count = 2 * mesh.count
    owner = torch.arange(count) // 2
    mapping = torch.nn.functional.one_hot(owner, mesh.count).reshape(1, 1, count, mesh.count)
    tokens = [torch.randn(TOKENS, 1, 1, HIDDEN).bfloat16() for _ in range(mesh.count)]
    chosen = [torch.stack([torch.randperm(count)[:CHOSEN] for _ in range(TOKENS)])
              .reshape(TOKENS, 1, 1, CHOSEN) for _ in range(mesh.count)]
    return owner, mapping, tokens, chosen


def dispatch(mesh, mapping, tokens, chosen):
    """Along the row: all chips of a row have to have the choices of their own tokens."""
    rows = ttnn.ROW_MAJOR_LAYOUT
    put = lambda parts, dtype: mesh.put(parts, layout=rows, dtype=dtype)
    mapped = mesh.replicate(mapping.int(), layout=rows, dtype=ttnn.uint16)
    return mapped, *ttnn.all_to_all_dispatch(put(tokens, ttnn.bfloat16),
                                             put([c.int() for c in chosen], ttnn.uint16), mapped,
                                             cluster_axis=1, topology=mesh.route)


@operation
def all_to_all_dispatch(mesh):
    """Of what arrives only rows count whose token chose an expert of the chip."""
    owner, mapping, tokens, chosen = experts(mesh)
    _, sparse, metadata = dispatch(mesh, mapping, tokens, chosen)
    metadata = ttnn.typecast(ttnn.to_layout(metadata, ttnn.TILE_LAYOUT), ttnn.float32)
    got, wanted = [], []
    for chip, (rows, meta) in enumerate(zip(shards(sparse), shards(metadata))):
        all_tokens = torch.cat(mesh.row_of(chip, tokens)).reshape(-1, HIDDEN)
        all_chosen = torch.cat(mesh.row_of(chip, chosen)).reshape(-1, CHOSEN)
        is_mine = (owner[all_chosen] == chip).any(1)
        got += [rows.reshape(-1, HIDDEN)[is_mine], meta.reshape(-1, CHOSEN)]
        wanted += [all_tokens[is_mine], all_chosen.float()]
    return got, wanted


@operation
def all_to_all_combine(mesh):
    """Each expert multiplies by its number, and what the chip's tokens chose comes back to them."""
    owner, mapping, tokens, chosen = experts(mesh)
    mapped, _, metadata = dispatch(mesh, mapping, tokens, chosen)
    done = []
    for chip in range(mesh.count):
        row = torch.cat(mesh.row_of(chip, tokens)).reshape(1, -1, 1, HIDDEN)
        mine = [expert for expert in range(len(owner)) if owner[expert] == chip]
        done.append(torch.cat([row * (1 + expert) for expert in mine]))
    result = ttnn.all_to_all_combine(mesh.put(done, layout=ttnn.ROW_MAJOR_LAYOUT), metadata, mapped,
                                     cluster_axis=1, topology=mesh.route)
    got, wanted = [], []
    for chip, rows in enumerate(shards(result)):
        own, ids = tokens[chip].reshape(TOKENS, HIDDEN), chosen[chip].reshape(TOKENS, CHOSEN)
        for k in range(CHOSEN):
            is_of_row = owner[ids[:, k]] // mesh.columns == chip // mesh.columns
            got.append(rows[k].reshape(TOKENS, HIDDEN)[is_of_row])
            wanted.append((own * (1 + ids[:, k:k + 1]))[is_of_row])
    return got, wanted


# --- Norms ---


def norm(mesh, before, after, model):
    """The norm of rows that are spread over the chips of a row of the mesh."""
    weight = torch.rand(1, 1, 1, WIDTH).bfloat16() + 0.5
    of_chips = mesh.put(mesh.left)
    statistics = ttnn.all_gather(before(of_chips), dim=3, cluster_axis=1)
    result = after(of_chips, statistics, epsilon=1e-5, weight=mesh.replicate(weight))
    whole = mesh.by_row(mesh.left, gathered)
    return shards(result), [torch.chunk(model(x.float()), mesh.columns, 3)[i % mesh.columns] * weight
                            for i, x in enumerate(whole)]


def rms(x):
    return x * torch.rsqrt((x * x).mean(3, keepdim=True) + 1e-5)


@operation
def rms_norm(mesh):
    return norm(mesh, ttnn.rms_norm_pre_all_gather, ttnn.rms_norm_post_all_gather, rms)


@operation
def layer_norm(mesh):
    return norm(mesh, ttnn.layer_norm_pre_all_gather, ttnn.layer_norm_post_all_gather,
                lambda x: torch.nn.functional.layer_norm(x, x.shape[3:]))


# --- With semaphores of the client ---


@operation
def all_gather_async(mesh):
    semaphores = mesh.semaphores(3)
    result = ttnn.experimental.all_gather_async(
        mesh.put(mesh.left), persistent_output_buffer=None, dim=3,
        multi_device_global_semaphore=semaphores[:2], barrier_semaphore=semaphores[2],
        cluster_axis=1, topology=mesh.topology)
    return shards(result), mesh.by_row(mesh.left, gathered)


@operation
def reduce_scatter_async(mesh):
    parts = mesh.random(width=WIDTH * mesh.columns)
    semaphores = mesh.semaphores(4)
    result = ttnn.experimental.reduce_scatter_minimal_async(
        mesh.put(parts), persistent_output_buffers=None, dim=3,
        multi_device_global_semaphore=semaphores[:3], barrier_semaphore=semaphores[3],
        cluster_axis=1, topology=mesh.topology)
    return shards(result), mesh.by_row(parts, sum_part)


@operation
def all_reduce_async(mesh):
    semaphores = mesh.semaphores(7)
    result = ttnn.experimental.all_reduce_async(
        mesh.put(mesh.left), cluster_axis=1, mesh_device=mesh.device,
        barrier_semaphores=semaphores[:2], rs_global_semaphores=semaphores[2:5],
        ag_global_semaphores=semaphores[5:], math_op=ttnn.ReduceType.Sum, topology=mesh.topology)
    return shards(result), mesh.by_row(mesh.left, summed)


# --- Traces ---


@needs(lambda _: not IS_SLOW)
@operation
def trace(mesh):
    """add and all_gather, recorded once and replayed with other data."""
    left, right = mesh.put(mesh.left), mesh.put(mesh.right)
    function = lambda: ttnn.all_gather(ttnn.add(left, right), dim=3, cluster_axis=1)
    function()
    number = ttnn.begin_trace_capture(mesh.device, cq_id=0)
    result = function()
    ttnn.end_trace_capture(mesh.device, number, cq_id=0)
    got, wanted = [], []
    for _ in range(2):
        parts = mesh.random()
        host = ttnn.from_torch(torch.cat(parts, 0), layout=ttnn.TILE_LAYOUT,
                               mesh_mapper=ttnn.ShardTensorToMesh(mesh.device, dim=0))
        ttnn.copy_host_to_device_tensor(host, left)
        ttnn.execute_trace(mesh.device, number, cq_id=0, blocking=True)
        got += shards(result)
        wanted += mesh.by_row([a + b for a, b in zip(parts, mesh.right)], gathered)
    ttnn.release_trace(mesh.device, number)
    return got, wanted


# --- Models in tensor parallel over all chips ---

SIZE, HEADS, HEAD, INNER, PROMPT = 128, 8, 32, 512, 32


def columns_of(mesh, weight):
    """Each chip gets some columns of a weight,"""
    return mesh.put(list(torch.chunk(weight.reshape(1, 1, *weight.shape), mesh.count, 3)))


def rows_of(mesh, weight):
    """or some rows, whose products are added over the chips."""
    return mesh.put(list(torch.chunk(weight.reshape(1, 1, *weight.shape), mesh.count, 2)))


def weights(*shapes):
    return [(torch.randn(*shape) / shape[0]**0.5).bfloat16() for shape in shapes]


def reduced(mesh, tensor):
    return ttnn.all_reduce(tensor, cluster_axis=1 if mesh.rows == 1 else None, topology=mesh.topology)


@operation
def mlp(mesh):
    x, (up, down) = torch.randn(1, 1, 64, SIZE).bfloat16(), weights((SIZE, INNER), (INNER, SIZE))
    inner = ttnn.gelu(ttnn.matmul(mesh.replicate(x), columns_of(mesh, up)))
    result = reduced(mesh, ttnn.matmul(inner, rows_of(mesh, down)))
    wanted = torch.nn.functional.gelu(x.float() @ up.float()) @ down.float()
    return shards(result), [wanted] * mesh.count


class Block:
    """A block of Llama: attention with rotary embedding, and SwiGLU, each behind an RMS norm."""

    def __init__(self):
        self.q, self.k, self.v, self.o, self.gate, self.up, self.down = weights(
            *[(SIZE, HEADS * HEAD)] * 3, (HEADS * HEAD, SIZE), *[(SIZE, INNER)] * 2, (INNER, SIZE))

    @staticmethod
    def angles(positions):
        angles = positions[:, None] / 10000.0**(torch.arange(0, HEAD, 2) / HEAD)
        angles = torch.cat([angles, angles], 1)
        return [f(angles).reshape(1, 1, -1, HEAD).bfloat16() for f in (torch.cos, torch.sin)]

    def model(self, x):
        """What torch computes for all positions of x."""
        x = x.float()
        cos, sin = (angle.float() for angle in self.angles(torch.arange(x.shape[2])))
        heads = lambda w: (rms(x) @ w.float()).reshape(-1, HEADS, HEAD).transpose(0, 1)[None]
        turn = lambda t: t * cos + torch.cat([-t[..., HEAD // 2:], t[..., :HEAD // 2]], 3) * sin
        scores = turn(heads(self.q)) @ turn(heads(self.k)).transpose(2, 3) / HEAD**0.5
        mask = torch.triu(torch.full(scores.shape[2:], float("-inf")), 1)
        seen = torch.softmax(scores + mask, 3) @ heads(self.v)
        x = x + seen[0].transpose(0, 1).reshape(1, 1, -1, HEADS * HEAD) @ self.o.float()
        inner = torch.nn.functional.silu(rms(x) @ self.gate.float()) * (rms(x) @ self.up.float())
        return x + inner @ self.down.float()

    def put(self, mesh):
        self.mesh, self.own = mesh, HEADS // mesh.count
        self.on_q, self.on_k, self.on_v, self.on_gate, self.on_up = (
            columns_of(mesh, w) for w in (self.q, self.k, self.v, self.gate, self.up))
        self.on_o, self.on_down = rows_of(mesh, self.o), rows_of(mesh, self.down)

    def heads(self, x, weight):
        """(1, heads of the chip, positions, HEAD)"""
        product = ttnn.matmul(x, weight)
        return ttnn.permute(ttnn.reshape(product, (1, x.shape[2], self.own, HEAD)), (0, 2, 1, 3))

    def turn(self, heads, angles):
        cos, sin = (self.mesh.replicate(angle) for angle in angles)
        begin = [0, 0, 0, 0]
        size = list(heads.shape)
        low = ttnn.slice(heads, begin, size[:3] + [HEAD // 2])
        high = ttnn.slice(heads, [0, 0, 0, HEAD // 2], size)
        return ttnn.add(ttnn.multiply(heads, cos),
                        ttnn.multiply(ttnn.concat([ttnn.neg(high), low], 3), sin))

    def run(self, x, positions, past=None):
        """The block on x, whose rows are at `positions` behind those of `past`; (result, keys and
        values of all positions)."""
        normed = ttnn.rms_norm(x, epsilon=1e-5)
        q = self.turn(self.heads(normed, self.on_q), self.angles(positions))
        k = self.turn(self.heads(normed, self.on_k), self.angles(positions))
        v = self.heads(normed, self.on_v)
        if past:
            k, v = ttnn.concat([past[0], k], 2), ttnn.concat([past[1], v], 2)
        scores = ttnn.multiply(ttnn.matmul(q, ttnn.transpose(k, 2, 3)), HEAD**-0.5)
        if not past:
            size = len(positions)
            mask = torch.triu(torch.full((1, 1, size, size), -1e9), 1).bfloat16()
            scores = ttnn.add(scores, self.mesh.replicate(mask))
        seen = ttnn.permute(ttnn.matmul(ttnn.softmax(scores, dim=3), v), (0, 2, 1, 3))
        seen = ttnn.reshape(seen, (1, 1, len(positions), self.own * HEAD))
        x = ttnn.add(x, reduced(self.mesh, ttnn.matmul(seen, self.on_o)))
        normed = ttnn.rms_norm(x, epsilon=1e-5)
        inner = ttnn.multiply(ttnn.silu(ttnn.matmul(normed, self.on_gate)),
                              ttnn.matmul(normed, self.on_up))
        x = ttnn.add(x, reduced(self.mesh, ttnn.matmul(inner, self.on_down)))
        return x, (k, v)


@operation
def llama_prefill(mesh):
    block, x = Block(), torch.randn(1, 1, PROMPT, SIZE).bfloat16()
    block.put(mesh)
    result, _ = block.run(mesh.replicate(x), torch.arange(PROMPT))
    return shards(result), [block.model(x)] * mesh.count


@operation
def llama_decode(mesh):
    """Two tokens, one after the other, behind a prompt."""
    block, x = Block(), torch.randn(1, 1, PROMPT + 2, SIZE).bfloat16()
    block.put(mesh)
    _, past = block.run(mesh.replicate(x[:, :, :PROMPT]), torch.arange(PROMPT))
    got, wanted = [], block.model(x)
    for at in (PROMPT, PROMPT + 1):
        result, past = block.run(mesh.replicate(x[:, :, at:at + 1]), torch.tensor([at]), past)
        got += shards(result)
    return got, [wanted[:, :, PROMPT + i // mesh.count:][:, :, :1] for i in range(2 * mesh.count)]


# --- Parts of the mesh ---


@operation
def submesh(mesh):
    """all_gather on the last two chips of a row, and add on each chip alone. With fast dispatch, parts of a
    mesh take turns at the queues, and the mesh has to be quiet in between."""
    quiesce = (lambda: None) if IS_SLOW else mesh.device.quiesce_devices
    quiesce()
    pair = mesh.device.create_submesh(ttnn.MeshShape(1, 2), ttnn.MeshCoordinate(0, mesh.columns - 2))
    parts = mesh.left[mesh.columns - 2:mesh.columns]
    got = shards(ttnn.all_gather(mesh.put(parts, device=pair), dim=3))
    wanted = [torch.cat(parts, 3)] * 2
    quiesce()
    for chip, own in enumerate(mesh.device.create_submeshes(ttnn.MeshShape(1, 1))):
        put = lambda part, own=own: ttnn.from_torch(part, layout=ttnn.TILE_LAYOUT, device=own)
        got.append(ttnn.to_torch(ttnn.add(put(mesh.left[chip]), put(mesh.right[chip]))))
        wanted.append(mesh.left[chip] + mesh.right[chip])
    quiesce()
    return got, wanted
