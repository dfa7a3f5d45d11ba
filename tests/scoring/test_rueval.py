"""The anaphora track of RU-EVAL 2014, counted by hand: M correct of S linked in the response and G in the key."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import coindex
from coindex.document import Document, Entity, Mention, Token, Tokens
from coindex.errors import DataWarning
from coindex.scoring import make_settings, score_documents
from coindex.scoring.metrics.rueval import is_listed_pronoun
from scoring.attributes import marked
from scoring.texts import doc, expect, score

PROFILE = "rueval14-anaphora"
WORDS = "Анна взяла книгу и отдала её брату , который читал своей сестре . Она ушла , он остался ."


def chains(*groups: str, track: str | None = None) -> Document:
    """The text WORDS with a chain for each group of its words; a word may be in several."""
    words = WORDS.split()
    text = doc(WORDS)
    entities = tuple(
        Entity(str(number), tuple(text.mention([words.index(word)]) for word in group.split()))
        for number, group in enumerate(groups, 1)
    )
    return text.replace(entities=entities, meta={"track": track} if track else {})


def check(key: Document, response: Document, right: int, linked: int, wanted: int) -> None:
    result = score(key, response, PROFILE, quiet=False)
    assert result.counts["anaphora"].values == (right, wanted, right, linked)
    expect(result, anaphora=(right / wanted if right else 0, right / linked if right else 0))


KEY = chains("Анна Она", "книгу её", "брату который своей он")  # G: Она, её, который, своей, он


def test_identity() -> None:
    check(KEY, KEY, 5, 5, 5)
    result = score(KEY, KEY, PROFILE)
    assert result.signature.startswith("coindex|rueval14-anaphora@1|match:lenient|sing:no|zeros:lin|")


@pytest.mark.parametrize(
    ("response", "right", "linked"),
    [
        (["брату который"], 1, 1),  # a subset
        (["брату он своей"], 2, 2),
        (["который своей он"], 3, 3),  # of pronouns only
        (["Анна Она", "книгу её"], 2, 2),
        (["брату который Она"], 0, 2),  # Она is not of that chain, so both are wrong
        (["брату который сестре"], 0, 1),  # nor is what the key does not have
        (["Анна её", "брату он"], 1, 2),
        (["Анна сестре"], 0, 0),  # no pronoun in it
        (["он"], 0, 0),  # alone, so not linked
    ],
)
def test_subsets(response: list[str], right: int, linked: int) -> None:
    check(KEY, chains(*response), right, linked, 5)


def test_pronouns_that_the_key_does_not_link_are_only_in_the_response() -> None:
    key = chains("Анна Она", "он")
    check(key, chains("Анна Она", "брату он"), 1, 2, 1)


PAIRS = ("Анна Она", "книгу её", "брату который", "который своей", "брату он")


@pytest.mark.parametrize("track", [None, "anaphora"])
def test_pairs_are_the_chains_they_make(track: str | None) -> None:
    """A chain of two for each pronoun. The repeated antecedents are no reason to warn."""
    pairs = chains(*PAIRS, track=track)
    check(pairs, pairs, 5, 5, 5)
    check(KEY, pairs, 5, 5, 5)
    check(pairs, KEY, 5, 5, 5)
    check(pairs, chains("брату своей", "своей он", "Она её", track=track), 2, 3 if track else 4, 5)


def test_a_pronoun_is_judged_by_the_chains_where_it_is_the_anaphor() -> None:
    """своей is wrongly resolved, to который; but который itself is right."""
    key = chains("брату который", "Анна своей")
    check(key, chains("брату который", "который своей"), 1, 2, 2)
    # two antecedents for one pronoun, one of them wrong
    check(key, chains("брату который", "Анна который", "Анна своей"), 1, 2, 2)


def test_of_a_pair_of_pronouns_the_first_is_the_antecedent() -> None:
    """Nobody resolved который; in a whole chain it is linked all the same."""
    check(KEY, chains("который своей", track="anaphora"), 1, 1, 5)
    check(KEY, chains("который своей"), 2, 2, 5)


@pytest.mark.parametrize("track", [None, "anaphora"])
def test_an_antecedent_may_follow(track: str | None) -> None:
    key = chains("её сестре", "своей Она", track=track)
    wanted = 2 if track else 3  # in a pair Она is the anaphor, in a chain своей has an antecedent too
    check(key, key, wanted, wanted, wanted)
    check(key, chains("её сестре", track=track), 1, 1, wanted)
    check(key, chains("её брату", track=track), 0, 1, wanted)


def lenient_pair(key: str, response: str, right: int, linked: int, wanted: int) -> None:
    check(doc(key), doc(response), right, linked, wanted)


def test_matching_is_lenient() -> None:
    key = "(a:2 старый капитан )a Иван спал . (a) Он храпел ."
    lenient_pair(key, "старый (a) капитан Иван спал . (a) Он храпел .", 1, 1, 1)
    lenient_pair(key, "(a:2 старый капитан Иван )a спал . (a) Он храпел .", 1, 1, 1)
    lenient_pair(key, "(a:3 старый капитан Иван )a спал . (a) Он храпел .", 0, 1, 1)  # its head is outside
    lenient_pair(key, "(a) старый капитан Иван спал . (a) Он храпел .", 0, 1, 1)  # without the key's head


def test_each_pronoun_may_have_its_own_version_of_the_antecedent() -> None:
    """Only one of the two is the partner of "старый капитан"; both stand for it."""
    key = doc("(a:2 старый капитан )a спал . (a) Он видел (a) свою собаку .")
    response = doc("(b:2 старый (a) капитан )b спал . (a) Он видел (b) свою собаку .")
    check(key, response, 2, 2, 2)


def test_the_same_pronoun_twice_is_no_antecedent() -> None:
    """Both mentions of the response stand for the key's pronoun; nothing links them to Иван."""
    key = marked(doc("(a) Иван спал . (a:1 Он сам )a храпел ."), Он_сам={"str": "pron"})
    response = doc("Иван спал . (a:1 Он сам )a храпел .")
    (entity,) = response.entities
    twice = replace(entity, mentions=(*entity.mentions, response.mention([3])))
    assert [m.text for m in twice.mentions] == ["Он сам", "Он"]
    check(key, response.replace(entities=(twice,)), 0, 2, 1)


