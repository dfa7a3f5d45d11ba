"""ARE 2007: the paper's examples put together from its columns, and texts of our own for the rest."""

import contextlib
import gzip
import io
import itertools
import warnings
from pathlib import Path, PurePath

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import coindex
from coindex.document import Document, Entity, Mention, Token, Tokens
from coindex.document.naming import antecedent, is_pronoun
from coindex.errors import CoindexError, DataWarning, FormatError, LossWarning, Problem
from coindex.formats.detection import Head
from coindex.formats.registry import get_format
from coindex.formats.surface import without_zeros

PAPER_TASK_1 = """<p>
<entity id="2">Israeli-PLO relations</entity>
have hit
<entity id="3">a new low</entity>
with
<entity id="4">the Palestinian Authority</entity>
saying
<entity id="5">Israel</entity>
is wrong to think
<entity id="6">it</entity>
can treat
<entity id="7">the Authority</entity>
like
<entity id="8">a client militia</entity>
.
</p>
"""
PAPER_PRONOUNS = """<anaphoric_pronouns>
<pronoun id="6" value="it"/>
<pronoun id="91" value="they"/>
<pronoun id="83" value="He"/>
<pronoun id="159" value="he"/>
<pronoun id="167" value="his"/>
</anaphoric_pronouns>
"""
PAPER_TASK_2 = """<p>
At
<entity id="18">
an emergency summit in
<entity id="19">Toronto</entity>
</entity>
,
<entity id="20">
the leaders of
<entity id="21">both nations</entity>
</entity>
agreed to push for
<entity id="22">
direct talks with
<entity id="23">the rebels</entity>
</entity>
, even_though
<entity id="24">they</entity>
ruled out
<entity id="229">
<entity id="26">the guerrillas’</entity>
non-negotiable demand -<entity id="27">
freedom for
<entity id="28">
<entity id="29">their</entity>
jailed comrades
</entity>
</entity>
</entity>
.
</p>
"""
PAPER_TASK_3_WORDS = "Japan and Peru on Saturday took a tough stand on rebel demands in"
PAPER_TASK_3 = "<p>\n" + "".join(
    f'<node id="{number}"/>\n{word}\n' for number, word in enumerate(PAPER_TASK_3_WORDS.split(" "), 26)
)
STORY = """<are task="1" kind="key">
<document id="fox">
<p sentences="9"><entity id="1" chain="a" head="2">The fox</entity> met <entity id="2" chain="b">\
a hen near <entity id="3" chain="a">its</entity> den</entity> .</p>
<p sentences="3 4"><entity id="4" chain="a">It</entity> ran . <entity id="5" chain="b">She</entity> \
stayed quite calm</p>
</document>
</are>
"""


