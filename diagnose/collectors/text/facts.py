"""The facts on texts."""

from __future__ import annotations

from diagnose.evidence import FactSpec, Vocabulary

FACTS = Vocabulary(
    "text",
    FactSpec("text.encoding", "str", "Python codec that decodes the file to the right text, such as utf-8 or gbk"),
    FactSpec("text.encoding_confidence", "float", "how sure the encoding is, from 0 to 1"),
    FactSpec("text.declared_encoding", "str", "Python codec that the text declares: XML, HTML meta, Python's coding"),
    FactSpec("text.declared_unknown", "str", "label that the text declares as its encoding and that names none"),
    FactSpec("text.declaration_holds", "bool", "whether the text can be in the encoding that it declares"),
    FactSpec("text.bom", "str", "encoding whose byte order mark stands at the start"),
    FactSpec("text.valid_utf8", "bool", "whether the whole file is valid UTF-8"),
    FactSpec("text.first_invalid_utf8", "int", "offset of the first byte that is not UTF-8", "bytes"),
    FactSpec(
        "text.invalid_utf8_kind",
        "str",
        "why UTF-8 breaks there: cut-at-end, utf8-cut-in-middle, single-byte-legacy, multibyte-legacy, utf-16, binary, "
        "surrogate, overlong",
    ),
    FactSpec("text.contains_nul", "bool", "whether there is a zero byte"),
    FactSpec("text.zero_tail_bytes", "int", "zero bytes at the end; absent where there is none", "bytes"),
    FactSpec("text.newline", "str", "line ends: lf, crlf, cr or mixed; absent in a text of one line"),
    FactSpec("text.mojibake", "str", "what was read as what before the text was saved, proven by undoing it"),
    FactSpec("text.json_error", "str", "what is wrong in a file whose name says JSON, by RFC 8259"),
    FactSpec(
        "text.json_ambiguities",
        "strs",
        "what readers of valid JSON make different things of: duplicate-key, integer-beyond-double, "
        "number-out-of-range, lone-surrogate, deep-nesting",
    ),
    FactSpec("text.yaml_error", "str", "what is wrong in a file whose name says YAML, by libyaml's parser"),
    FactSpec("text.syntax_ends_early", "bool", "whether the error in JSON or YAML is that the text ends too early"),
    FactSpec("text.cp1252_quotes", "bool", "whether quotes or dashes of Windows-1252 make the file invalid as UTF-8"),
    FactSpec("text.is_binary", "bool", "whether the content is no text; the format stands in the fact's text"),
)