def test_a_pronoun_of_the_key_is_found_once() -> None:
    key = marked(doc("(a) Иван спал . (a:1 Он сам )a храпел ."), Он_сам={"str": "pron"})
    response = doc("(a) Иван спал . (a:1 (b) Он сам )a храпел .")
    first, second = response.entities
    both = first, replace(second, mentions=(first.mentions[0], *second.mentions))
    assert [[m.text for m in e.mentions] for e in both] == [["Иван", "Он сам"], ["Иван", "Он"]]
    check(key, response.replace(entities=both), 1, 2, 1)


@pytest.mark.parametrize(("entity", "right"), [("a", 1), ("b", 0)])
def test_of_two_that_a_mention_may_stand_for_the_first(entity: str, right: int) -> None:
    """The key has "старый капитан" and "капитан Иван", the response both and "капитан", half of each."""
    key = doc(f"(a:2 старый (b:1 капитан )a Иван )b спал . ({entity}) Он храпел . (a) Павел и (b) Пётр ушли .")
    response = doc("(a:2 старый (b:1 (c) капитан )a Иван )b спал . (c) Он храпел . (a) Павел и (b) Пётр ушли .")
    check(key, response, right, 1, 1)


def test_the_key_decides_what_a_response_mention_is() -> None:
    """The key has это as a noun; the response's unmatched это is judged by its form."""
    key = marked(doc("(a) Дом горел . (a) это страшно . (b) Он спал , (b) Иван тоже ."), это={"str": "noun"})
    response = doc("(a) Дом горел . (a) это страшно . Он спал , Иван тоже .")
    check(key, response, 0, 0, 1)
    unmatched = doc("Дом горел . это страшно . (b) Он спал , (b) Иван тоже .")
    check(unmatched, response, 0, 1, 1)