def put(folder: Path, text: str, name: str = "x.xml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def read_one(path: Path, **options: object) -> Document:
    (doc,) = coindex.read(path, "are", **options)
    return doc


def texts(doc: Document) -> dict[str, list[str]]:
    return {entity.id: [mention.text for mention in entity.mentions] for entity in doc.entities}


def by_id(doc: Document) -> dict[str, Mention]:
    return {mention.attributes["id"]: mention for mention, _ in doc.mentions()}


def problems(path: Path) -> list[Problem]:
    found: list[Problem] = []
    list(coindex.read(path, "are", on_problem=found.append))
    return found


def chains(doc: Document) -> set[frozenset[tuple[int, int]]]:
    return {frozenset((m.start, m.end) for m in entity.mentions) for entity in doc.entities}


def convert(doc: Document, folder: Path, **options: str) -> Document:
    coindex.write(doc, folder / "out.xml", "are", **options)
    return read_one(folder / "out.xml")


# The paper's examples


def test_paper_task_1(tmp_path: Path) -> None:
    path = put(tmp_path, PAPER_TASK_1 + PAPER_PRONOUNS, "hostages.xml")
    with pytest.warns(DataWarning, match="hostages.xml: 4 anaphoric pronouns without an entity in the text"):
        doc = read_one(path)
    assert doc.id == "hostages"
    assert doc.text == (
        "Israeli-PLO relations have hit a new low with the Palestinian Authority saying Israel is wrong to "
        "think it can treat the Authority like a client militia ."
    )
    assert [mention.text for mention, _ in doc.mentions()] == [
        "Israeli-PLO relations",
        "a new low",
        "the Palestinian Authority",
        "Israel",
        "it",
        "the Authority",
        "a client militia",
    ]
    assert [entity.id for entity in doc.entities] == ["2", "3", "4", "5", "6", "7", "8"]
    assert by_id(doc)["6"].attributes == {"id": "6", "anaphoric": "yes"}
    assert by_id(doc)["5"].attributes == {"id": "5"}
    assert len(doc.sentences) == 1


def test_paper_task_1_with_its_list_beside_it(tmp_path: Path) -> None:
    path = put(tmp_path, PAPER_TASK_1)
    put(tmp_path, PAPER_PRONOUNS, "x.pronouns.xml")
    with pytest.warns(DataWarning, match="4 anaphoric pronouns"):
        doc = read_one(path)
    assert [id for id, mention in by_id(doc).items() if "anaphoric" in mention.attributes] == ["6"]


def test_paper_task_2_nests(tmp_path: Path) -> None:
    doc = read_one(put(tmp_path, PAPER_TASK_2))
    mentions = by_id(doc)
    assert mentions["18"].text == "an emergency summit in Toronto"
    assert mentions["19"].text == "Toronto"
    assert mentions["22"].text == "direct talks with the rebels"
    assert mentions["229"].text == "the guerrillas’ non-negotiable demand - freedom for their jailed comrades"
    assert mentions["27"].text == "freedom for their jailed comrades"
    assert mentions["28"].text == "their jailed comrades"
    assert mentions["29"].text == "their"
    assert mentions["26"].positions == (26, 27)
    assert [token.form for token in doc.tokens[21:25]] == [",", "even_though", "they", "ruled"]
    assert len(mentions) == 12


def test_paper_task_3_end_node_is_inside(tmp_path: Path) -> None:
    text = (
        f'<are task="4" kind="response"><document id="d">{PAPER_TASK_3}</p>'
        '<answers><chain id="7"><member start="26" end="28"/><member start="36" end="36" head="36"/></chain>'
        "</answers></document></are>"
    )
    doc = read_one(put(tmp_path, text))
    assert texts(doc) == {"7": ["Japan and Peru", "rebel"]}
    assert [(m.start, m.end) for m in doc.entities[0].mentions] == [(0, 3), (10, 11)]
    assert doc.tokens[0].misc == "Node=26"
    assert doc.tokens[12] == Token("13", "in", misc="Node=38", space="")
    assert doc.meta == {"task": "4", "kind": "response"}
    assert doc.entities[0].mentions[1].head == 10


def test_paper_task_3_without_a_root(tmp_path: Path) -> None:
    doc = read_one(put(tmp_path, PAPER_TASK_3 + "</p>" + "<p><node id='39'/>Lima<node id='40'/>.</p>"))
    assert doc.text == "Japan and Peru on Saturday took a tough stand on rebel demands in\nLima ."
    assert doc.entities == ()


# The schema


def test_key(tmp_path: Path) -> None:
    doc = read_one(put(tmp_path, STORY))
    assert texts(doc) == {"a": ["The fox", "its", "It"], "b": ["a hen near its den", "She"]}
    assert [sentence.text for sentence in doc.sentences] == [
        "The fox met a hen near its den .",
        "It ran .",
        "She stayed quite calm",
    ]
    assert by_id(doc)["1"].head == 1
    assert [token.id for token in doc.sentences[2].tokens] == ["1", "2", "3", "4"]
    assert doc.meta == {"task": "1", "kind": "key"}


def test_sentences_without_numbers(tmp_path: Path) -> None:
    text = '<t><p>He said : " Go ! " <entity id="1">Mr . X</entity> went .</p><p>So ? " Yes . " No</p></t>'
    doc = read_one(put(tmp_path, text))
    assert [sentence.text for sentence in doc.sentences] == [
        'He said : " Go ! "',
        "Mr . X went .",
        "So ?",
        '" Yes . "',
        "No",
    ]


def test_links_are_kept_by_the_rules_of_the_exercise(tmp_path: Path) -> None:
    text = """<text><p><entity id="1">Ann</entity> , <entity id="2">a nurse</entity> , saw
<entity id="3">Bob<coref ante="1" relation="identity" type="np"/></entity> and <MARKABLE ID="4">him</MARKABLE>
. <entity id="5">she</entity> left <entity id="6">it</entity> <entity id="7">there</entity></p>
<coref ana="5" ante="1" relation="IDENTITY" type="NP"/>
<coref ana="4" ante="3" relation="GENERALISATION" type="NP"/>
<coref ana="2" ante="1" relation="IDENTITY" type="APPOSITION"/>
<coref ana="6" ante="2" relation="PART" type="NP"/>
<ucoref ana="6" ante="2" relation="IDENTITY" type="NP"/>
<ucoref ana="7" ante="2"/>
<coref ana="7" ante="99"/>
</text>"""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        doc = read_one(put(tmp_path, text))
    assert texts(doc) == {
        "1": ["Ann", "Bob", "him", "she"],
        "2": ["a nurse"],
        "6": ["it"],
        "7": ["there"],
    }
    said = sorted(str(warning.message).partition("x.xml: ")[2] for warning in caught)
    assert said == [
        "1 coref links of relations other than IDENTITY, SYNONYMY, GENERALISATION, SPECIALISATION, left out",
        "1 coref links that are not between NPs, left out",
        "1 coref links to a missing annotation",
        "2 ucoref links, left out because they are uncertain",
    ]


def test_responses(tmp_path: Path) -> None:
    paragraph = '<p><entity id="1">Ann</entity> said <entity id="2">she</entity> and <entity id="3">he</entity></p>'
    pairs = f'<are><document>{paragraph}<answers><pronoun id="2" antecedent="1"/></answers></document></are>'
    doc = read_one(put(tmp_path, pairs))
    assert texts(doc) == {"1": ["Ann", "she"], "3": ["he"]}
    assert by_id(doc)["2"].attributes == {"id": "2", "anaphoric": "yes", "antecedent": "1"}
    nodes = (
        '<are><document><p><node id="1"/>Ann <node id="2"/>said <node id="3"/>she</p><answers>'
        '<pronoun start="3" end="3"><antecedent start="1" end="1"/></pronoun></answers></document></are>'
    )
    doc = read_one(put(tmp_path, nodes))
    assert texts(doc) == {"1": ["Ann", "she"]}
    assert doc.entities[0].mentions[1].attributes == {"anaphoric": "yes", "antecedent": "1-1"}


def test_key_of_the_exercise_takes_its_text_from_the_input(tmp_path: Path) -> None:
    put(tmp_path, f"<file><text>{PAPER_TASK_2}</text></file>", "Peru-input.xml")
    key = '<key><chain id="c1"><node id="23" value=" the rebels"/><node id="24" value=" they"/></chain></key>'
    doc = read_one(put(tmp_path, key, "Peru-key.xml"))
    assert doc.id == "Peru"
    assert texts(doc)["c1"] == ["the rebels", "they"]
    assert sum(len(entity) for entity in doc.entities) == 12
    assert read_one(tmp_path / "Peru-input.xml").id == "Peru"


def test_adjacent_text_has_no_space_between(tmp_path: Path) -> None:
    doc = read_one(put(tmp_path, '<t><p>(<entity id="1">Ann</entity>\'s <entity id="2">hat</entity> )</p></t>'))
    assert doc.text == "(Ann's hat )"
    assert [token.form for token in doc.tokens] == ["(", "Ann", "'s", "hat", ")"]
    with pytest.warns(LossWarning, match="2 places where tokens are not separated by one space"):
        assert convert(doc, tmp_path).text == "( Ann 's hat )"


def test_from_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(PAPER_TASK_2.encode())))
    (doc,) = coindex.read("-", "are")
    assert (doc.id, len(doc.entities)) == ("stdin", 12)


