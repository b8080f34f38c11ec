"""Writes a chat model of half a megabyte to the given folder: llama's shape with random weights, so its text is noise.

It makes a real engine work, at its own pace and with its own framing, without a download of gigabytes. It says only letters and
spaces, and goes on for long where nothing limits it.
"""

import json
import string
import sys
from pathlib import Path

import mlx.core as mx
from tokenizers import Tokenizer, decoders, models, pre_tokenizers

CONTEXT, WIDTH, HEADS, BLOCKS, HIDDEN = 4096, 64, 4, 2, 128
SPECIAL = ["<unk>", "<s>", "</s>"]
SPACE = "Ġ"
TEMPLATE = (
    "{% for message in messages %}<s>{{ message['role'] }}: {{ message['content'] }}</s>{% endfor %}"
    "{% if add_generation_prompt %}<s>assistant:{% endif %}"
)


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    tokens = SPECIAL + sorted(pre_tokenizers.ByteLevel.alphabet())
    write_tokenizer(folder, tokens)
    config = {
        "model_type": "llama",
        "architectures": ["LlamaForCausalLM"],
        "hidden_size": WIDTH,
        "num_hidden_layers": BLOCKS,
        "intermediate_size": HIDDEN,
        "num_attention_heads": HEADS,
        "num_key_value_heads": HEADS,
        "rms_norm_eps": 1e-5,
        "vocab_size": len(tokens),
        "max_position_embeddings": CONTEXT,
        "rope_theta": 10000.0,
        "tie_word_embeddings": False,
        "bos_token_id": 1,
        "eos_token_id": 2,
    }
    (folder / "config.json").write_text(json.dumps(config))
    mx.save_safetensors(str(folder / "model.safetensors"), weights_of(tokens), metadata={"format": "mlx"})


def write_tokenizer(folder: Path, tokens: list[str]) -> None:
    """Every byte is a token."""
    tokenizer = Tokenizer(models.BPE(vocab={token: at for at, token in enumerate(tokens)}, merges=[], unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens(SPECIAL)
    tokenizer.save(str(folder / "tokenizer.json"))
    config = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "unk_token": "<unk>",
        "bos_token": "<s>",
        "eos_token": "</s>",
        "model_max_length": CONTEXT,
        "chat_template": TEMPLATE,
        "clean_up_tokenization_spaces": False,
    }
    (folder / "tokenizer_config.json").write_text(json.dumps(config))


def weights_of(tokens: list[str]) -> dict[str, mx.array]:
    mx.random.seed(1)
    weights = {
        "model.embed_tokens.weight": mx.random.normal((len(tokens), WIDTH)),
        "model.norm.weight": mx.ones((WIDTH,)),
    }
    shapes = {
        **{f"self_attn.{name}_proj": (WIDTH, WIDTH) for name in "qkvo"},
        "mlp.gate_proj": (HIDDEN, WIDTH),
        "mlp.up_proj": (HIDDEN, WIDTH),
        "mlp.down_proj": (WIDTH, HIDDEN),
    }
    for block in range(BLOCKS):
        own = f"model.layers.{block}."
        for name, shape in shapes.items():
            weights[f"{own}{name}.weight"] = mx.random.normal(shape) * 0.1
        for name in ("input_layernorm", "post_attention_layernorm"):
            weights[f"{own}{name}.weight"] = mx.ones((WIDTH,))
    # What has no weight is never said.
    said = mx.array([[1.0 if token in string.ascii_lowercase + SPACE else 0.0] for token in tokens])
    weights["lm_head.weight"] = mx.random.normal((len(tokens), WIDTH)) * said
    return weights


if __name__ == "__main__":
    main(Path(sys.argv[1]))