@pytest.mark.parametrize("func", ["appo", "pred"])
def test_secondary_markables_are_good_antecedents(func: str) -> None:
    key = marked(doc("(a) Павел , (a) адмирал , писал . (a) Он умер ."), адмирал={"func": func})
    check(key, doc("Павел , (a) адмирал , писал . (a) Он умер ."), 1, 1, 1)


def test_secondary_markables_outside_of_the_chain_are_passed_over() -> None:
    key = marked(doc("(a) Павел , (c) адмирал , писал . (a) Он умер ."), адмирал={"func": "appo"})
    check(key, doc("(a) Павел , (a) адмирал , писал . (a) Он умер ."), 1, 1, 1)
    check(key, doc("Павел , (a) адмирал , писал . (a) Он умер ."), 0, 0, 1)  # neither right nor wrong


def test_a_secondary_pronoun_is_not_asked_for() -> None:
    key = marked(doc("(a) Павел писал . (a) Он умер , и (a) тот жил ."), тот={"func": "pred"})
    check(key, doc("(a) Павел писал . (a) Он умер , и (a) тот жил ."), 1, 1, 1)
    check(key, doc("Павел писал . (a) Он умер , и (b) тот (b) жил ."), 0, 0, 1)


def word(form: str, **columns: str) -> Mention:
    return Mention(Tokens([Token("1", form, **columns)]), (0,))


LISTED = ("Он", "неё", "ими", "её", "ЕЁ", "себе", "своём", "этого", "тот", "такими", "который", "которой")
OTHERS = ("я", "нас", "твой", "кто", "что", "сам", "Иван", "друг", "весь")


@pytest.mark.parametrize(
    ("mention", "is_listed"),
    [
        *((word(form), True) for form in LISTED),
        *((word(form), False) for form in OTHERS),
        (word("том", lemma="том"), False),  # a volume, not *тот*
        (word("том", lemma="тот"), True),
        (word("том", upos="NOUN"), False),
        (word("её", lemma="её"), True),
        (word("she", upos="PRON", feats="Person=3|PronType=Prs"), True),
        (word("I", upos="PRON", feats="Person=1|PronType=Prs"), False),
        (word("его", upos="DET", lemma="его", feats="Poss=Yes|PronType=Prs"), True),
        (word("мой", upos="DET", lemma="мой", feats="Poss=Yes|PronType=Prs"), False),
        (word("himself", upos="PRON", feats="Reflex=Yes"), True),
        (word("myself", upos="PRON", feats="Person=1|Reflex=Yes"), True),
        (word("this", upos="PRON", feats="PronType=Dem"), True),
        (word("which", upos="PRON", feats="PronType=Int,Rel"), False),
        (word("которое", upos="PRON", lemma="который", feats="PronType=Int,Rel"), True),
    ],
)
def test_which_words_are_pronouns(mention: Mention, is_listed: bool) -> None:
    assert is_listed_pronoun(mention) == is_listed


@pytest.mark.parametrize(
    ("form", "structure", "is_listed"),
    [
        ("Иван", "refl", True),
        ("Иван", "dem", True),
        ("Иван", "pron", True),
        ("она", "noun", False),
        ("она", "apos", False),
        ("она", "", True),
        ("мне", "pron", False),
        ("моего", "poss", False),
        ("её", "poss", True),
        ("она", "pers", True),
        ("которая", "rel", True),
        ("кто", "rel", False),
        ("она", "noun,pron", True),
    ],
)
def test_the_attribute_decides_first(form: str, structure: str, is_listed: bool) -> None:
    mention = word(form)
    assert is_listed_pronoun(replace(mention, attributes={"str": structure})) == is_listed