def test_chain_ids_and_entity_ids_do_not_mix(tmp_path: Path) -> None:
    text = '<t><p><entity id="1" chain="2">a</entity> <entity id="2">b</entity></p></t>'
    assert texts(read_one(put(tmp_path, text))) == {"2": ["a"], "2'": ["b"]}


def test_a_document_id_for_the_second_time_is_warned_of(tmp_path: Path) -> None:
    path = put(tmp_path, "<are><document id='d'><p>a</p></document>\n<document id='d'><p>b</p></document></are>")
    with pytest.warns(DataWarning, match="x.xml:2: duplicate document id 'd'"):
        assert [doc.text for doc in coindex.read(path, "are")] == ["a", "b"]


def test_long_text_is_not_cut_inside_a_word(tmp_path: Path) -> None:
    words = [f"word{number}" for number in range(20_000)]
    doc = read_one(put(tmp_path, f"<t><p>{' '.join(words)}</p></t>"))
    assert [token.form for token in doc.tokens] == words


def test_gzip_and_several_documents(tmp_path: Path) -> None:
    path = tmp_path / "two.xml.gz"
    text = "<are><document><p>One .</p></document><document><p>Two .</p></document></are>"
    path.write_bytes(gzip.compress(text.encode()))
    assert [(doc.id, doc.text) for doc in coindex.read(path, "are")] == [("two", "One ."), ("two-2", "Two .")]


