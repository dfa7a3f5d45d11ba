"""Secondary markables of RU-EVAL 2014 are never counted and never penalised; the coreference track."""

from pathlib import Path

import pytest

import coindex
from coindex.document import Document
from coindex.scoring import make_settings, score_documents
from scoring.attributes import marked
from scoring.texts import doc, expect, score

COREF = "rueval14-coref"
APPO = {"func": "appo"}


def test_the_profile() -> None:
    settings = make_settings(COREF)
    assert settings.metrics == ("muc", "b3", "ceafm", "ceafe")
    key = doc("(a) Ann saw (b:2 the boat )b of (a) her dad near (b) it")
    result = score(key, key, COREF, quiet=False)
    expect(result, muc=1, b3=1, ceafm=1, ceafe=1)
    assert result.signature.startswith("coindex|rueval14-coref@1|match:lenient|sing:no|zeros:lin|")


def test_matching_is_lenient_and_singletons_are_out() -> None:
    key = doc("(a:2 old Ann )a of Hull saw (b:2 the boat )b and (c) Bob near (b) it with (a) her dog")
    response = doc("old (a:1 Ann of Hull )a saw the (b) boat and (c) Bob near it with (a) her (b) dog")
    # key: a {old Ann, her}, b {the boat, it}; response: a {Ann of Hull, her}, b {boat, dog}
    expect(
        score(key, response, COREF, quiet=False),
        muc=(1 / 2, 1 / 2),
        b3=((2 * 2 / 2 + 1 * 1 / 2) / 4, (2 * 2 / 2 + 1 * 1 / 2) / 4),
        ceafm=((2 + 1) / 4, (2 + 1) / 4),
        ceafe=((2 * 2 / 4 + 2 * 1 / 4) / 2, (2 * 2 / 4 + 2 * 1 / 4) / 2),
    )


KEY = "(a) Pavel , (a:2 great admiral )a , wrote . (a) He died . (b) Bob and (b) his dog"
PRIMARY = "(a) Pavel , great admiral , wrote . (a) He died . (b) Bob and (b) his dog"


@pytest.mark.parametrize(
    "response",
    [
        KEY,
        PRIMARY,
        "(a) Pavel , great (a) admiral , wrote . (a) He died . (b) Bob and (b) his dog",  # lenient, the head alone
        "(a) Pavel , great (b) admiral , wrote . (a) He died . (b) Bob and (b) his dog",  # in another entity
        "(a) Pavel , (c:2 great (c) admiral )c , wrote . (a) He died . (b) Bob and (b) his dog",  # several stand for it
    ],
)
@pytest.mark.parametrize("attributes", [APPO, {"func": "pred"}, {"ref": "ds"}, {"ref": "def,appo"}])
def test_a_secondary_mention_makes_no_difference(response: str, attributes: dict[str, str]) -> None:
    key = marked(doc(KEY), great_admiral=attributes)
    expect(score(key, doc(response), COREF, quiet=False), muc=1, b3=1, ceafm=1, ceafe=1)


def test_without_the_attribute_it_would() -> None:
    """Of a {Pavel, great admiral, He} two are found, in one piece."""
    recall_b3 = (2 * 2 / 3 + 2 * 2 / 2) / 5
    expect(score(doc(KEY), doc(PRIMARY), COREF), muc=(2 / 3, 1), b3=(recall_b3, 1))
    expect(score(marked(doc(KEY), great_admiral={"func": "def"}), doc(PRIMARY), COREF), muc=(2 / 3, 1))


KEY_OF_PAIR = "Pavel , admiral . He and (b) Bob saw (b) his dog"


def test_what_is_left_alone_is_a_singleton() -> None:
    """Pavel is alone without the apposition; so the response's link from it to He is too much."""
    key = marked(doc("(a) Pavel , (a) admiral . (c) He and (b) Bob saw (b) his dog"), admiral=APPO)
    response = doc("(a) Pavel , (a) admiral . (a) He and (b) Bob saw (b) his dog")
    # response: a {Pavel, He} with nothing of the key, b {Bob, his}
    wanted = {"muc": (1 / 1, 1 / 2), "b3": (1, (0 + 2) / 4), "ceafe": (1, 1 / 2)}
    expect(score(key, response, COREF, quiet=False), **wanted)
    expect(score(marked(key, He=APPO), doc(KEY_OF_PAIR), COREF, quiet=False), muc=1, b3=1, ceafe=1)  # one alone as well


def test_a_response_entity_may_be_left_alone() -> None:
    """Without the apposition the response has Pavel alone, which says nothing; the key still asks for his link."""
    key = marked(doc("(a) Pavel , (a) admiral . (a) He and (b) Bob saw (b) his dog"), admiral=APPO)
    response = doc("(a) Pavel , (a) admiral . He and (b) Bob saw (b) his dog")
    expect(score(key, response, COREF, quiet=False), muc=(1 / 2, 1), b3=(2 / 4, 1), ceafm=(2 / 4, 1))


def test_a_secondary_mention_that_is_alone_in_the_key() -> None:
    key = marked(doc("(a) Pavel , (c) admiral . (a) He slept"), admiral=APPO)
    linked = doc("(a) Pavel , (a) admiral . (a) He slept")
    expect(score(key, linked, COREF, quiet=False), muc=1, b3=1, ceafm=1, ceafe=1)
    plain = doc("(a) Pavel , (c) admiral . (a) He slept")  # another singleton is not annotated at all
    expect(score(plain, linked, COREF), muc=(1, 1 / 2))


