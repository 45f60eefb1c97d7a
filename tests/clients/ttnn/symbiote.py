"""Small models of Hugging Face with random weights, modules of which tt_symbiote moves to the device (see
programs.py). Compared with the same model in torch."""
import copy
import os

# tt_symbiote asks by this name which of its modules may run: on a card of Blackhole, linear layers among others.
os.environ["MESH_DEVICE"] = "P150"

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
        moved = tt_symbiote.register_modules(model, modules)
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


programs.main("Run small models through tt_symbiote.")