# Writing


def story() -> Document:
    tokens = Tokens(
        [
            Token(id, form, space=space)
            for id, form, space in [
                ("1", "The", " "),
                ("2", "old", " "),
                ("3", "fox", " "),
                ("4", "lost", " "),
                ("5", "its", " "),
                ("6", "way", " "),
                ("7", ".", "\n"),
                ("1", "It", " "),
                ("2", "met", " "),
                ("3", "Ann", " "),
                ("4", "&", " "),
                ("5", "Bo", " "),
                ("6", ".", "\n"),
                ("1", "They", " "),
                ("2", "hid", " "),
                ("3", "it", ""),
            ]
        ]
    )
    doc = Document.from_sentences(tokens, (7, 6, 3), id="s<1>")

    def mention(start: int, end: int, head: int | None = None, **attributes: str) -> Mention:
        return doc.mention(range(start, end), head=head, attributes=attributes)

    return doc.replace(
        entities=(
            Entity("fox", (mention(0, 3, 2, status="new"), mention(4, 5), mention(7, 8), mention(15, 16))),
            Entity("way", (mention(4, 6, 5),)),
            Entity("pair", (mention(9, 12), mention(13, 14))),
            Entity("Ann", (mention(9, 10),)),
        )
    )


def test_key_of_task_1_holds_everything(tmp_path: Path) -> None:
    doc = story()
    back = convert(doc, tmp_path)
    assert back.tokens == doc.tokens
    assert back.sentences == doc.sentences
    assert back.id == doc.id
    assert texts(back) == texts(doc)
    assert [e.id for e in back.entities] == [e.id for e in doc.entities]
    for mine, other in zip(doc.mentions(), back.mentions(), strict=True):
        assert (mine[0].positions, mine[0].head) == (other[0].positions, other[0].head)
    assert by_id(back)["1"].attributes == {"id": "1", "status": "new"}
    assert [m.text for m, _ in back.mentions() if "anaphoric" in m.attributes] == ["its", "It", "They", "it"]
    again = convert(back, tmp_path)
    assert again == back


