"""Writes a chat model of half a megabyte to the given folder: llama's shape with random weights, so its text is noise.

It makes a real engine work, at its own pace and with its own framing, without a download of gigabytes. It says only ASCII
characters and spaces, and goes on for long where nothing limits it.
"""

import sys

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

CONTEXT, WIDTH, HEADS, BLOCKS, HIDDEN = 4096, 64, 2, 2, 128
SPECIAL = ["<s>", "</s>"]
SPACE = "Ġ"
TEMPLATE = (
    "{% for message in messages %}<s>{{ message['role'] }}: {{ message['content'] }}</s>{% endfor %}"
    "{% if add_generation_prompt %}<s>assistant:{% endif %}"
)


def main(folder: str) -> None:
    tokens = SPECIAL + sorted(pre_tokenizers.ByteLevel.alphabet())
    write_tokenizer(folder, tokens)
    torch.manual_seed(1)
    model = LlamaForCausalLM(
        LlamaConfig(
            vocab_size=len(tokens),
            hidden_size=WIDTH,
            intermediate_size=HIDDEN,
            num_hidden_layers=BLOCKS,
            num_attention_heads=HEADS,
            num_key_value_heads=HEADS,
            head_dim=WIDTH // HEADS,
            max_position_embeddings=CONTEXT,
            bos_token_id=0,
            eos_token_id=1,
            tie_word_embeddings=False,
            initializer_range=0.3,
        )
    ).float()
    with torch.no_grad():
        keep_apart(model)
        output = model.lm_head.weight
        output[:, 0] = 0
        output[[at for at, token in enumerate(tokens) if not is_said(token)], 0] = -50
        output[tokens.index("</s>"), 0] = -1.5
    model.save_pretrained(folder)


def is_said(token: str) -> bool:
    return token == SPACE or (len(token) == 1 and "!" <= token <= "~")


def keep_apart(model: LlamaForCausalLM) -> None:
    """The first number of a state is the same everywhere: nothing reads or writes it but the output, where it makes a token likely or not."""
    model.model.embed_tokens.weight[:, 0] = 4
    for block in model.model.layers:
        attention, network = block.self_attn, block.mlp
        for writer in (attention.o_proj, network.down_proj):
            writer.weight[0] = 0
        for reader in (attention.q_proj, attention.k_proj, attention.v_proj, network.gate_proj, network.up_proj):
            reader.weight[:, 0] = 0


def write_tokenizer(folder: str, tokens: list[str]) -> None:
    tokenizer = Tokenizer(models.BPE(vocab={token: at for at, token in enumerate(tokens)}, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens(SPECIAL)
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, bos_token="<s>", eos_token="</s>", model_max_length=CONTEXT
    )
    fast.chat_template = TEMPLATE
    fast.save_pretrained(folder)


main(sys.argv[1])
