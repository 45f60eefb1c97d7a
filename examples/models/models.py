#!/usr/bin/env python3
"""Runs small models in ttnn, start to end, and compares each step with torch.

usage: models.py [--repeat N] [--json FILE [--name NAME]] [MODEL...]     all models by default
       models.py --list

On Penrose:  penrose exec -- python3 models.py

The models are an MLP, a network of convolutions, a transformer encoder and a small Llama with a
cache of keys and values. Weights are random, from a fixed seed. The reference computes in FP32 with
the same weights, which were rounded to what the device holds. Each model runs N times (2); the
first run compiles kernels, and the fastest counts.

Prints a line for each model: Pearson's correlation with the reference (of a Llama's logits the
worst of all steps), the largest error by the reference's standard deviation, seconds, and seconds of
the CPU in this process (user time, of all threads), which other work on the machine changes less.
--json adds a line of JSON to a file, in which --name names the device; plot.py makes a picture of
it. Exit code 1 when a model is wrong: its correlation is below its bound.
"""
import argparse
import json
import resource
import sys
import time

import torch
import ttnn

F = torch.nn.functional
TILE, ROWS = ttnn.TILE_LAYOUT, ttnn.ROW_MAJOR_LAYOUT


class Weights:
    """Random tensors, each on the device in BF16 and on the host as what the device holds."""

    def __init__(self, device):
        self.device = device

    def __call__(self, *shape, scale=1.0, layout=TILE):
        rounded = (torch.randn(shape) * scale).to(torch.bfloat16)
        return (ttnn.from_torch(rounded, dtype=ttnn.bfloat16, layout=layout, device=self.device),
                rounded.float())

    def matrix(self, inputs, outputs):
        return self(inputs, outputs, scale=inputs ** -0.5)


def mlp(device, rows=64, widths=(256, 512, 512, 64)):
    """Three layers with ReLU between them."""
    weights = Weights(device)
    x, fx = weights(rows, widths[0])
    layers = [weights.matrix(n, m) + weights(1, m) for n, m in zip(widths, widths[1:])]

    def run():
        h = x
        for i, (w, _, b, _) in enumerate(layers):
            h = ttnn.linear(h, w, bias=b, activation="relu" if i < len(layers) - 1 else None)
        return [ttnn.to_torch(h).float()]

    h = fx
    for i, (_, w, _, b) in enumerate(layers):
        h = h @ w + b
        h = F.relu(h) if i < len(layers) - 1 else h
    return run, [h]


def convnet(device, batch=1, size=32, channels=(3, 16, 32), classes=32):
    """Two convolutions, each with ReLU and a maximum over 2x2, and a layer on all that is left."""
    weights = Weights(device)
    image = torch.randn(batch, channels[0], size, size).to(torch.bfloat16)
    x = ttnn.from_torch(image.permute(0, 2, 3, 1), dtype=ttnn.bfloat16, layout=ROWS, device=device)
    filters = [(torch.randn(m, n, 3, 3) * (9 * n) ** -0.5).to(torch.bfloat16)
               for n, m in zip(channels, channels[1:])]
    on_host = [ttnn.from_torch(f, dtype=ttnn.bfloat16) for f in filters]
    left = size // 4
    w, fw = weights.matrix(left * left * channels[-1], classes)

    def run():
        h, side = x, size
        for f, n, m in zip(on_host, channels, channels[1:]):
            h = ttnn.conv2d(input_tensor=h, weight_tensor=f, device=device, in_channels=n,
                            out_channels=m, batch_size=batch, input_height=side, input_width=side,
                            kernel_size=(3, 3), stride=(1, 1), padding=(1, 1))
            h = ttnn.relu(ttnn.to_layout(ttnn.to_memory_config(h, ttnn.DRAM_MEMORY_CONFIG), ROWS))
            h = ttnn.max_pool2d(input_tensor=h, batch_size=batch, input_h=side, input_w=side,
                                channels=m, kernel_size=[2, 2], stride=[2, 2], padding=[0, 0],
                                dilation=[1, 1])
            h = ttnn.to_memory_config(h, ttnn.DRAM_MEMORY_CONFIG)
            side //= 2
        h = ttnn.reshape(ttnn.to_layout(h, ROWS), (batch, left * left * channels[-1]))
        return [ttnn.to_torch(ttnn.linear(ttnn.to_layout(h, TILE), w)).float()]

    h = image.float()
    for f in filters:
        h = F.max_pool2d(F.relu(F.conv2d(h, f.float(), padding=1)), 2)
    return run, [h.permute(0, 2, 3, 1).reshape(batch, -1) @ fw]