def test_a_pronoun_is_one_word() -> None:
    text = doc("он сам @ он")
    assert not is_listed_pronoun(text.mention([0, 1]))
    assert is_listed_pronoun(text.mention([0, 1], attributes={"str": "pron"}))
    assert is_listed_pronoun(text.mention([2, 3]))
    assert not is_listed_pronoun(text.mention([2]))


def test_under_another_profile() -> None:
    """Any matching will do; without markables."""
    result = score(KEY, chains("брату который", "Анна её"), metrics=["anaphora"], match="exact")
    assert result.counts["anaphora"].values == (1, 5, 1, 2)


TEXT = "Старый кот Васька спал. Он видел свою мышку."


def groups(folder: Path, *lines: str, track: str = "anaphora") -> list[Document]:
    """A line is: chain, the words of the group, its head if it has one, and attributes."""
    folder.mkdir()
    (folder / "1.txt").write_text(TEXT, encoding="utf-8")
    found = []
    for number, line in enumerate(lines):
        chain, words, head, more = (part.strip() for part in line.split("|"))
        at = TEXT.index(words)
        said = f' head_offset="{TEXT.index(head, at)}" head_length="{len(head)}"' if head else ""
        found.append(
            f'<group id="{number}" chain="{chain}" offset="{at}" length="{len(words)}"{said} {more}>{words}</group>'
        )
    xml = f'<rueval track="{track}"><text id="1">{"".join(found)}</text></rueval>'
    (folder / "groups.xml").write_text(xml, encoding="utf-8")
    return list(coindex.read(folder, "rueval"))


def test_files(tmp_path: Path) -> None:
    key = groups(
        tmp_path / "key",
        '1|Старый кот Васька|кот|func="def" str="noun"',
        '1|Он||str="pron"',
        '2|Старый кот Васька|кот|func="def" str="noun"',
        '2|свою||str="refl"',
    )
    response = groups(tmp_path / "response", "1|кот||", "1|Он||", "2|Он||", "2|свою||", "3|спал||", "3|свою||")
    result = score_documents(key, response, make_settings(PROFILE))
    assert result.counts["anaphora"].values == (1, 2, 1, 2)  # свою is linked to a verb as well
    assert score_documents(key, key, make_settings(PROFILE))["anaphora"].f1 == 1
    longer = groups(tmp_path / "longer", "1|Старый кот Васька спал||", "1|Он||")
    with pytest.warns(DataWarning, match=r"1 mentions of the response .*'Старый кот Васька спал'"):
        result = score_documents(key, longer, make_settings(PROFILE))
    assert result.counts["anaphora"].values == (1, 2, 1, 1)


@given(st.permutations(range(6)), st.data())
def test_properties(order: list[int], data: st.DataObject) -> None:
    """Counts of documents add, M is at most S and G, and neither names nor order of entities matter."""
    words = ("Анна", "книгу", "её", "брату", "который", "своей", "Она", "он")

    def draw() -> Document:
        where = data.draw(st.lists(st.integers(0, 3), min_size=len(words), max_size=len(words)))
        return chains(*(" ".join(w for w, n in zip(words, where, strict=True) if n == chain) for chain in set(where)))

    key, response = draw(), draw()
    result = score(key, response, PROFILE)
    right, wanted, _, linked = result.counts["anaphora"].values
    assert right <= min(wanted, linked)
    shuffled = sorted(response.entities, key=lambda entity: order[int(entity.id)])
    renamed = response.replace(entities=tuple(replace(e, id="x" + e.id) for e in shuffled))
    assert score(key, renamed, PROFILE).counts == result.counts
    twice = [[side.replace(id=name) for name in "ab"] for side in (key, response)]
    assert score(*twice, PROFILE).counts["anaphora"].values == (2 * right, 2 * wanted, 2 * right, 2 * linked)
    assert score(key, key, PROFILE)["anaphora"].f1 == (1 if wanted else 0)
