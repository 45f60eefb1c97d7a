"""Small models of Hugging Face with random weights, modules of which tt_symbiote moves to the device (see
programs.py). Compared with the same model in torch."""
import copy
import os
import tempfile

# tt_symbiote asks by this name which of its modules may run. Blackhole runs linear layers and ReLU; what it keeps for
# another system runs on one chip as well.
os.environ["MESH_DEVICE"] = os.environ.get("SYMBIOTE_DEVICE", "P150")

import torch
import transformers
import ttnn
from torch import nn

import programs
import tt_symbiote
from tt_symbiote.modules.ttnn_linear import TTNNLinear


def compare(model, modules, inputs, pick):
    """The largest difference of the two models' results, in standard deviations."""
    torch.manual_seed(1)
    model = model.eval().to(torch.bfloat16)
    with torch.no_grad():
        expected = pick(copy.deepcopy(model).float()(**inputs)).float()
    device = ttnn.open_device(device_id=0)
    try:
        moved = tt_symbiote.register_modules(model, modules) if modules else {}
        tt_symbiote.set_device(model, device)
        with torch.no_grad():
            made = pick(model(**inputs))
            made = torch.as_tensor(getattr(made, "to_torch", made)).float()
    finally:
        ttnn.close_device(device)
    return programs.difference(made, expected) / expected.std().item(), 0.15, f"{len(moved)} modules"


@programs.program
def bert(options):
    torch.manual_seed(1)
    config = transformers.BertConfig(vocab_size=1000, hidden_size=128, num_hidden_layers=2, num_attention_heads=4,
                                     intermediate_size=256, max_position_embeddings=64)
    tokens = torch.randint(0, 1000, (1, 32))
    return compare(transformers.BertModel(config), {nn.Linear: TTNNLinear}, {"input_ids": tokens},
                   lambda result: result.last_hidden_state)


@programs.program
def llama(options):
    torch.manual_seed(1)
    config = transformers.LlamaConfig(vocab_size=1000, hidden_size=128, num_hidden_layers=2, num_attention_heads=4,
                                      num_key_value_heads=2, intermediate_size=256, max_position_embeddings=64)
    tokens = torch.randint(0, 1000, (1, 32))
    return compare(transformers.LlamaForCausalLM(config), {nn.Linear: TTNNLinear},
                   {"input_ids": tokens, "use_cache": False}, lambda result: result.logits)


@programs.program
def resnet(options):
    """By tt_symbiote's own recipe: all of it on the device."""
    torch.manual_seed(1)
    config = transformers.ResNetConfig(embedding_size=32, hidden_sizes=[32, 64], depths=[1, 1], layer_type="basic",
                                       num_labels=32)
    plain = transformers.ResNetForImageClassification(config).eval()
    with tempfile.TemporaryDirectory() as folder:
        plain.save_pretrained(folder)
        model = tt_symbiote.AutoModelForImageClassification.from_pretrained(folder)
    pixels = torch.rand(1, 3, 64, 64)
    return compare(model, None, {"pixel_values": pixels}, lambda result: result.logits)


programs.main("Run small models through tt_symbiote.")