def test_file_of_a_key(tmp_path: Path) -> None:
    coindex.write(story(), tmp_path / "out.xml", "are")
    lines = (tmp_path / "out.xml").read_text(encoding="utf-8").split("\n")
    assert lines[:4] == [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<are task="1" kind="key">',
        '<document id="s&lt;1&gt;">',
        '<p sentences="7"><entity id="1" chain="fox" head="3" status="new">The old fox</entity> lost '
        '<entity id="2" chain="way" head="2"><entity id="3" chain="fox">its</entity> way</entity> .</p>',
    ]
    assert lines[6:8] == ["<anaphoric_pronouns>", '<pronoun id="3" value="its"/>']


def test_inputs_have_no_chains(tmp_path: Path) -> None:
    one = convert(story(), tmp_path, task="1", kind="input")
    assert len(one.entities) == 8
    assert by_id(one)["1"].attributes == {"id": "1"}
    assert [m.text for m, _ in one.mentions() if "anaphoric" in m.attributes] == ["its", "It", "They", "it"]
    two = convert(story(), tmp_path, task="2", kind="input")
    assert [m.text for m, _ in two.mentions()] == ["The old fox", "its", "It", "Ann & Bo", "They", "it"]
    assert all(entity.is_singleton for entity in two.entities)
    assert set(by_id(two)) < set(by_id(one))
    for task in "34":
        three = convert(story(), tmp_path, task=task, kind="input")
        assert three.entities == ()
        assert [token.misc for token in three.tokens][:2] == ["Node=1", "Node=2"]
        assert three.sentences == story().sentences


@pytest.mark.parametrize("task", ["2", "4"])
@pytest.mark.parametrize("kind", ["key", "response"])
def test_chains_of_tasks_2_and_4(tmp_path: Path, task: str, kind: str) -> None:
    back = convert(story(), tmp_path, task=task, kind=kind)
    expected = [entity for entity in story().entities if not entity.is_singleton]
    assert texts(back) == {entity.id: [mention.text for mention in entity.mentions] for entity in expected}
    assert chains(back) == chains(story().replace(entities=tuple(expected)))
    assert back.entities[0].mentions[0].head == 2


def test_key_of_task_3(tmp_path: Path) -> None:
    back = convert(story(), tmp_path, task="3")
    assert texts(back) == texts(story())
    assert [m.text for m, _ in back.mentions() if "anaphoric" in m.attributes] == ["its", "It", "They", "it"]
    with pytest.warns(LossWarning, match="16 tokens with UD columns"):  # the node ids, which tasks 3, 4 do keep
        again = convert(back, tmp_path, task="3")
    assert again.tokens == back.tokens


@pytest.mark.parametrize("task", ["1", "3"])
def test_response_resolves_to_the_nearest_noun(tmp_path: Path, task: str) -> None:
    back = convert(story(), tmp_path, task=task, kind="response")
    found = {m.text: m.attributes["antecedent"] for m, _ in back.mentions() if "antecedent" in m.attributes}
    fox, pair = ("1", "5") if task == "1" else ("1-3", "10-12")
    assert found == {"its": fox, "It": fox, "They": pair, "it": fox}
    assert chains(back) >= {frozenset({(0, 3), (4, 5), (7, 8), (15, 16)}), frozenset({(9, 12), (13, 14)})}
    with pytest.warns(LossWarning) if task == "3" else warnings.catch_warnings():
        again = convert(back, tmp_path, task=task, kind="response")
    assert [m.attributes for m, _ in again.mentions()] == [m.attributes for m, _ in back.mentions()]