def encoder(device, rows=128, width=256, heads=4, inner=1024, blocks=2):
    """Blocks of attention and a network of two layers, each behind a norm."""
    weights = Weights(device)
    head, scale = width // heads, (width // heads) ** -0.5
    x, fx = weights(rows, width)
    layers = [([weights.matrix(width, width) for _ in range(4)], weights.matrix(width, inner),
               weights.matrix(inner, width)) for _ in range(blocks)]

    def split(t):
        return ttnn.permute(ttnn.reshape(t, (1, rows, heads, head)), (0, 2, 1, 3))

    def run():
        y = x
        for projections, first, second in layers:
            h = ttnn.layer_norm(y)
            q, k, v = (split(ttnn.linear(h, w)) for w, _ in projections[:3])
            scores = ttnn.multiply(ttnn.matmul(q, ttnn.transpose(k, -2, -1)), scale)
            mixed = ttnn.permute(ttnn.matmul(ttnn.softmax(scores, dim=-1), v), (0, 2, 1, 3))
            y = ttnn.add(y, ttnn.linear(ttnn.reshape(mixed, (rows, width)), projections[3][0]))
            h = ttnn.gelu(ttnn.linear(ttnn.layer_norm(y), first[0]))
            y = ttnn.add(y, ttnn.linear(h, second[0]))
        return [ttnn.to_torch(y).float()]

    y = fx
    for projections, first, second in layers:
        h = F.layer_norm(y, (width,))
        q, k, v = ((h @ w).reshape(rows, heads, head).transpose(0, 1)
                   for _, w in projections[:3])
        mixed = torch.softmax(q @ k.transpose(-2, -1) * scale, -1) @ v
        y = y + mixed.transpose(0, 1).reshape(rows, width) @ projections[3][1]
        y = y + F.gelu(F.layer_norm(y, (width,)) @ first[1]) @ second[1]
    return run, [y]


