"""The tokenizer and sentence splitter: examples in many languages, properties on any text, and growth."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coindex.text.character_classes import GHOSTS, shape_of
from coindex.text.tokenizer import _token_pattern, segment


def lines(text: str, language: str | None = None) -> list[str]:
    """Sentences as lines, tokens with a bar between."""
    return ["|".join(text[start:end] for start, end in spans) for spans in segment(text, language=language)]


def line(text: str, language: str | None = None) -> str:
    """The one sentence of a text."""
    (only,) = lines(text, language)
    return only


# --- tokens -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("code", [None, "en", "fi", "fr", "nl"])
def test_no_repeated_group_is_possessive(code: str | None) -> None:
    """Python 3.11.2, which is Debian's, goes on at the wrong place after one."""
    pattern = _token_pattern(code).pattern.replace("(?P=same)", "")
    assert not re.findall(r".{20}\)(?:[*+?]|\{[0-9,]+\})\+", pattern)


@pytest.mark.parametrize(
    "cut",
    [
        "I do|n't know|, I ca|n't say|.",
        "You can|not and CAN|NOT go",
        "It is|n’t John|’s",
        "I|'m sure they|'re late and we|'ll wait|, she|'d|'ve left",
        "the dogs|' bowls and James|'s cat",
        "We|'re gon|na leave|, got|ta run|, let|'s go",
        "'t|was late|, tell 'em|, y'|all",
        "five o'clock|, ma'am|, O'Brien said",
        "the '90s and the 1930's",
        '"|Yes|,|" he said|, “|no|” and ‘|maybe|’',
        "``|Yes|'' she wrote",
        "a well-known 63-year-old editor-in-chief",
        "pre- and post-war years",
        "He came|—|late|--|and left – early",
        "It cost $|1,000.50|, not €|3.14 or US$|5",
        "10:30|, 1/2|, 5/1/2014|, 2014-05-01|, -5|, .5",
        "up 10|% in 5|km at 3|pm (|1990|–|2000|)",
        "the 1st|, 20th and 1990s",
        "see https://example.org/a_(b)?q=1#top|, www.example.com|, example.org/x|.",
        "write to jane.doe+x@mail.example.org|!",
        "#coref by @some_one|, item #|1",
        "the U.S. and e.g. Ph.D. students|, i.e. J.-P. too",
        "Mr. Lee|, Mrs. Ray and Dr. St. John",
        "J. R. R. Tolkien and C.S. Lewis",
        "Wait|... what|… no|!!! really|?! ---",
        "[|(|a|)|] {|b|}|; c|: do|/|it",
        "and|/|or|, s/he|, 100 km/h",
        "AT&T and R&D in snake_case _|italic|_",
        "nice :-) and ;P <3",
        "👩‍👩‍👧|🇩🇪|🇫🇷 👍🏽 ❤️|🏴󠁧󠁢󠁥󠁮󠁧󠁿",
    ],
)
def test_english(cut: str) -> None:
    text, expected = cut.replace("|", ""), cut.replace(" ", "|")
    assert line(text) == line(text, "en") == expected


