"""The encoding of a text is found: by marks, by structure, by what makes the text likeliest."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diagnose.collectors import text
from diagnose.evidence import Fact, Value

SAMPLES = {
    "ru": "Не удаётся найти указанный файл. Проверьте имя файла и повторите попытку, затем обратитесь к автору.",
    "uk": "Не вдається знайти вказаний файл. Перевірте ім'я файлу і повторіть спробу ще раз, будь ласка, ґаздо.",
    "el": "Δεν είναι δυνατή η εύρεση του αρχείου. Ελέγξτε το όνομα και προσπαθήστε ξανά.",
    "he": "המערכת אינה יכולה למצוא את הקובץ שצוין. בדוק את השם ונסה שוב.",
    "ar": "لا يمكن للنظام العثور على الملف المحدد. تحقق من الاسم وحاول مرة أخرى.",
    "th": "ระบบไม่พบไฟล์ที่ระบุ กรุณาตรวจสอบชื่อไฟล์แล้วลองใหม่อีกครั้ง",
    "de": "Das System kann die angegebene Datei nicht finden. Prüfen Sie die Größe und Zugehörigkeit für alle Geräte.",
    "fr": "Le système ne peut pas trouver le fichier spécifié. Vérifiez le nom, puis réessayez dès que possible.",
    "es": "El sistema no puede encontrar el archivo especificado. Falló la autentificación del año señalado.",
    "pl": "Nie można odnaleźć określonego pliku. Sprawdź nazwę i spróbuj ponownie, używając właściwej ścieżki.",
    "cs": "Systém nemůže nalézt uvedený soubor. Zkontrolujte prosím název a zkuste to znovu, příště lépe.",
    "hu": "A rendszer nem találja a megadott fájlt. Ellenőrizze a nevét, majd próbálja újra később, türelmes erővel.",
    "tr": "Sistem belirtilen dosyayı bulamıyor. Lütfen dosya adını denetleyin ve işlemi yeniden başlatın.",
    "lt": "Sistema neranda nurodyto failo. Patikrinkite pavadinimą ir bandykite dar kartą, prašome šį žingsnį.",
    "zh": "系统找不到指定的文件。请检查文件名是否正确，然后重试一次。",
    "zh-hant": "系統找不到指定的檔案。請檢查檔案名稱是否正確，然後再試一次。",
    "ja": "指定されたファイルが見つかりません。ファイル名を確認してから、もう一度やり直してください。",
    "ko": "지정된 파일을 찾을 수 없습니다. 파일 이름을 확인한 다음 다시 시도하십시오.",
}

LEGACY = [
    *(("ru", codec) for codec in ("cp1251", "koi8_r", "cp866", "iso8859_5", "mac_cyrillic", "cp855")),
    *(("uk", codec) for codec in ("cp1251", "koi8_u")),
    *(("el", codec) for codec in ("cp1253", "iso8859_7", "cp737")),
    *(("he", codec) for codec in ("cp1255", "iso8859_8", "cp862")),
    *(("ar", codec) for codec in ("cp1256", "iso8859_6")),
    *(("th", codec) for codec in ("tis_620", "cp874")),
    *((code, codec) for code in ("de", "fr", "es") for codec in ("cp1252", "cp850", "mac_roman")),
    *((code, codec) for code in ("pl", "cs", "hu") for codec in ("cp1250", "iso8859_2", "cp852")),
    *(("tr", codec) for codec in ("cp1254", "iso8859_9")),
    *(("lt", codec) for codec in ("cp1257", "iso8859_13")),
    *(("zh", codec) for codec in ("gb2312", "gbk", "gb18030", "hz", "utf-16-le", "utf-16-be")),
    *(("zh-hant", codec) for codec in ("big5", "cp950")),
    *(("ja", codec) for codec in ("shift_jis", "cp932", "euc_jp", "iso2022_jp", "utf-16-be")),
    *(("ko", codec) for codec in ("euc_kr", "cp949", "johab", "iso2022_kr", "utf-16-le")),
]


def facts_of(data: bytes, name: str = "a.txt") -> dict[str, Fact]:
    facts = text.collect(data, name)
    assert len({fact.name for fact in facts}) == len(facts)
    return {fact.name.removeprefix("text."): fact for fact in facts}


def value(data: bytes, fact: str, name: str = "a.txt") -> Value | None:
    found = facts_of(data, name).get(fact)
    return found.value if found else None


@pytest.mark.parametrize(("language", "codec"), LEGACY)
def test_encoding_found_decodes_to_the_text(language: str, codec: str) -> None:
    data = SAMPLES[language].encode(codec)
    assert data.decode(str(value(data, "encoding"))) == SAMPLES[language]


@pytest.mark.parametrize(("language", "codec"), LEGACY)
def test_encoding_is_found_in_markup_too(language: str, codec: str) -> None:
    page = f"<html><body class='page'>\n<p>{SAMPLES[language]}</p>\n<a href='index.html'>Home page</a></body></html>\n"
    data = page.encode(codec)
    assert data.decode(str(value(data, "encoding"))) == page


@pytest.mark.parametrize("language", SAMPLES)
@pytest.mark.parametrize("codec", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_unicode_forms_are_certain(language: str, codec: str) -> None:
    data = SAMPLES[language].encode(codec)
    assert value(data, "encoding") == codec
    assert value(data, "encoding_confidence") >= 0.98


@pytest.mark.parametrize(
    ("data", "encoding"),
    [
        (b"", "ascii"),
        (b"plain", "ascii"),
        ("hello, world".encode("utf-16-le"), "utf-16-le"),
        ("hello, world".encode("utf-16-be"), "utf-16-be"),
        ("hello, wörld".encode("utf-32-le"), "utf-32-le"),
        (codecs.BOM_UTF16_BE + "hé".encode("utf-16-be"), "utf-16"),
        ("People’s “choice” – naïve".encode("cp1252"), "cp1252"),
        ("naïve café".encode("latin-1"), "cp1252"),
        ("图像".encode("gbk"), "gb2312"),
        ("Größe".encode("latin-1"), "cp1252"),
    ],
)
def test_short_texts(data: bytes, encoding: str) -> None:
    assert value(data, "encoding") == encoding


def test_one_damaged_character_does_not_hide_the_encoding() -> None:
    damaged = bytearray((SAMPLES["zh"] * 20).encode("gbk"))
    damaged[41] = 0x20
    assert str(value(bytes(damaged), "encoding")).startswith("gb")


def test_damaged_utf_8_stays_utf_8() -> None:
    assert value((SAMPLES["ru"] * 3).encode() + b"\xff\xff" + SAMPLES["ru"].encode(), "encoding") == "utf-8"


def test_declared_encoding_is_named_even_where_it_lies() -> None:
    facts = facts_of(b'<?xml version="1.0" encoding="GB2312"?><a>' + "Größe für alle".encode() + b"</a>")
    assert facts["declared_encoding"].value == "gb2312"
    assert facts["declared_encoding"].where == "byte 30"
    assert facts["encoding"].value == "utf-8"


def test_doubtful_encoding_has_less_confidence_than_a_clear_one() -> None:
    doubtful, clear = "é".encode("latin-1"), (SAMPLES["ru"] * 3).encode("cp1251")
    assert value(doubtful, "encoding_confidence") < 0.9 < value(clear, "encoding_confidence")


@pytest.mark.parametrize(
    ("data", "binary"),
    [
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "png"),
        (bytes(100), "zeros"),
        (b"\x81\x03\x99\x00\x07\x01\x02\xfe" * 20, "unknown"),
        (b"\x80\x04\x95\x10\0\0\0\0\0\0\0}\x94.", "pickle"),
        (b"text with one \0 slip in it", None),
        ("text".encode("utf-16"), None),
        (SAMPLES["ja"].encode("utf-16-be"), None),
    ],
)
def test_binary_content_is_told_and_named(data: bytes, binary: str | None) -> None:
    fact = facts_of(data)["is_binary"]
    assert (fact.text if fact.value else None) == binary


@given(st.binary(max_size=400))
@settings(max_examples=300, deadline=2000)
def test_no_bytes_raise_and_any_encoding_found_is_one_of_python(data: bytes) -> None:
    found = value(data, "encoding", "a.json")
    assert found is None or codecs.lookup(str(found))


@given(st.text(min_size=1, max_size=60))
@settings(max_examples=200, deadline=2000)
def test_valid_utf_8_is_never_taken_for_something_that_reads_otherwise(content: str) -> None:
    data = content.encode("utf-8", "surrogatepass")
    facts = facts_of(data)
    if facts["valid_utf8"].value and not data.isascii() and "\0" not in content and "encoding" in facts:
        assert data.decode(str(facts["encoding"].value)) == content.removeprefix("\ufeff")