def test_an_empty_list_of_pronouns_stays_empty(tmp_path: Path) -> None:
    """The tag, which says that *that* is no pronoun here, is lost in the file."""
    tokens = Tokens([Token("1", "Ann", upos="PROPN"), Token("2", "that", upos="SCONJ")])
    doc = Document.from_sentences(tokens, [2], id="d")
    doc = doc.replace(entities=(Entity("e", (doc.mention([0]), doc.mention([1]))),))
    first, second = tmp_path / "1.are.xml", tmp_path / "2.are.xml"
    with pytest.warns(LossWarning):
        coindex.write(doc, first)
    coindex.write(coindex.read(first), second)
    assert "<pronoun " not in first.read_text(encoding="utf-8")
    assert second.read_bytes() == first.read_bytes()


def test_mentions_that_cross_are_counted(tmp_path: Path) -> None:
    doc = story()
    crossing = Entity("x", (doc.mention(range(2, 5)),))
    over_border = Entity("y", (doc.mention(range(6, 8)),))
    doc = doc.replace(entities=(doc.entities[0], crossing, *doc.entities[1:], over_border))
    with pytest.warns(LossWarning, match="are cannot represent: 1 mentions that cross other mentions$"):
        back = convert(doc, tmp_path)
    assert "x" not in texts(back)
    assert texts(back)["y"] == [".\nIt"]
    assert [len(sentence) for sentence in back.sentences] == [7, 6, 3]
    back = convert(doc, tmp_path, task="3")
    assert texts(back)["x"] == ["fox lost its"]


def test_zeros_gaps_and_odd_words(tmp_path: Path) -> None:
    forms = [("1", "new\u00a0york"), ("1.1", "_"), ("2", "is"), ("3", "big\x02"), ("4", "he")]
    tokens = Tokens([Token(id, form) for id, form in forms])
    doc = Document.from_sentences(tokens, (5,), id="z")
    mentions = (doc.mention([0, 1]), doc.mention([1]), doc.mention([0, 3], head=3, attributes={"a b": "c"}))
    doc = doc.replace(entities=(Entity("e", mentions),))
    with pytest.warns(LossWarning) as caught:
        back = convert(doc, tmp_path)
    assert [token.form for token in back.tokens] == ["new_york", "is", "big\ufffd", "he"]
    assert [mention.positions for mention in back.entities[0].mentions] == [(0,), (2,)]
    assert back.entities[0].mentions[1].head == 2
    said = {str(warning.message) for warning in caught}
    assert "are cannot represent: 1 zero mentions; 1 discontinuous mentions" in said
    assert any("2 words that contain white space or control characters" in text for text in said)
    assert back.entities[0].mentions[1].attributes["a_b"] == "c"


def test_pronouns() -> None:
    def one(form: str, **columns: str) -> Mention:
        return Mention(Tokens([Token("1", form, **columns)]), (0,))

    assert is_pronoun(one("They"))
    assert not is_pronoun(one("Ann"))
    assert is_pronoun(one("ella", upos="PRON"))
    assert is_pronoun(one("su", upos="DET", feats="Poss=Yes|PronType=Prs"))
    assert not is_pronoun(one("this", upos="DET", feats="PronType=Dem"))
    doc = story()
    fox = doc.entities[0].mentions
    assert antecedent(fox[0], fox) is None
    assert antecedent(fox[3], fox) is fox[0]
    assert antecedent(fox[3], fox[1:]) is fox[2]


# Detection


@pytest.mark.parametrize(
    ("text", "role"),
    [
        (PAPER_TASK_1, "main"),
        (PAPER_TASK_3, "main"),
        (STORY, "main"),
        (PAPER_PRONOUNS, "part"),
        ('<key><chain id="c1">\n<node id="18" value="x"/></chain></key>', "main"),
        ("<p>plain html</p>", "no"),
        ('<Document doc_name="1"><token t_id="1">p</token></Document>', "no"),
        ('<markables><markable id="m1" span="word_1"/></markables>', "no"),
        ("He wrote <p><entity id='1'>", "no"),
    ],
)
def test_detection(text: str, role: str) -> None:
    assert get_format("are").detect(Head(PurePath("a.xml"), text)) == role


# Bad input


