"""The facts that are computed from other facts."""

from __future__ import annotations

from diagnose.evidence import FactSpec, Vocabulary

FACTS = Vocabulary(
    "derived",
    # --- memory of language models
    FactSpec("derived.kv_bytes_per_token", "int", "what one token takes in the KV cache of all layers", "bytes"),
    FactSpec("derived.kv_bytes", "int", "the KV cache of the context that the log states", "bytes"),
    FactSpec("derived.compute_buffer_bytes", "int", "attention scores of a micro-batch", "bytes"),
    FactSpec("derived.failed_buffer", "str", "which buffer failed, by its size: kv, compute, weights, unknown"),
    FactSpec("derived.largest_context_that_fits", "int", "longest context that fits beside the weights", "tokens"),
    FactSpec("derived.layers_that_fit", "int", "layers that fit on the device with their share of the KV cache"),
    FactSpec(
        "derived.torch_shortage",
        "str",
        "what the figures of PyTorch's message say: beyond-device, held-elsewhere, in-pieces, full, unknown",
    ),
    # --- weights
    FactSpec("derived.weight_bytes", "int", "size of the model's weights", "bytes"),
    FactSpec("derived.bits_per_weight", "float", "bits that a weight takes on average", "bits"),
    FactSpec("derived.largest_file_type_that_fits", "str", "largest common GGUF type whose file fits into the memory"),
    FactSpec("derived.decode_gigabytes_per_s", "float", "weights read by decode; not of a mixture of experts", "GB/s"),
    # --- speed
    FactSpec("derived.prefill_tokens_per_second", "float", "speed of prefill, of prompts of 100 tokens on", "tokens/s"),
    FactSpec("derived.decode_tokens_per_second", "float", "speed of generation", "tokens/s"),
    FactSpec("derived.prefill_to_decode_ratio", "float", "how many times faster prefill is than decode"),
    FactSpec("derived.time_to_first_token_s", "float", "time until the first token", "seconds"),
    FactSpec("derived.decode_ms_per_token", "float", "time of each further token", "ms"),
    FactSpec("derived.load_s", "float", "time to load the model", "seconds"),
    FactSpec("derived.decode_slowdown", "float", "how many times slower decode is at the longest length"),
    FactSpec("derived.decode_slowdown_expected", "float", "the part of it that reading the KV cache explains"),
    FactSpec("derived.decode_slowdown_unexplained", "float", "the slow-down divided by the expected one"),
    FactSpec("derived.decode_slows_with_length", "bool", "whether decode gets 1.5 times slower or more"),
    # --- text
    FactSpec("derived.transcript_repeats", "int", "how often one text follows itself in the segments of a transcript"),
    # --- sizes
    FactSpec("derived.bytes_missing", "int", "bytes of a transfer that did not come", "bytes"),
    FactSpec("derived.bytes_share", "float", "share of a transfer that came"),
    FactSpec("derived.cut_at_block_bytes", "int", "largest power of two, from 4096, that divides what came", "bytes"),
    FactSpec("derived.absurd_size", "str", "why an allocation's size can be none: negative, float-bits, too-large"),
    FactSpec("derived.allocation_share", "float", "what was asked for, as a share of the GPU's memory"),
    FactSpec("derived.tensor_bytes", "int", "size of a tensor whose shape is stated", "bytes"),
    FactSpec("derived.tensor_batch", "int", "first dimension of a tensor whose shape is stated"),
    FactSpec("derived.frame_pixels", "int", "width x height of a picture", "pixels"),
    FactSpec("derived.frame_longest_side", "int", "the longer side of a picture", "pixels"),
    FactSpec("derived.frame_sides_odd", "bool", "whether a side of a picture is an odd number of pixels"),
    FactSpec("derived.frame_macroblocks", "int", "blocks of 16 x 16 pixels that cover a picture"),
    FactSpec("derived.contiguous_bytes", "int", "contiguous memory that the kernel was asked for", "bytes"),
    # --- codes
    FactSpec("derived.exit_signal", "str", "signal that ended a process, by its exit code (SIGKILL)"),
    FactSpec("derived.exit_status", "str", "Windows exception that ended a process (STATUS_ACCESS_VIOLATION)"),
    FactSpec("derived.errno", "str", "name of an error number (ENOMEM)"),
    FactSpec("derived.averror", "str", "name of an FFmpeg error code (AVERROR_INVALIDDATA)"),
    FactSpec(
        "derived.http_status_class",
        "str",
        "what an HTTP or RTSP status means: redirect, missing, forbidden, no-credentials, too-many, server ...",
    ),
)  # fmt: skip
