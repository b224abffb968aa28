# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small models of many families of transformers, of two layers each and with random weights:
FAMILIES[name](full) is a module of one input, as models.MODELS has them. There is one size of each.
"""

import transformers

import models

BASE = {"vocab_size": models.VOCABULARY, "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4,
        "intermediate_size": 96}
GROUPED = BASE | {"num_key_value_heads": 2}
WIDE = GROUPED | {"head_dim": 16}
# GPT-2's names of the same.
OLDER = {"vocab_size": models.VOCABULARY, "n_embd": 64, "n_layer": 2, "n_head": 4, "n_positions": 64}
SHORT = {"vocab_size": models.VOCABULARY, "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4}
ENDS = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}

# The class of each, and what its configuration has.
ENCODERS = {
    "Albert": BASE | {"embedding_size": 32},
    "DebertaV2": BASE | {"relative_attention": True, "pos_att_type": ["c2p", "p2c"], "position_buckets": 16},
    "DistilBert": {"vocab_size": models.VOCABULARY, "dim": 64, "n_layers": 2, "n_heads": 4, "hidden_dim": 96},
    "Electra": BASE,
    "Esm": BASE | {"pad_token_id": 1, "mask_token_id": 2, "position_embedding_type": "rotary"},
    "MPNet": BASE,
    "ModernBert": BASE | ENDS | {"cls_token_id": 1, "sep_token_id": 2, "local_attention": 8, "reference_compile": False},
    "RoFormer": BASE,
    "Roberta": BASE,
    "T5Encoder": {"vocab_size": models.VOCABULARY, "d_model": 64, "num_layers": 2, "num_heads": 4, "d_kv": 16, "d_ff": 96},
}
DECODERS = {
    "Bloom": {"vocab_size": models.VOCABULARY, "hidden_size": 64, "n_layer": 2, "n_head": 4},
    "Cohere": GROUPED,
    "Falcon": SHORT,
    "GPTJ": OLDER | {"rotary_dim": 8},
    "GPTNeo": {"vocab_size": models.VOCABULARY, "hidden_size": 64, "num_layers": 2, "num_heads": 4, "window_size": 4,
               "attention_types": [[["global", "local"], 1]], "max_position_embeddings": 64},
    "GPTNeoX": BASE,
    "Gemma": WIDE | {"num_key_value_heads": 1},
    "Gemma2": WIDE | {"sliding_window": 6, "attn_implementation": "eager"},
    "Gemma3": WIDE | {"sliding_window": 6},
    "Granite": GROUPED,
    "Mistral": GROUPED | {"sliding_window": 5},
    "Mixtral": GROUPED | {"num_local_experts": 4, "num_experts_per_tok": 2, "experts_implementation": "batched_mm"},
    "OPT": SHORT | {"ffn_dim": 96, "word_embed_proj_dim": 64, "max_position_embeddings": 64},
    "Olmo2": GROUPED,
    "Phi": BASE,
    "Phi3": GROUPED | ENDS,
    "Qwen2": GROUPED,
    "Qwen3": WIDE,
    "StableLm": GROUPED,
    "Starcoder2": GROUPED,
}


def family(name, options, head):
    def make(full):
        configuration = {"T5Encoder": "T5", "Gemma3": "Gemma3Text"}.get(name, name) + "Config"
        config = getattr(transformers, configuration)(**options)
        if hasattr(config, "use_cache"):
            config.use_cache = False
        return models.Words(getattr(transformers, name + head)(config))

    return make


FAMILIES = {name.lower(): family(name, options, "Model") for name, options in ENCODERS.items()}
FAMILIES |= {name.lower(): family(name, options, "ForCausalLM")
             for name, options in DECODERS.items()}
