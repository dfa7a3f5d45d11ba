"""What the sentence splitter knows of languages: words that take a dot, and words that open a sentence.

Short lists on purpose: single letters ("J.", "z. B.", "т. е.") and dotted ones ("U.S.", "e.g.") need no list.
"""

from __future__ import annotations

from dataclasses import dataclass


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
    """Whether the dot of an abbreviation is a token of its own, as in the Czech and Polish treebanks."""


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


def _united(*languages: Language) -> Language:
    return Language(
        never=frozenset().union(*(language.never for language in languages)),
        numbered=frozenset().union(*(language.numbered for language in languages)),
        sometimes=frozenset().union(*(language.sometimes for language in languages)),
        often=frozenset().union(*(language.often for language in languages)),
        openers=frozenset().union(*(language.openers for language in languages)),
    )


UNKNOWN = _united(ENGLISH, LANGUAGES["ru"], LANGUAGES["hi"])
"""When no language is named: English, and languages whose script keeps their words apart from it."""


def language_data(code: str | None) -> Language:
    """The entry of an ISO 639-1 code; NEUTRAL when it has none."""
    return UNKNOWN if code is None else LANGUAGES.get(code, NEUTRAL)