def test_a_comma_between_digits_is_a_decimal_sign_outside_english() -> None:
    assert line("3,5", "de") == "3,5"
    assert line("1,2,3", "en") == "1|,|2|,|3"
    assert line("1,234", "en") == "1,234"


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("fr", "L'homme d'aujourd'hui qu’il n'aime", "L'|homme|d'|aujourd'hui|qu’|il|n'|aime"),
        ("fr", "A-t-il dit : vas-y, prends-la", "A|-t|-il|dit|:|vas|-y|,|prends|-la"),
        ("fr", "le rendez-vous, quelqu'un, grand-mère", "le|rendez-vous|,|quelqu'un|,|grand-mère"),
        ("it", "L'uomo dell'arte c'è un po' stanco", "L'|uomo|dell'|arte|c'|è|un|po'|stanco"),
        ("ca", "L'home se n'anava a veure'l, col·lega", "L'|home|se|n'|anava|a|veure|'l|,|col·lega"),
        ("pt", "Ela disse-me que o guarda-chuva", "Ela|disse|-me|que|o|guarda-chuva"),
        ("es", "¡No, del todo!", "¡|No|,|del|todo|!"),
        ("nl", "'s avonds at z'n vader foto's", "'s|avonds|at|z'n|vader|foto's"),
        ("nl", "In 's-Gravenhage zei-ie 't", "In|'s-Gravenhage|zei|-ie|'t"),
        ("de", "Wie geht's? ein- und auszahlen", "Wie|geht|'s|?|ein-|und|auszahlen"),
        ("tr", "Ankara'da yaşıyor", "Ankara'da|yaşıyor"),
        ("uk", "п'ять об'єктів", "п'ять|об'єктів"),
        ("fi", "EU:n jäsen", "EU:n|jäsen"),
        ("he", 'צה"ל אמר: "כן"', 'צה"ל|אמר|:|"|כן|"'),
        ("ar", "قال: «نعم»، ثم ذهب؛ ١٢٫٥", "قال|:|«|نعم|»|،|ثم|ذهب|؛|١٢٫٥"),
        ("hi", "किताबें पढ़ीं", "किताबें|पढ़ीं"),
        ("fa", "می\u200cروم خانه", "می\u200cروم|خانه"),
        ("zh", "我们在2014年，去北京", "我|们|在|2014|年|，|去|北|京"),
        ("ja", "コーヒーを飲んだ人々、ﾃｽﾄ", "コーヒー|を|飲|んだ|人|々|、|ﾃｽﾄ"),
        ("ko", "나는 학교에 갔다.", "나는|학교에|갔다|."),
        ("th", "ฉันรัก\u200bภาษา ไทย", "ฉันรัก|ภาษา|ไทย"),
        ("bo", "བོད་སྐད", "བོད་|སྐད"),
        ("hy", "Ի՞նչ", "Ի՞նչ"),
        ("en", "cafe\u0301-bar re\u0301sume\u0301's", "cafe\u0301-bar|re\u0301sume\u0301|'s"),
    ],
)
def test_other_languages(language: str, text: str, expected: str) -> None:
    assert line(text, language) == expected


def test_a_region_does_not_matter_and_an_unknown_language_has_no_clitics() -> None:
    assert line("disse-me", "pt-BR") == line("disse-me", "pt_PT") == "disse|-me"
    assert line("don't", "EN-us") == "do|n't"
    assert line("don't l'homme", "xx") == "don't|l'homme"


