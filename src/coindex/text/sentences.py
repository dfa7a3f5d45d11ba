"""Split tokens into sentences: decide which stops end a sentence, and which dots belong to the word before them.

The data of a language are words that take a dot and words that open a sentence. The lists are short on purpose: single
letters ("J.", "z. B.", "т. е.") and dotted words ("U.S.", "e.g.") need no list.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from enum import Enum

from .character_classes import CASELESS, EMOJI, FLAG, GHOSTS, HEBREW, HIRAGANA, INVISIBLE
from .spans import Span


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


@dataclass(frozen=True, slots=True)
class Language:
    """The words, lower case and without their dot, that decide what a dot means."""

    never: frozenset[str] = frozenset()
    """No sentence ends here: titles, "vs."."""
    numbered: frozenset[str] = frozenset()
    """An abbreviation only before a number: "no. 5"."""
    sometimes: frozenset[str] = frozenset()
    """A sentence ends here when one of the openers follows: "Inc.", "p.m."."""
    often: frozenset[str] = frozenset()
    """The dot belongs to the word, and a capital after it opens a sentence: "etc."."""
    openers: frozenset[str] = frozenset()
    """Words that, with a capital after an abbreviation, almost always open a sentence."""
    ordinals: bool = False
    """Whether a number with a dot is an ordinal: "3. Mai"."""
    dots_apart: bool = False
    """Whether the dot of an abbreviation is a separate token, as in the Czech and Polish treebanks."""


_LATIN = _words("dr prof mr mrs ms cf vs ca")

ENGLISH = Language(
    never=_LATIN
    | _words(
        "mme mlle messrs mssrs gen sen rep gov pres capt cpt cmdr col sgt lt maj adm rev hon supt insp det "
        "fr mt viz approx resp int ext"
    ),
    numbered=_words("no nos fig figs p pp vol vols ch chap sec sect art arts eq eqs ex para paras ver ed pt pg tab"),
    sometimes=_words(
        "inc ltd co corp bros jr sr esq est ed eds al st rd ft ave blvd dept univ assn "
        "jan feb mar apr jun jul aug sept oct nov dec"
    ),
    often=_words("etc"),
    openers=_words(
        "the a an this that these those there here he she it they we i you his her its their our my your "
        "in on at by for from with after before when while where if as but and or so yet however although "
        "what who why how not no all many some most one now then since until during because according"
    ),
)

_SLAVIC_LATIN = _words("dr prof ing mgr bc mudr judr phdr rndr doc arch sv tzv např mj zejm tj resp cca srov str")

LANGUAGES: dict[str, Language] = {
    "en": ENGLISH,
    "de": Language(
        never=_LATIN | _words("hr fr frl dipl ing bzw ggf evtl inkl exkl vgl sog zzgl geb gest hl allg bes dt jhdt st"),
        numbered=_words("nr abs art bd kap s abb tab ziff anm str § jh rn"),
        sometimes=_words("jh jhd co mio mrd std min sek tel str chr"),
        often=_words("usw etc ff"),
        openers=_words(
            "der die das ein eine er sie es wir ich ihr sein seine in im am auf aus bei mit nach von vor zu "
            "zum aber und doch als wenn da dann dies diese dieser dieses hier so auch für nun"
        ),
        ordinals=True,
    ),
    "nl": Language(
        never=_LATIN | _words("dhr mevr mw drs ir ing mr bijv bv nl resp jl vgl m.b.t ds"),
        numbered=_words("nr nrs blz art p afb fig hfdst dl"),
        sometimes=_words("co mln mld jr sr"),
        often=_words("enz etc"),
        openers=_words("de het een hij zij ze wij we ik in op met na voor maar en dat dit deze die er toen als"),
    ),
    "fr": Language(
        never=_LATIN | _words("m mm mme mmes mlle mlles me mgr pr ste env ex"),
        numbered=_words("n no p pp vol chap art fig t éd"),
        sometimes=_words("cie av bd apr"),
        often=_words("etc"),
        openers=_words(
            "le la les l' un une des il elle ils elles on nous je ce cet cette ces c' en dans à au aux pour "
            "par mais et or son sa ses leur leurs après avant lorsque quand si d' selon"
        ),
    ),
    "es": Language(
        never=_LATIN | _words("sr sra srta sres sras d dª dña dra fco gral cnel ilmo excmo ud uds vd vds pdte avda"),
        numbered=_words("n nº núm núms pág págs p pp vol cap art arts fig km kms tel"),
        sometimes=_words("cía s.a p.ej jr"),
        often=_words("etc"),
        openers=_words(
            "el la los las lo un una unos unas en por para con sin desde según tras pero y también este esta "
            "estos estas ese esa su sus se no al a de cuando si como además él ella ellos"
        ),
    ),
    "pt": Language(
        never=_LATIN | _words("sr sra srs dra exmo exma eng av ex"),
        numbered=_words("n nº pág págs p pp vol cap art fig"),
        sometimes=_words("cia ltda jr"),
        often=_words("etc"),
        openers=_words("o a os as um uma em no na nos nas por para com mas e ele ela eles elas este esta isso ao"),
    ),
    "it": Language(
        never=_LATIN | _words("sig sigg sig.ra sig.na dott avv ing arch on egr gent spett ss es"),
        numbered=_words("n nn pag pagg p pp vol cap art artt fig"),
        sometimes=_words("ecc"),
        often=_words("etc"),
        openers=_words("il lo la i gli le l' un una in per con ma e non si questo questa nel nella al alla dopo"),
    ),
    "ca": Language(
        never=_LATIN | _words("sr sra srs sres dra avda ex"),
        numbered=_words("n núm pàg pàgs p pp vol cap art fig"),
        often=_words("etc"),
        openers=_words("el la els les l' un una en per amb però i aquest aquesta això no es al segons"),
    ),
    "cs": Language(
        never=_SLAVIC_LATIN | _words("př popř příp event resp kpt plk gen por mjr pí nám ul tř"),
        numbered=_words("č čís s str odst obr tab sv kap roč čl tel"),
        sometimes=_words("spol stol mil mld tis hod min kč r"),
        often=_words("atd apod aj"),
        openers=_words("v ve na po pro při od do s se z za je to ten ta tento tato on ona ale a když podle"),
        ordinals=True,
        dots_apart=True,
    ),
    "sk": Language(
        never=_SLAVIC_LATIN | _words("napr najmä resp príp pozn nám ul"),
        numbered=_words("č s str ods obr tab kap čl"),
        often=_words("atď apod"),
        openers=_words("v vo na po pre pri od do s so z za je to ten tá tento on ona ale a keď podľa"),
        ordinals=True,
        dots_apart=True,
    ),
    "pl": Language(
        never=_LATIN | _words("mgr inż hab im św ks gen płk kpt por np tzw tzn tj m.in ok ul al pl pt red"),
        numbered=_words("nr s str art ust poz t tom rozdz rys tab"),
        sometimes=_words("r w tys mln mld godz"),
        often=_words("itd itp"),
        openers=_words("w we na po do od z ze za o on ona to ten ta jest ale a i gdy kiedy według nie"),
        ordinals=True,
        dots_apart=True,
    ),
    "hu": Language(
        never=_LATIN | _words("ifj id özv gr br pl ún ill kb szt mb u"),
        numbered=_words("sz old o köt fej tel"),
        sometimes=_words("jan febr márc ápr máj jún júl aug szept okt nov dec kft rt zrt nyrt bt u krt"),
        often=_words("stb"),
        openers=_words("a az ez egy és de ha mert itt ott ezt azt nem"),
        ordinals=True,
    ),
    "ru": Language(
        never=_words("г гг гр им ул пл пр просп наб пер проф акад доц ген полк св напр ср см т тов ок обл р-н"),
        numbered=_words("п пп рис табл гл ст ч стр с д кв корп разд изд"),
        sometimes=_words("тыс млн млрд трлн руб долл коп в вв мин сек час кг км см г гг н.э"),
        often=_words("др пр"),
        openers=_words(
            "в во на по с со к из от за у о об при для как но а и он она оно они это этот эта эти его её их "
            "мы я вы не что если когда там тогда также кроме однако после до"
        ),
    ),
    "uk": Language(
        never=_words("м ім вул пл просп проф акад доц ген св напр див ст обл ок р"),
        numbered=_words("п рис табл гл ч стор с буд кв"),
        sometimes=_words("тис млн млрд грн дол рр ст"),
        often=_words("ін"),
        openers=_words("в у на по з із до від за про при для як але а і й він вона воно вони це цей ця ми я не"),
    ),
    "hi": Language(never=_words("डॉ श्री प्रो पं कु")),
}
for _code in ("da", "nb", "nn", "no", "fi", "et", "lv", "sl", "hr", "sr", "bs", "is", "tr", "lb", "eu"):
    LANGUAGES[_code] = Language(never=_LATIN, ordinals=True)

NEUTRAL = Language(never=_LATIN | {"st"})
"""For a language without an entry."""


def _unite(*languages: Language) -> Language:
    return Language(
        never=frozenset().union(*(language.never for language in languages)),
        numbered=frozenset().union(*(language.numbered for language in languages)),
        sometimes=frozenset().union(*(language.sometimes for language in languages)),
        often=frozenset().union(*(language.often for language in languages)),
        openers=frozenset().union(*(language.openers for language in languages)),
    )


UNKNOWN = _unite(ENGLISH, LANGUAGES["ru"], LANGUAGES["hi"])
"""When no language is given: English, and languages whose words cannot be confused with it because of their script."""


def language_data(code: str | None) -> Language:
    """Return the data for an ISO 639-1 code; NEUTRAL if there is none."""
    return UNKNOWN if code is None else LANGUAGES.get(code, NEUTRAL)


_HARD_STOPS = frozenset("。｡！？؟۔।॥։።፧፨။។៕᠃᱾෴")  # they end a sentence without a space after them
_STOPS = _HARD_STOPS | frozenset(".!?…‼⁇⁈⁉‽⸮\u037e")
_CLOSERS = frozenset("\"')")
_BULLETS = frozenset("•‣▪◦●*-–—")
_OPENERS = _BULLETS | frozenset("\"'(¿¡―_")
_NO_START = _STOPS | frozenset("),:;%،؛、，：；")
_SAID = {
    "said",
    "asked",
    "cried",
    "replied",
    "answered",
    "exclaimed",
    "added",
    "continued",
    "shouted",
    "thought",
}


class _Dot(Enum):
    """What the dot after a word means."""

    STOP = 0  # it is a separate token
    INSIDE = 1  # it belongs to the word and ends no sentence
    UNSURE = 2  # it belongs to the word, and ends a sentence if a known opener follows
    BOTH = 3  # it belongs to the word and is a stop as well


class Splitter:
    """Groups the tokens of a text into sentences, and joins dots to abbreviations."""

    def __init__(
        self, text: str, shape: str, tokens: list[Span], code: str | None, borders: Collection[int] = ()
    ) -> None:
        """Prepare a text; `borders` are offsets where a sentence begins in any case."""
        self._text, self._shape, self._tokens, self._borders = text, shape, tokens, borders
        self._language = language_data(code)
        self._english = code in (None, "en")
        self._stops = _STOPS | {";"} if code == "el" else _STOPS
        self._has_capitals = any(char in shape for char in "ABCDEFGHIJKLMNOPQRSTUVWXYZ")

    def sentences(self) -> list[list[Span]]:
        """Return all tokens in order, by sentence; a dot that belongs to an abbreviation is joined to it."""
        sentences: list[list[Span]] = []
        sentence: list[Span] = []
        shape = self._shape
        finals = self._stops.union(INVISIBLE)
        last = -1  # the token that ends the sentence, once it is known
        borders = self._borders
        for index, token in enumerate(self._tokens):
            start, end = token
            if start in borders and sentence:
                sentences.append(sentence)
                sentence = []
            if shape[end - 1] not in finals or self._final(index) not in self._stops:
                sentence.append(token)
            else:
                dot = self._dot(index, sentence)
                if dot is _Dot.STOP or shape[start] != "." or self._language.dots_apart:
                    sentence.append(token)
                else:
                    sentence[-1] = (sentence[-1][0], end)
                if index > last and dot is not _Dot.INSIDE:
                    last = self._last_of_sentence(index, dot)
            if index == last:
                sentences.append(sentence)
                sentence = []
        if sentence:
            sentences.append(sentence)
        return sentences

    def _first(self, index: int) -> str:
        """Return the first character of a token in the shape; empty after the last token."""
        if index >= len(self._tokens):
            return ""
        start, end = self._tokens[index]
        char = self._shape[start]
        return self._shape[start : min(end, start + 8)].lstrip(INVISIBLE)[:1] if char in INVISIBLE else char

    def _final(self, index: int) -> str:
        """Return the last character of a token in the shape."""
        start, end = self._tokens[index]
        char = self._shape[end - 1]
        return self._shape[max(start, end - 8) : end].rstrip(INVISIBLE)[-1:] if char in INVISIBLE else char

    def _adjoins(self, index: int) -> bool:
        """Return whether the token follows another without white space."""
        if index >= len(self._tokens):
            return False
        end, start = self._tokens[index - 1][1], self._tokens[index][0]
        return end == start or not self._text[end:start].strip(GHOSTS)

    def _breaks_line(self, index: int) -> bool:
        """Return whether the token begins a line that begins a sentence."""
        return index < len(self._tokens) and self._tokens[index][0] in self._borders

    def _dot(self, index: int, sentence: list[Span]) -> _Dot:
        start, end = self._tokens[index]
        if self._shape[start] != ".":
            return _Dot.UNSURE if self._final(index) == "." else _Dot.STOP
        if end - start > 1 or not sentence or sentence[-1][1] != start or start - sentence[-1][0] > 12:
            return _Dot.STOP
        word = self._text[sentence[-1][0] : start].lower()
        language = self._language
        follows = "" if self._breaks_line(index + 1) else self._first(index + 1)
        if word in language.never or (word in language.numbered and follows.isdigit()):
            return _Dot.INSIDE
        if word in language.sometimes:
            return _Dot.UNSURE
        if word in language.often:
            return _Dot.BOTH
        return self._bare_dot(index, follows, sentence) if follows else _Dot.STOP

    def _bare_dot(self, index: int, follows: str, sentence: list[Span]) -> _Dot:
        """Classify the dot after an initial, an ordinal or the number of a heading or list item."""
        start, end = sentence[-1]
        word = self._shape[start:end]
        if len(word.strip(INVISIBLE)) == 1 and word[-1].isalpha():
            pronoun = word == "I" and self._english and len(sentence) > 1
            ends = pronoun and self._shape[sentence[-2][0]].islower()
            return _Dot.STOP if ends or self._is_opener(index + 1) else _Dot.INSIDE
        number = word.replace(".", "").isdigit()
        if not number and word.strip("IVXLC"):
            return _Dot.STOP
        if len(word) < 4 and len(sentence) == 1:
            return _Dot.INSIDE
        year = number and len(word) > 2  # "1990. Ő" ends a sentence, "1990. május" does not
        ordinal = self._language.ordinals and (follows.islower() or not (year or self._is_opener(index + 1)))
        return _Dot.INSIDE if ordinal else _Dot.STOP

    def _last_of_sentence(self, index: int, dot: _Dot) -> int:
        """Return the last token of the sentence that stops at this token; -1 if it continues."""
        after = index + 1
        while self._closes(after):
            after += 1
        closed = after > index + 1
        while self._is_note(after):
            after += 3
        while self._first(after) in (EMOJI, FLAG) and not self._breaks_line(after):
            after += 1
        if after == len(self._tokens):
            return after - 1
        stop = self._final(index)
        if stop in _HARD_STOPS:
            ends = self._can_follow(after, stop, closed)
        elif self._adjoins(after):
            ends = False
        elif dot is _Dot.UNSURE:
            ends = self._is_opener(after)
        else:
            ends = self._can_open(after, stop, closed)
        return after - 1 if ends else -1

    def _closes(self, index: int) -> bool:
        """Return whether a token is a closing quote or bracket: an adjacent one, or the '' of tokenized text."""
        if self._first(index) not in _CLOSERS:
            return False
        return self._adjoins(index) or self._shape.startswith("''", self._tokens[index][0])

    def _is_note(self, index: int) -> bool:
        """Return whether a footnote number is here, as in "in 1990.[3] He"."""
        if self._first(index) != "(" or self._text[self._tokens[index][0]] != "[" or self._breaks_line(index):
            return False
        return self._first(index + 1).isdigit() and self._first(index + 2) == ")"

    def _can_follow(self, index: int, stop: str, closed: bool) -> bool:
        """Return whether a sentence can begin here after a stop that needs no space."""
        first = self._first(index)
        if closed and self._adjoins(index) and (stop in "！？" or first == HIRAGANA):
            return False  # 「本当？」と彼は聞いた。
        return first not in _NO_START

    def _is_opener(self, index: int) -> bool:
        """Return whether a word is here that, with a capital, opens a sentence; not an initial such as "A."."""
        index = self._content(index)
        if not self._first(index).isupper() or (self._first(index + 1) == "." and self._adjoins(index + 1)):
            return False
        start, end = self._tokens[index]
        word = self._text[start:end].lower().replace("’", "'")
        return word in self._language.openers

    def _can_open(self, index: int, stop: str, closed: bool) -> bool:
        index = self._content(index)
        first = self._first(index)
        if not first or first in _NO_START:
            return False
        if first.islower():
            return not self._has_capitals or self._second_is_capital(index)
        if not closed or stop == ".":
            return True
        if first in (CASELESS, HEBREW):
            return False  # there are no capitals to decide; a quoted question is usually followed by the speaker
        return not (self._english and self._is_speech_tag(index))

    def _second_is_capital(self, index: int) -> bool:
        """Return whether a name such as iPhone or eBay is here."""
        start, end = self._tokens[index]
        return self._shape[start + 1 : min(start + 2, end)].isupper()

    def _content(self, index: int) -> int:
        """Return the next token that is not an opening quote, bracket, dash or the like."""
        for _ in range(6):
            if self._first(index) not in _OPENERS:
                break
            index += 1
        return index

    def _is_speech_tag(self, index: int) -> bool:
        """Return whether "I said" or "John asked" is here."""
        if index + 1 >= len(self._tokens):
            return False
        name, verb = (self._text[start:end] for start, end in self._tokens[index : index + 2])
        if name == "I":
            return verb in _SAID or self._first(index + 2) in (".", ",")
        return verb in _SAID and name.lower() not in self._language.openers