@pytest.mark.parametrize(
    ("text", "line", "found"),
    [
        ("<are>\n<document>\n<p><entity id='1'>a</entity>\n</document></are>", 4, "not well-formed XML"),
        ("<t>\n<p><entity>a</entity></p></t>", 2, "an entity without an id"),
        ("<t><p><entity id='1'>a</entity>\n<entity id='1'>b</entity></p></t>", 2, "a second entity '1'"),
        ("<t><p><entity id='1' head='2'>a</entity></p></t>", 1, "whose head is none of them"),
        ("<t><p><entity id='1' head='²'>a</entity></p></t>", 1, "whose head is none of them"),
        ("<t>\n\n<p sentences='2 1'>a b</p></t>", 3, "sentences='2 1' in a paragraph of 2 words"),
        ("<t><p>\n<node id='1'/>a <node id='1'/>b</p></t>", 2, "the node id '1'"),
        ("<t><p>\n<node/>a</p></t>", 2, "a node without an id"),
        ("<t>\n<p>a <node id='1'/>b</p></t>", 2, "text 'a' before the first node"),
        ("<t><p>a</p>\n<chain id='1'><member id='7'/></chain></t>", 2, "<member id='7'>, which refers to nothing"),
        (
            "<t><p><node id='1'/>a <node id='2'/>b</p>\n<chain><member start='2' end='1'/></chain></t>",
            2,
            "<member start='2' end='1'>, which refers to nothing",
        ),
        (
            "<t><p><node id='1'/>a<node id='2'/>b</p>\n<c><chain><member id='1' head='2'/></chain></c></t>",
            2,
            "the head '2' outside its span",
        ),
        (
            "<t><p><entity id='1' chain='a'>a</entity></p>\n<chain id='b'><member id='1'/></chain></t>",
            2,
            "a mention in chain 'b' that is already in chain 'a'",
        ),
        ("<t><p>a</p><answers>\n<pronoun id='1' antecedent='2'/></answers></t>", 2, "<pronoun id='1' antec"),
        ("<t>\n<q>a</q></t>", 1, "<t> without a paragraph"),
        ("just words", 1, "no paragraph"),
        ("<!DOCTYPE t [<!ENTITY a 'b'>]><t><p>&a;</p></t>", 1, "a declared entity 'a'"),
    ],
)
def test_bad_input_names_its_place(tmp_path: Path, text: str, line: int, found: str) -> None:
    path = put(tmp_path, text)
    with pytest.raises(FormatError) as caught:
        read_one(path)
    assert str(caught.value).startswith(f"{path}:{line}: ")
    assert found in caught.value.problem.found


def test_validation_collects(tmp_path: Path) -> None:
    path = put(
        tmp_path,
        "<t><p sentences='x'><entity>a</entity> <entity id='1'>b</entity>\n<entity id='1'>c</entity></p>\n"
        "<answers><pronoun id='1' antecedent='9'/>\n<chain id='1'><member id='8'/></chain></answers></t>",
    )
    assert [(problem.line, problem.found[:12]) for problem in problems(path)] == [
        (1, "an entity wi"),
        (1, "sentences='x"),
        (2, "a second ent"),
        (4, "<member id='"),
        (3, "<antecedent "),
    ]


def test_unusual_input_is_counted(tmp_path: Path) -> None:
    text = "<t>head<p><entity id='1'> </entity><node id='1'/> <node id='2'/>a</p></t>"
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        doc = read_one(put(tmp_path, text))
    assert doc.text == "a"
    assert sorted(str(warning.message).partition("x.xml: ")[2] for warning in caught) == [
        "1 entities without words, left out",
        "1 nodes without text, left out",
        "1 pieces of text outside paragraphs, left out",
    ]