# --- sentences --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("language", "sentences"),
    [
        (None, ["He left.", "She stayed!", "Did he?", "Well…", "It was 1990.", "12 men came."]),
        (
            None,
            ['"Really?" he asked.', '"Go!" I cried.', '"Stop!" John said.', "(He left.)", "“Why?”", "‘No.’"],
        ),
        (None, ["Mr. Smith met Dr. J. R. Jones, etc. and left.", "He saw No. 5 vs. No. 6."]),
        (None, ["I live in the U.S. President Lee does not.", "I live in the U.S.", "He does not."]),
        (None, ["We met at 5 p.m. Monday.", "We left at 6 p.m.", "The rest stayed."]),
        (None, ["So do I.", "He said no.", "Five came.", "They got a C.", "The next was B."]),
        (None, ["1. Open the box.", "2. Close it.", "iPhones cost 3.5 times more."]),
        (None, ["It was founded in 1990.[3][4]", "It closed in 2000. [5]", "Now it is a shop."]),
        (None, ["Great job! 😀", "See you... maybe not.", "Wow!!!", "#yes"]),
        (None, ["i went home.", "then i slept!", "it was late"]),
        (
            "de",
            ["Am 3. Mai kam z. B. Herr Dr. Kohl, d. h. Nr. 5.", "Er blieb bis 1990.", "Dann ging er usw."],
        ),
        ("de", ["Ludwig XIV. regierte im 17. Jahrhundert.", "Das 2. Kapitel fehlt."]),
        ("cs", ["Dne 3. května přišel např. prof. Novák.", "Pak odešel atd.", "Bylo to v r. 1990."]),
        ("hu", ["A II. világháború 1945. május 8-án ért véget.", "IV. Henrik, ill. a pápa stb.", "Ez jó."]),
        ("ru", ["В 1990 г. Россия, т. е. страна, и т.д.", "Он жил на ул. Мира.", "«Да!» — сказал он."]),
        ("es", ["¿Vienes?", "¡Claro!", "El Sr. Pérez vive en la pág. 3.", "—No —dijo."]),
        ("fr", ["M. Dupont est là.", "« Vraiment ? » dit-il.", "Mme Curie aussi."]),
        ("nl", ["Dhr. Jansen kwam bijv. om 5 uur.", "'s Avonds ging hij."]),
        ("el", ["Τι κάνεις;", "Καλά είμαι."]),
        ("hi", ["राम घर गया।", "डॉ. वर्मा आए।", "क्या वह आया?", "हाँ।"]),
        ("ar", ["هل جاء؟", "نعم، جاء.", "ثم ذهب."]),
        ("he", ["הוא הלך.", '"באמת?" הוא שאל.']),
        ("ur", ["وہ گیا۔", "میں آیا۔"]),
        ("hy", ["Նա գնաց։", "Ես մնացի։"]),
        ("am", ["ሰላም ነው።", "እሺ።"]),
        ("ka", ["ის წავიდა.", "NATO კი დარჩა."]),
        ("my", ["သူသွားသည်။", "ငါလာသည်။"]),
    ],
)
def test_sentences(language: str | None, sentences: list[str]) -> None:
    text = " ".join(sentences)
    found = [text[spans[0][0] : spans[-1][1]] for spans in segment(text, language=language)]
    assert found == sentences


@pytest.mark.parametrize(
    "sentences",
    [
        ["我走了。", "你呢？", "好！"],
        ["他问：“你好吗？”我没说话。", "（完。）", "下一句"],
        ["「本当？」と彼は聞いた。", "『はい。』と答えた。", "私は行く！？", "うん｡"],
        ["राम गया।", "वह आया॥"],
    ],
)
def test_full_stops_without_a_following_space(sentences: list[str]) -> None:
    text = "".join(sentences)
    assert [text[spans[0][0] : spans[-1][1]] for spans in segment(text)] == sentences


def test_abbreviations_keep_their_dots_but_not_in_czech() -> None:
    assert line("Am 3. Mai, Nr. 5 usw.", "de") == "Am|3.|Mai|,|Nr.|5|usw."
    assert line("Dne 3. května např. v č. 5", "cs") == "Dne|3|.|května|např|.|v|č|.|5"
    assert line("vitamin C.") == "vitamin|C|."


def test_lines_and_paragraphs() -> None:
    assert lines("A hard\nwrapped line.\r\nNext one") == ["A|hard|wrapped|line|.", "Next|one"]
    assert lines("Title\n\nmore text\n \t\nand more") == ["Title", "more|text", "and|more"]
    assert lines("Title\r\n\r\nmore\u2029even more\r\rend") == ["Title", "more", "even|more", "end"]
    assert lines("Buy:\n- milk\n• bread\n* tea\n-5 degrees") == ["Buy|:", "-|milk", "•|bread", "*|tea", "-5|degrees"]


def test_tokenized_text_stays_as_it_is() -> None:
    assert lines("`` He 's here . '' They do n't know .") == ["``|He|'s|here|.|''", "They|do|n't|know|."]


# --- any text ---------------------------------------------------------------------------------------------