class Llama:
    """Its shape, its weights on both sides, and the tables of rotary embedding."""

    def __init__(self, device, width=256, heads=4, groups=2, inner=512, blocks=2, words=512,
                 room=64):
        self.device, self.width, self.heads, self.groups = device, width, heads, groups
        self.head, self.words, self.room, self.blocks = width // heads, words, room, blocks
        weights = Weights(device)
        self.embedding = weights(words, width, layout=ROWS)
        self.output = weights.matrix(width, words)
        self.layers = []
        for _ in range(blocks):
            self.layers.append({
                "attention norm": weights(1, width, scale=0.1), "norm": weights(1, width, scale=0.1),
                "q": weights.matrix(width, width), "k": weights.matrix(width, groups * self.head),
                "v": weights.matrix(width, groups * self.head), "o": weights.matrix(width, width),
                "gate": weights.matrix(width, inner), "up": weights.matrix(width, inner),
                "down": weights.matrix(inner, width)})
        angles = torch.outer(torch.arange(room).float(),
                             10000.0 ** (-torch.arange(0, self.head, 2).float() / self.head))
        angles = torch.cat((angles, angles), -1)
        self.cos, self.sin = (t.to(torch.bfloat16) for t in (angles.cos(), angles.sin()))
        half = self.head // 2 # x @ turn is (-x[half:], x[:half])
        self.turn = torch.zeros(self.head, self.head)
        self.turn[torch.arange(half) + half, torch.arange(half)] = -1
        self.turn[torch.arange(half), torch.arange(half) + half] = 1

    def reference(self, tokens):
        """The logits of all positions."""
        count, group = len(tokens), self.heads // self.groups
        cos, sin = self.cos[:count].float(), self.sin[:count].float()
        mask = torch.full((count, count), float("-inf")).triu(1)

        def norm(t, w):
            return t * torch.rsqrt(t.pow(2).mean(-1, keepdim=True) + 1e-5) * w

        y = self.embedding[1][tokens]
        for layer in self.layers:
            w = {name: pair[1] for name, pair in layer.items()}
            h = norm(y, w["attention norm"])
            q = (h @ w["q"]).reshape(count, self.heads, self.head).transpose(0, 1)
            k, v = ((h @ w[n]).reshape(count, self.groups, self.head).transpose(0, 1)
                    for n in "kv")
            q, k = (t * cos + t @ self.turn * sin for t in (q, k))
            k, v = (t.repeat_interleave(group, 0) for t in (k, v))
            mixed = torch.softmax(q @ k.transpose(-2, -1) * self.head ** -0.5 + mask, -1) @ v
            y = y + mixed.transpose(0, 1).reshape(count, self.width) @ w["o"]
            h = norm(y, w["norm"])
            y = y + F.silu(h @ w["gate"]) * (h @ w["up"]) @ w["down"]
        return y @ self.output[1]

    def on_device(self, t, layout=TILE, dtype=ttnn.bfloat16):
        return ttnn.from_torch(t, dtype=dtype, layout=layout, device=self.device)


def llama_step(model, caches, tokens, start):
    """The logits of `tokens`, which stand at positions from `start` on. Keys and values go into the
    caches; one token looks back into them, several do at each other (start is 0 then)."""
    count = len(tokens)
    cos, sin = (model.on_device(t[start:start + count].reshape(1, 1, count, -1))
                for t in (model.cos, model.sin))
    turn = model.on_device(model.turn.reshape(1, 1, model.head, model.head))

    def split(t, heads):
        return ttnn.permute(ttnn.reshape(t, (1, count, heads, model.head)), (0, 2, 1, 3))

    def rotate(t):
        return ttnn.add(ttnn.multiply(t, cos), ttnn.multiply(ttnn.matmul(t, turn), sin))

    index = model.on_device(torch.tensor([tokens]).int(), ROWS, ttnn.uint32)
    y = ttnn.embedding(index, model.embedding[0], layout=TILE)
    y = ttnn.reshape(y, (1, 1, count, model.width))
    for layer, (keys, values) in zip(model.layers, caches):
        w = {name: pair[0] for name, pair in layer.items()}
        h = ttnn.rms_norm(y, weight=w["attention norm"], epsilon=1e-5)
        q = rotate(split(ttnn.linear(h, w["q"]), model.heads))
        k = rotate(split(ttnn.linear(h, w["k"]), model.groups))
        v = split(ttnn.linear(h, w["v"]), model.groups)
        if count > 1:
            ttnn.fill_cache(keys, k, 0)
            ttnn.fill_cache(values, v, 0)
            mixed = ttnn.transformer.scaled_dot_product_attention(q, k, v, is_causal=True)
            mixed = ttnn.permute(mixed, (0, 2, 1, 3))
        else:
            ttnn.update_cache(keys, k, start)
            ttnn.update_cache(values, v, start)
            mixed = ttnn.transformer.scaled_dot_product_attention_decode(
                ttnn.permute(q, (0, 2, 1, 3)), keys, values, cur_pos=[start],
                program_config=ttnn.SDPAProgramConfig(
                    compute_with_storage_grid_size=(8, 4), q_chunk_size=32, k_chunk_size=32))
        mixed = ttnn.reshape(mixed, (1, 1, count, model.width))
        y = ttnn.add(y, ttnn.linear(mixed, w["o"]))
        h = ttnn.rms_norm(y, weight=w["norm"], epsilon=1e-5)
        gate = ttnn.silu(ttnn.linear(h, w["gate"]))
        y = ttnn.add(y, ttnn.linear(ttnn.multiply(gate, ttnn.linear(h, w["up"])), w["down"]))
    return ttnn.to_torch(ttnn.linear(y, model.output[0])).float().reshape(count, model.words)


