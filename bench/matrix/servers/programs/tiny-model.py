"""Writes a chat model that fits in half a megabyte to the given file: llama's shape with random weights, so its text is noise.

It is there to make a real engine work, at its own pace and with its own framing, without a download of gigabytes. Like a model
that was trained, it says no bytes that are no text, and goes on for long where nothing limits it.
"""

import sys

import gguf
import numpy

SEED = 1
CONTEXT, WIDTH, HEADS, BLOCKS, HIDDEN = 4096, 64, 4, 2, 128

SPECIAL = ["<unk>", "<s>", "</s>"]
BYTES = [f"<0x{byte:02X}>" for byte in range(256)]
LETTERS = ["▁"] + [chr(code) for code in range(ord("a"), ord("z") + 1)]
WORDS = [
    "▁" + word
    for word in (
        "the of and to in is you that it he was for on are as with his they at be this have from or one had by word "
        "but not what all were we when your can said there use an each which she do how their if will up other about "
        "out many then them these so some her would make like him into time has look two more write go see number no"
    ).split()[:68]
]

TEMPLATE = (
    "{% for message in messages %}<s>{{ message['role'] }}: {{ message['content'] }}</s>{% endfor %}"
    "{% if add_generation_prompt %}<s>assistant:{% endif %}"
)


def main(path: str) -> None:
    tokens = SPECIAL + BYTES + LETTERS + WORDS
    assert len(tokens) == len(set(tokens)) == 354, len(tokens)
    kind = gguf.TokenType
    kinds = [kind.UNKNOWN, kind.CONTROL, kind.CONTROL] + [kind.BYTE] * len(BYTES)
    kinds += [kind.NORMAL] * (len(tokens) - len(kinds))

    writer = gguf.GGUFWriter(path, "llama")
    writer.add_name("tiny")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(BLOCKS)
    writer.add_feed_forward_length(HIDDEN)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    writer.add_vocab_size(len(tokens))
    writer.add_file_type(gguf.LlamaFileType.ALL_F32)
    writer.add_tokenizer_model("llama")
    writer.add_token_list(tokens)
    writer.add_token_scores([-float(at) for at in range(len(tokens))])
    writer.add_token_types(kinds)
    writer.add_unk_token_id(0)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_chat_template(TEMPLATE)

    random = numpy.random.default_rng(SEED)

    def weights(*shape: int) -> numpy.ndarray:
        return random.normal(0, 0.3, shape).astype(numpy.float32)

    def add_norm(name: str) -> None:
        writer.add_tensor(name, numpy.ones(WIDTH, dtype=numpy.float32))

    # The first number of a state is the same everywhere: nothing reads or writes it but the output, where it makes a token
    # likely or not.
    embedding = weights(len(tokens), WIDTH) / 0.3
    embedding[:, 0] = 4
    writer.add_tensor("token_embd.weight", embedding)

    def add_reader(name: str, outputs: int) -> None:
        matrix = weights(outputs, WIDTH)
        matrix[:, 0] = 0
        writer.add_tensor(name, matrix)

    def add_writer(name: str, inputs: int) -> None:
        matrix = weights(WIDTH, inputs)
        matrix[0] = 0
        writer.add_tensor(name, matrix)

    for block in range(BLOCKS):
        add_norm(f"blk.{block}.attn_norm.weight")
        for part in ("attn_q", "attn_k", "attn_v"):
            add_reader(f"blk.{block}.{part}.weight", WIDTH)
        add_writer(f"blk.{block}.attn_output.weight", WIDTH)
        add_norm(f"blk.{block}.ffn_norm.weight")
        add_reader(f"blk.{block}.ffn_gate.weight", HIDDEN)
        add_reader(f"blk.{block}.ffn_up.weight", HIDDEN)
        add_writer(f"blk.{block}.ffn_down.weight", HIDDEN)
    add_norm("output_norm.weight")
    output = weights(len(tokens), WIDTH)
    output[:, 0] = 0
    output[tokens.index("</s>"), 0] = -1.5
    output[tokens.index("<0x80>") : tokens.index("<0xFF>") + 1, 0] = -50
    output[: tokens.index("</s>"), 0] = -50
    writer.add_tensor("output.weight", output)

    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


main(sys.argv[1])
