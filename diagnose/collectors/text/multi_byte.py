"""East Asian encodings of two and more bytes: which of them decodes to characters that are frequent in its language."""

from __future__ import annotations

import codecs
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache

from diagnose.collectors.text.languages import language
from diagnose.collectors.text.single_byte import Candidate

_SIMPLIFIED = (
    "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家种事成方多经么"
    "去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实日军者意无力它与长把机十民第公此已工使情明性知全三又"
    "关点正业外将两高间由问很最重并物手应战向头文体政美相见被利什二等产或新己制身果加西斯月话合回特代内信表化老给世位次度门任常先海"
)
_TRADITIONAL = (
    "的一是不了在人有我他這個們中來上大為和國地到以說時要就出會可也你對生能而子那得於著下自之年過發後作裡用道行所然家種事成方多經麼"
    "去法學如都同現當沒動面起看定天分還進好小部其些主樣理心她本前開但因只從想實日軍者意無力它與長把機十民第公此已工使情明性知全三又"
    "關點正業外將兩高間由問很最重並物手應戰向頭文體政美相見被利什二等產或新己制身果加西斯月話合回特代內信表化老給世位次度門任常先海"
)
_SYLLABLES = (
    "이다는을의에가고한로를지하사기은들도서인어리자대그나시정있과으해아일수라만장보제부스적전마구여것원조안상게동면관중주성소미신국경"
    "공실위유연니우오화비개진세생요문할던까러트때력학산말터용했임방내된되발선행분회재계입물민간명않었습"
)
_KANJI = (
    "日一国人年大十二本中長出三時行見月後前生五間上東四今金九入学高円子外八六下来気小七山"
    "話女北午百書先名川千水半男西電校語土木"
)

_PUNCTUATION = "、。，．・：；？！「」『』（）《》〈〉【】“”‘’…—～〜　－"

_FULL_WIDTH = "".join(map(chr, range(0xFF01, 0xFF5F)))
_HIRAGANA, _KATAKANA = "".join(map(chr, range(0x3041, 0x3094))), "".join(map(chr, range(0x30A1, 0x30FD)))
_HALF_KATAKANA = "".join(map(chr, range(0xFF61, 0xFFA0)))

_DRAWN = -10.0
_TOP, _COMMON, _RARE, _UNLIKELY, _STRANGE = -5.5, -8.9, -12.6, -15.0, -17.0
"""Logarithms of the probability of a character: one of the most frequent, of the standard's first level, of its second,
of its extensions, and of another script."""


def rank_east_asian(sample: bytes, *, is_whole: bool) -> Iterator[Candidate]:
    """Each East Asian family in which the sample is valid, or nearly so, with a score comparable to code pages'.

    `is_whole` says that the sample is all there is, so that a character cut at its end speaks against the encoding.
    """
    for encodings, model, prior in _FAMILIES:
        for encoding in encodings:
            text = decode_start(sample, encoding, strict=encoding != encodings[-1])
            if text is not None:
                cut = _CUT if is_whole and not _ends_well(sample, encoding) else 0
                yield Candidate(encodings, prior + cut + score_characters(text, model), text)
                break


def decode_start(data: bytes, encoding: str, *, strict: bool) -> str | None:
    """The text of data that may end within a character, or None where it is not valid.

    Unless `strict`, up to one replacement character and one more in fifty are borne, as in a damaged file.
    """
    try:
        text = codecs.getincrementaldecoder(encoding)("strict" if strict else "replace").decode(data)
    except UnicodeDecodeError:
        return None
    return text if strict or text.count("\ufffd") <= 1 + len(text) // _BORNE_ONE_IN else None


_BORNE_ONE_IN = 50
_CUT = -12.0


def _ends_well(sample: bytes, encoding: str) -> bool:
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    decoder.decode(sample)
    return not decoder.getstate()[0]


def score_characters(text: str, model: str) -> float:
    """Logarithm of the probability of all characters that are not ASCII, and of the ASCII words that touch them."""
    costs = _model(model)
    score = sum(
        count * costs.get(char, _cost_of_stranger(char)) for char, count in Counter(text).items() if char > "\x7f"
    )
    english = language("en").cost
    score += sum(english(word) * count for word, count in Counter(_TOUCHING.findall(text)).items())
    return score + _ENCLOSED * len(_LONELY.findall(text))


_TOUCHING = re.compile(r"(?<=[^\x00-\x7f])[A-Za-z]+|[A-Za-z]+(?=[^\x00-\x7f])")
_LONELY = re.compile(r"(?<=[A-Za-z])[^\x00-\x7f](?=[A-Za-z])")
_ENCLOSED = -6.0
"""A single character between Latin letters is rather a letter of theirs in a code page."""

_FAMILIES: tuple[tuple[tuple[str, ...], str, float], ...] = (
    (("gb2312", "gbk"), "zh-hans", 0),
    (("gb18030",), "zh-hans", -3),
    (("big5", "cp950", "big5hkscs"), "zh-hant", 0),
    (("shift_jis", "cp932"), "ja", 0),
    (("shift_jis_2004",), "ja", -12),
    (("euc_jp",), "ja", 0),
    (("euc_jis_2004",), "ja", -12),
    (("euc_kr", "cp949"), "ko", 0),
    (("johab",), "ko", -10),
)
"""The codecs of a family, the narrowest first, the language model, and the logarithm of how much rarer it is."""


EAST_ASIAN_ENCODINGS = frozenset(encoding for encodings, _, _ in _FAMILIES for encoding in encodings)


@cache
def _model(name: str) -> dict[str, float]:
    punctuation = dict.fromkeys(_FULL_WIDTH, -9.0) | dict.fromkeys(_PUNCTUATION, -5.5)
    if name == "zh-hans":
        return _levels("gb2312", 0xB0, 0xD7, 0xF7) | dict.fromkeys(_SIMPLIFIED, _TOP) | punctuation
    if name == "zh-hant":
        return _levels("big5", 0xA4, 0xC6, 0xF9) | dict.fromkeys(_TRADITIONAL, _TOP) | punctuation
    if name == "ja":
        kana = dict.fromkeys(_HIRAGANA, -4.8) | dict.fromkeys(_KATAKANA, -6.2) | dict.fromkeys(_HALF_KATAKANA, -10.0)
        return _levels("euc_jp", 0xB0, 0xCF, 0xF4) | dict.fromkeys(_KANJI, -7.0) | kana | punctuation
    syllables = _levels("euc_kr", 0xB0, 0xC8, 0xC8) | dict.fromkeys(_SYLLABLES, _TOP)
    return syllables | dict.fromkeys(_levels("euc_kr", 0xCA, 0xFD, 0xFD), _RARE - 1) | punctuation


def _levels(codec: str, first: int, last_common: int, last: int) -> dict[str, float]:
    """The characters of a standard by lead byte: its first level is common, its second rare."""
    costs: dict[str, float] = {}
    for lead in range(first, last + 1):
        row = b"".join(
            bytes((lead, trail))
            for trail in (*range(0x40, 0x7F), *range(0xA1, 0xFF))
            if codec == "big5" or trail > 0xA0
        )
        costs |= dict.fromkeys(row.decode(codec, "ignore"), _COMMON if lead <= last_common else _RARE)
    return costs


def _cost_of_stranger(char: str) -> float:
    if "\u2500" <= char <= "\u25ff":
        return _DRAWN
    if "\uac00" <= char <= "\ud7a3":
        return _RARE
    return _UNLIKELY if "\u3400" <= char <= "\u9fff" else _STRANGE