def llama(device, prompt=32, generated=8):
    """Prefill of a prompt, then one token after the other. What comes next is the reference's
    choice, so that each step can be compared."""
    model = Llama(device)
    tokens = torch.randint(0, model.words, (prompt,)).tolist()
    while len(tokens) < prompt + generated:
        tokens.append(int(model.reference(tokens)[-1].argmax()))
    reference = model.reference(tokens)

    def run():
        zeros = torch.zeros(1, model.groups, model.room, model.head)
        caches = [(model.on_device(zeros), model.on_device(zeros)) for _ in model.layers]
        steps = [llama_step(model, caches, tokens[:prompt], 0)]
        steps += [llama_step(model, caches, tokens[at:at + 1], at)
                  for at in range(prompt, len(tokens))]
        return steps

    return run, [reference[:prompt], *reference[prompt:].split(1)]


MODELS = {"mlp": (mlp, 0.999), "convnet": (convnet, 0.999), "encoder": (encoder, 0.998),
          "llama": (llama, 0.99)} # and the least correlation


def measure(name, device, repeat):
    torch.manual_seed(2026)
    make, bound = MODELS[name]
    run, reference = make(device)
    seconds, cpu = [], []
    for _ in range(repeat):
        began, before = time.monotonic(), resource.getrusage(resource.RUSAGE_SELF).ru_utime
        result = run()
        seconds.append(time.monotonic() - began)
        cpu.append(resource.getrusage(resource.RUSAGE_SELF).ru_utime - before)
    correlation = min(float(torch.corrcoef(torch.stack((a.flatten(), b.flatten())))[0, 1])
                      for a, b in zip(result, reference))
    error = max(float((a - b).abs().max() / b.std()) for a, b in zip(result, reference))
    return {"model": name, "correlation": round(correlation, 6), "error": round(error, 4),
            "seconds": round(min(seconds), 3), "cpu": round(min(cpu), 3), "right": correlation >= bound}


def main():
    parser = argparse.ArgumentParser(description="Small models in ttnn, compared with torch.")
    parser.add_argument("--list", action="store_true", help="print the names of the models")
    parser.add_argument("--repeat", type=int, default=2, help="runs of each model (2)")
    parser.add_argument("--json", help="file to which a line of JSON is added for each model")
    parser.add_argument("--name", default="device", help="what --json calls the device (device)")
    parser.add_argument("model", nargs="*", help="one of %s" % ", ".join(MODELS))
    options = parser.parse_args()
    if options.list:
        print("\n".join(MODELS))
        return 0
    unknown = [name for name in options.model if name not in MODELS]
    if unknown or options.repeat < 1:
        parser.error("no model %s; --list names them" % unknown[0] if unknown
                     else "--repeat is at least 1")
    right = True
    device = ttnn.open_device(device_id=0, l1_small_size=16384)
    try:
        for name in options.model or MODELS:
            result = measure(name, device, options.repeat)
            right = right and result["right"]
            print("%-8s correlation %.6f  largest error %.4f  %8.3f s  CPU %.3f s  %s" % (
                name, result["correlation"], result["error"], result["seconds"], result["cpu"],
                "right" if result["right"] else "WRONG"), flush=True)
            if options.json:
                with open(options.json, "a") as file:
                    print(json.dumps({"device": options.name, **result}), file=file)
    finally:
        ttnn.close_device(device)
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