NASTY = "\x00\ud800\ufeff\u200b\u200d\u200f\u00ad\u0301\u2029\U0010ffff'’\"“.!?…。- \n\r\tabMr1,:/@#&_*(あ一ア☺🇩ªש।"
TEXTS = st.one_of(
    st.text(alphabet=st.characters(exclude_categories=())),
    st.text(alphabet=NASTY),
    st.lists(st.sampled_from(["Mr", "don't", "3", "http://a", "z", ".", " ", "\n\n", "'", "-", "(", "A"])).map("".join),
)
LANGUAGES = st.sampled_from([None, "en", "de", "fr", "it", "ca", "nl", "pt", "cs", "hu", "ru", "el", "fi", "xx"])


def is_blank(text: str) -> bool:
    """Whether there is nothing to be seen."""
    return all(char.isspace() or char in GHOSTS for char in text)


@given(TEXTS, LANGUAGES)
def test_every_character_but_white_space_is_in_one_token(text: str, language: str | None) -> None:
    sentences = segment(text, language=language)
    assert all(sentences)
    at = 0
    for start, end in (token for sentence in sentences for token in sentence):
        assert at <= start < end
        assert is_blank(text[at:start])
        assert not any(char.isspace() for char in text[start:end])
        assert text[start] not in GHOSTS
        assert text[end - 1] not in GHOSTS
        at = end
    assert is_blank(text[at:])
    assert segment(text, language=language) == sentences


@given(TEXTS)
def test_a_shape_has_the_length_and_the_white_space_of_its_text(text: str) -> None:
    shape = shape_of(text)
    assert len(shape) == len(text)
    assert [char.isspace() for char in shape] == [char.isspace() for char in text]
    assert shape_of(shape).isspace() == text.isspace()


def test_what_cannot_be_seen_is_kept() -> None:
    assert lines("\ufeffHello \u200e\u200f there.\u200f\u201d Yes") == ["Hello|there|.|\u201d", "Yes"]
    assert line("Ali\u200bce met Z\u00ado\ufeffe\u200d") == "Ali\u200bce|met|Z\u00ado\ufeffe"
    assert line("\x00\x00 \ud800 co\u00adop") == "\x00\x00|\ud800|co\u00adop"
    assert segment("") == segment(" \n\u3000\x1f") == segment("\ufeff \u200b") == []


# --- growth -----------------------------------------------------------------------------------------------

FEW_TOKENS = [
    "a",
    ".",
    "!",
    "-",
    "1",
    "1:",
    "\u0301",
    "☺\u200da",
    "a\u200b",
    "a.",
    "a'",
    "a-",
    "a_",
    "a&",
    "#a",
    "\n",
    " ",
]
MANY_TOKENS = [
    *(
        '"',
        "'",
        "(",
        "[1]",
        "1,",
        "1,1:",
        "🇩",
        "一",
        "。",
        "a/b1",
        "a@",
        "a.b/",
        "A.",
        ". ",
        '."',
        '. "',
        ". (",
        "Mr. ",
    ),
    *(
        "1. ",
        ".)",
        ".☺",
        "http://",
        "http://a(",
        "www.a.",
        ":)",
        "n't",
        "l'",
        "a b ",
        "A b. ",
        "\n- ",
        'ש"',
        "I. ",
    ),
]


@pytest.mark.parametrize(
    ("language", "pieces", "size"),
    [
        (None, FEW_TOKENS, 200_000),
        ("it", ["a", "a'", "\u0301"], 200_000),
        ("en", ["1,", ".)", "http://a("], 100_000),
        ("en", MANY_TOKENS, 5_000),
    ],
)
def test_long_lines_of_any_kind_come_back(language: str | None, pieces: list[str], size: int) -> None:
    """Nothing is measured here: a rule with quadratic time shows as a test that hangs on the long ones."""
    for piece in pieces:
        text = piece * (size // len(piece))
        spans = [span for sentence in segment(text, language=language) for span in sentence]
        assert sum(end - start for start, end in spans) == len(re.sub(r"\s", "", text).rstrip("\u200b"))