def test_attributes_of_the_response_decide_nothing() -> None:
    key = doc("(a) Pavel , admiral . (a) He slept")
    response = marked(doc("(a) Pavel , (a) admiral . (a) He slept"), admiral={"func": "appo", "markable": "secondary"})
    expect(score(key, response, COREF), muc=(1, 1 / 2))


@pytest.mark.parametrize(("said", "is_secondary"), [("secondary", True), ("primary", False)])
def test_the_attribute_markable_settles_it(said: str, is_secondary: bool) -> None:
    for func in ("appo", "def"):
        key = marked(doc(KEY), great_admiral={"markable": said, "func": func})
        expect(score(key, doc(PRIMARY), COREF), muc=(1 if is_secondary else 2 / 3, 1))


@pytest.mark.parametrize(
    ("key", "recall"),
    [
        ("(a:2 some sailor )a saw (b) Bob . (a) He and (a) his dog ran to (b) him", (1 + 1) / (1 + 1)),
        ("(a) He saw (b) Bob . (a:2 some sailor )a and (a) his dog ran to (b) him", (1 + 1) / (2 + 1)),
    ],
)
def test_an_indefinite_is_secondary_where_it_is_first(key: str, recall: float) -> None:
    response = doc(key.replace("(a:2 ", "").replace(" sailor )a", " sailor"))
    expect(score(marked(doc(key), some_sailor={"func": "indef"}), response, COREF), muc=(recall, 1))


def test_with_singletons_they_stay_out_as_well() -> None:
    key = marked(doc("(a) Pavel , (a) admiral . (c) Bob slept"), admiral=APPO)
    response = doc("(a) Pavel , (a) admiral . Bob slept")
    expect(score(key, response, COREF, singletons=True), muc=0, b3=(1 / 2, 1), ceafe=(1 / 2, 1), ceafm=(1 / 2, 1))


def test_exact_matching_of_primary_markables() -> None:
    key = marked(doc(KEY), great_admiral=APPO)
    head = doc("(a) Pavel , great (a) admiral , wrote . (a) He died . (b) Bob and (b) his dog")
    expect(score(key, doc(KEY), COREF, match="exact", quiet=False), muc=1, b3=1)
    # the head alone stands for nothing: a {Pavel, admiral, He} has one mention too many
    expect(score(key, head, COREF, match="exact", quiet=False), muc=(1, (1 + 1) / (2 + 1)))


TEXT = "Павел Нахимов, великий адмирал, писал. Он служил."


def read(folder: Path, groups: str, text: str = TEXT) -> list[Document]:
    folder.mkdir()
    (folder / "12.txt").write_text(text, encoding="utf-8")
    (folder / "groups.xml").write_text(groups, encoding="utf-8")
    return list(coindex.read(folder / "groups.xml", "rueval"))


def group(number: int, words: str, *, chain: int = 3, head: str | None = None, more: str = "") -> str:
    at = TEXT.index(words)
    said = ""
    if head is not None:
        said = f' head_offset="{TEXT.index(head, at)}" head_length="{len(head)}"'
    return f'<group id="{number}" chain="{chain}" offset="{at}" length="{len(words)}"{said} {more}>{words}</group>'


def groups(*lines: str) -> str:
    return '<rueval track="coreference"><text id="12">' + "".join(lines) + "</text></rueval>"


def test_files(tmp_path: Path) -> None:
    """The key has an apposition; the response has heads alone, and an entity for the apposition."""
    key = read(
        tmp_path / "key",
        groups(
            group(1, "Павел Нахимов", head="Нахимов", more='func="def" str="noun"'),
            group(2, "великий адмирал", head="адмирал", more='func="appo" str="noun"'),
            group(3, "Он", more='func="def" str="pron"'),
        ),
    )
    response = read(tmp_path / "response", groups(group(1, "Нахимов"), group(2, "адмирал", chain=4), group(3, "Он")))
    settings = make_settings(COREF)
    expect(score_documents(key, response, settings), muc=1, b3=1, ceafm=1, ceafe=1)
    expect(score_documents(key, key, settings), muc=1, b3=1, ceafm=1, ceafe=1)
    missed = read(tmp_path / "missed", groups(group(1, "Павел"), group(3, "Он")))
    expect(score_documents(key, missed, settings), muc=0, b3=(1 / 2 / 2, 1 / 2 / 2), ceafm=1 / 2)


def test_words_may_be_cut_differently(tmp_path: Path) -> None:
    """The response marks a part of a word, so that its words are others than the key's."""
    key = read(tmp_path / "key", groups(group(1, "Павел Нахимов", head="Нахимов"), group(3, "Он")))
    response = read(tmp_path / "response", groups(group(1, "Павел Нахимо", head="Павел"), group(3, "Он")))
    assert [token.form for token in key[0].tokens][:2] == ["Павел", "Нахимов"]
    assert [token.form for token in response[0].tokens][:3] == ["Павел", "Нахимо", "в"]
    expect(score_documents(key, response, make_settings(COREF)), muc=1)
    # the other way round the response holds the key's mention and has its head, the longer piece, in it too
    expect(score_documents(response, key, make_settings(COREF)), muc=1)