SEEDS = [PAPER_TASK_1 + PAPER_PRONOUNS, PAPER_TASK_2, PAPER_TASK_3 + "</p>", STORY]


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(SEEDS), st.data())
def test_only_our_errors_come_out(tmp_path_factory: pytest.TempPathFactory, seed: str, data: st.DataObject) -> None:
    raw = bytearray(seed.encode())
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(raw) - 1))
        cut = data.draw(st.integers(0, 8))
        raw[at : at + cut] = data.draw(st.one_of(st.binary(max_size=6), st.sampled_from([b"</p>", b"<p>", b'id="1"'])))
    path = tmp_path_factory.mktemp("fuzz") / "x.xml"
    path.write_bytes(raw)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for handler in ({}, {"on_problem": lambda problem: None}):
            with contextlib.suppress(CoindexError):
                list(coindex.read(path, "are", **handler))


@st.composite
def documents(draw: st.DrawFn) -> Document:
    """Small documents whose mentions nest."""
    lengths = draw(st.lists(st.integers(1, 5), min_size=1, max_size=3))
    size = sum(lengths)
    words = draw(st.lists(st.sampled_from(["he", "Ann", ".", "&", "<b>", '"', "it"]), min_size=size, max_size=size))
    ends = set(itertools.accumulate(lengths))
    ids = [str(number) for length in lengths for number in range(1, length + 1)]
    tokens = Tokens(
        Token(id, word, space="" if i == size - 1 else "\n" if i + 1 in ends else " ")
        for i, (id, word) in enumerate(zip(ids, words, strict=True))
    )
    doc = Document.from_sentences(tokens, lengths, id="d")
    spans: list[tuple[int, int]] = []
    for _ in range(draw(st.integers(0, 6))):
        start = draw(st.integers(0, size - 1))
        end = draw(st.integers(start + 1, size))
        if not any(a < start < b < end or start < a < end < b for a, b in spans):
            spans.append((start, end))
    groups: dict[str, list[Mention]] = {}
    for number, (start, end) in enumerate(sorted(set(spans), key=lambda span: (span[0], -span[1]))):
        head = draw(st.one_of(st.none(), st.integers(start, end - 1)))
        name = draw(st.sampled_from("xyz"))
        attributes = {"id": str(number), "anaphoric": "no"}
        groups.setdefault(name, []).append(doc.mention(range(start, end), head=head, attributes=attributes))
    return doc.replace(entities=tuple(Entity(name, tuple(mentions)) for name, mentions in groups.items()))


@settings(max_examples=60, deadline=None)
@given(documents(), st.sampled_from(["1", "3"]))
def test_round_trip(tmp_path_factory: pytest.TempPathFactory, doc: Document, task: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # crossing mentions of one entity are counted as a loss, though none are here
        back = convert(doc, tmp_path_factory.mktemp("trip"), task=task)
    assert back.sentences == doc.sentences
    assert [token.form for token in back.tokens] == [token.form for token in doc.tokens]
    assert back.text == doc.text
    assert texts(back) == texts(doc)
    mine = [(e.id, m.positions, m.head) for m, e in doc.mentions()]
    assert [(e.id, m.positions, m.head) for m, e in back.mentions()] == mine


@pytest.mark.parametrize("task", ["1", "3"])
def test_real_corpus(shared_data: Path, tmp_path: Path, task: str) -> None:
    """GUM dev to the key of a task and back: every mention, head and sentence comes back."""
    docs = [without_zeros(doc) for doc in coindex.read(shared_data / "en_gum/en_gum-corefud-dev.conllu", "corefud")]
    with pytest.warns(LossWarning, match="are cannot represent: "):
        coindex.write(docs, tmp_path / "out.xml", "are", task=task)
    back = list(coindex.read(tmp_path / "out.xml", "are"))
    assert sum(len(entity) for doc in back for entity in doc.entities) == 7897
    for one, two in zip(docs, back, strict=True):
        assert one.id == two.id
        assert [len(sentence) for sentence in two.sentences] == [len(sentence) for sentence in one.sentences]
        marked = [sorted((e.id, m.positions, m.head or -1) for m, e in doc.mentions()) for doc in (one, two)]
        assert marked[0] == marked[1]
