"""Reading CorefUD files, and errors with their place."""

from __future__ import annotations

from pathlib import Path

import pytest

import coindex
from coindex.document import Document, Multiword
from coindex.errors import DataWarning, FormatError, Problem
from corefud_text import HEADER, document, sentence


def read(tmp_path: Path, text: str) -> list[Document]:
    path = tmp_path / "in.conllu"
    path.write_bytes(text.encode())
    return list(coindex.read(path))


def one(tmp_path: Path, *words: str, header: str = HEADER) -> Document:
    (doc,) = read(tmp_path, document(sentence(*words), header=header))
    return doc


def spans(doc: Document) -> dict[str, list[tuple[int, ...]]]:
    return {entity.id: [mention.positions for mention in entity.mentions] for entity in doc.entities}


# --- words


def test_multiword_tokens(tmp_path: Path) -> None:
    doc = one(tmp_path, "1-2 del SpaceAfter=No|Typo=Yes", "de", "el", "3-5 dámelo", "da", "me", "lo", ". SpaceAfter=No")
    assert doc.text == "deldámelo ."
    assert doc.tokens.multiwords == (
        Multiword(0, 2, "del", "Typo=Yes", ""),
        Multiword(2, 5, "dámelo", "_", " "),
    )
    assert [(doc.tokens.start_char(p), doc.tokens.end_char(p)) for p in range(6)] == [
        (0, 3),
        (0, 3),
        (3, 9),
        (3, 9),
        (3, 9),
        (10, 11),
    ]


def test_empty_nodes_count_beyond_nine(tmp_path: Path) -> None:
    empty = [f"1.{number} _" for number in range(1, 12)]
    doc = one(tmp_path, "0.1 _ Entity=(e1)", "went", *empty, "home", "2.1 _ Entity=(e1)")
    assert [token.id for token in doc.tokens] == ["0.1", "1", *(f"1.{n}" for n in range(1, 12)), "2", "2.1"]
    assert spans(doc) == {"e1": [(0,), (14,)]}
    assert [mention.is_zero for mention in doc.entities[0].mentions] == [True, True]
    assert doc.text == "went home"


def test_spaces_after_words(tmp_path: Path) -> None:
    words = ("a SpacesAfter=\\s\\s", "b SpacesAfter=\\t\\n\\r", "c SpacesAfter=\\p\\\\x", "d SpaceAfter=No", "e", "f")
    assert one(tmp_path, *words).text == "a  b\t\n\rc|\\xde f"


def test_the_text_of_a_document_has_no_trailing_space(tmp_path: Path) -> None:
    assert one(tmp_path, "a", "b", "2.1 _").text == "a b"
    assert one(tmp_path, "a", "2-3 bc", "b", "c", "3.1 _").text == "a bc"
    assert one(tmp_path, "a", "b SpacesAfter=\\s\\s").text == "a b  "


@pytest.mark.parametrize("newpar", ["# newpar", "# newpar id = p2"])
def test_a_new_paragraph_is_a_new_line(newpar: str, tmp_path: Path) -> None:
    sentences = [sentence("a", "1.1 _"), sentence("b"), sentence("c SpacesAfter=\\n\\n", comments=(newpar,))]
    (doc,) = read(tmp_path, document(*sentences, sentence("d", comments=(newpar,))))
    assert doc.text == "a b\nc\n\nd"


def test_columns_are_kept_as_they_are(tmp_path: Path) -> None:
    line = "1\tDogs\tdog\tNOUN\tNNS\tNumber=Plur\t0\troot\t0:root|1:ref\tGloss=x|Entity=(e1)|SpaceAfter=No|Z"
    (doc,) = read(tmp_path, document(line + "\n\n"))
    token = doc.tokens[0]
    assert token[:10] == ("1", "Dogs", "dog", "NOUN", "NNS", "Number=Plur", "0", "root", "0:root|1:ref", "Gloss=x|Z")
    assert (token.space, token.features, token.misc_values) == ("", {"Number": "Plur"}, {"Gloss": "x", "Z": ""})


# --- documents and sentences


def test_documents_and_their_metadata(tmp_path: Path) -> None:
    text = (
        "# newdoc id = one\n# meta::genre = news\n# meta::topic = t1\n# meta::subtopic = t1a\n# meta::year = 1999\n"
        + sentence("a", comments=("# sent_id = s1", "# speaker = Ann", "# odd remark", "# text = a"))
        + "# newdoc\n"
        + sentence("b")
    )
    first, second = read(tmp_path, text)
    assert (first.id, first.genre, first.topic, first.subtopic, first.meta) == (
        "one",
        "news",
        "t1",
        "t1a",
        {"year": "1999"},
    )
    assert (first.sentences[0].id, first.sentences[0].speaker) == ("s1", "Ann")
    assert first.sentences[0].comments == ("# odd remark",)
    assert (second.id, second.genre, second.meta) == ("2", None, {})


def test_comments_without_a_value_are_only_comments(tmp_path: Path) -> None:
    (doc,) = read(tmp_path, sentence("a", comments=("# sent_idx", "# speakers", "# newparade")))
    assert (doc.sentences[0].id, doc.sentences[0].speaker) == (None, None)
    assert doc.sentences[0].comments == ("# sent_idx", "# speakers", "# newparade")
    assert doc.id is None


def test_ids_are_local_under_grp_and_shared_under_eid(tmp_path: Path) -> None:
    assert one(tmp_path, "a Entity=(e1)").shared_ids is True
    assert one(tmp_path, "a Entity=(1)", header="# global.Entity = GRP-etype").shared_ids is False


# --- entities


def test_nested_crossing_and_discontinuous_mentions(tmp_path: Path) -> None:
    doc = one(
        tmp_path,
        "a Entity=(e1--2(e1--1)(e2[1/2]--3",
        "b Entity=e2[1/2])",
        "c Entity=(e3",
        "d Entity=e1)(e2[2/2]--3)",
        "e Entity=e3)",
    )
    assert spans(doc) == {"e1": [(0, 1, 2, 3), (0,)], "e2": [(0, 1, 3)], "e3": [(2, 3, 4)]}
    assert [[m.head for m in entity.mentions] for entity in doc.entities] == [[1, 0], [3], [None]]


def test_mentions_of_one_entity_close_the_last_opened(tmp_path: Path) -> None:
    doc = one(tmp_path, "a Entity=(e1", "b Entity=(e1", "c Entity=e1)", "d Entity=e1)")
    assert spans(doc) == {"e1": [(0, 1, 2, 3), (1, 2)]}


def test_entities_come_in_the_order_of_their_first_mentions(tmp_path: Path) -> None:
    doc = one(tmp_path, "a Entity=(e9)(e10)", "b Entity=(e2", "c Entity=(e1)", "d Entity=e2)(e9)")
    assert list(spans(doc)) == ["e10", "e9", "e2", "e1"]


def test_types_kinds_and_attributes(tmp_path: Path) -> None:
    doc = one(
        tmp_path,
        "a Entity=(e1--1-gstype:gen)",
        "b Entity=(e1-person-1-gstype:spec,note)",
        "c Entity=(e1-place-1)",
        "d Entity=(e2--1-kind:event,x:y)",
        "e Entity=(e3)",
    )
    first, second, third = doc.entities
    assert [(e.type, e.kind) for e in doc.entities] == [("person", "entity"), (None, "event"), (None, "entity")]
    assert [dict(m.attributes) for m in first.mentions] == [
        {"gstype": "gen"},
        {"gstype": "spec", "note": ""},
        {"etype": "place"},
    ]
    assert [dict(m.attributes) for m in second.mentions + third.mentions] == [{"x": "y"}, {}]


@pytest.mark.parametrize("char", ["-", "(", ")", "|", "=", " ", "\t", "\n", "%", "%25", "%2D", ",", ":", "<", "[", "é"])
@pytest.mark.parametrize("header", [HEADER, "# global.Entity = GRP-etype-head-note-other"])
def test_special_characters_in_values_survive(char: str, header: str, tmp_path: Path) -> None:
    doc = one(tmp_path, "a Entity=(e1)", "b Entity=(e2)", header=header)
    values = {"note": f"{char}x{char}{char}y{char}", f"name{char}": f"a{char}b"}
    anaphor = doc.mention([0], head=0, attributes=values)
    doc = doc.replace(
        entities=(coindex.Entity("e1", (anaphor,), f"odd{char}type"), doc.entities[1]),
        bridges=(coindex.Bridge(anaphor, "e1", "e2", f"rel{char}ation"),),
    )
    coindex.write(doc, tmp_path / "out.conllu")
    (again,) = coindex.read(tmp_path / "out.conllu")
    assert (again.entities[0].type, dict(again.entities[0].mentions[0].attributes)) == (f"odd{char}type", values)
    assert again.bridges == doc.bridges


@pytest.mark.parametrize("header", [HEADER, "# global.Entity = GRP-etype-infstat"])
def test_attributes_may_be_named_as_fields_are(header: str, tmp_path: Path) -> None:
    doc = one(tmp_path, "a Entity=(e1)", header=header)
    values = {"head": "x", "eid": "7", "GRP": "8", "other": "a,b:c", "infstat": "new"}
    mention = doc.mention([0], attributes=values)
    coindex.write(doc.replace(entities=(coindex.Entity("e1", (mention,)),)), tmp_path / "out.conllu")
    (again,) = coindex.read(tmp_path / "out.conllu")
    assert dict(again.entities[0].mentions[0].attributes) == values


def test_gum_headers(tmp_path: Path) -> None:
    header = "# global.Entity = GRP-etype-infstat-salience-centering-minspan-link-identity"
    doc = one(
        tmp_path,
        "Ann Entity=(1-person-new-nnnnn-cf2-1-coref-Ann_(queen)".replace("(queen)", "%28queen%29") + ")",
        "left",
        header=header,
    )
    assert dict(doc.entities[0].mentions[0].attributes) == {
        "infstat": "new",
        "salience": "nnnnn",
        "centering": "cf2",
        "minspan": "1",
        "link": "coref",
        "identity": "Ann_(queen)",
    }
    assert doc.entities[0].mentions[0].head is None


def test_the_id_may_stand_anywhere(tmp_path: Path) -> None:
    doc = one(tmp_path, "a Entity=(person-e1-2", "b Entity=e1)", header="# global.Entity = etype-eid-head")
    assert (spans(doc), doc.entities[0].type, doc.entities[0].mentions[0].head) == ({"e1": [(0, 1)]}, "person", 1)


def test_heads_of_very_long_mentions(tmp_path: Path) -> None:
    words = ["w"] * 1500
    words[0], words[-1] = "w Entity=(e1--1200", "w Entity=e1)"
    assert one(tmp_path, *words).entities[0].mentions[0].head == 1199


def test_bridges_and_groups(tmp_path: Path) -> None:
    doc = one(
        tmp_path,
        "a Entity=(e1)",
        "b Entity=(e2)",
        "c Bridge=e1<e3:sub:set,e2<e3|Entity=(e3)|SplitAnte=e1<e3,e2<e3",
    )
    anaphor = doc.entities[2].mentions[0]
    assert doc.bridges == (coindex.Bridge(anaphor, "e3", "e1", "sub:set"), coindex.Bridge(anaphor, "e3", "e2"))
    assert doc.split_antecedents == (coindex.SplitAntecedent(anaphor, "e3", ("e1", "e2")),)


def test_relations_at_a_word_where_nothing_begins_are_counted(tmp_path: Path) -> None:
    with pytest.warns(DataWarning) as caught:
        doc = one(tmp_path, "a Entity=(e1)|Bridge=e1<e2|SplitAnte=e1<e2,e3<e2", "b Entity=(e2)", "c Entity=(e3)")
    assert [str(warning.message).partition(": ")[2] for warning in caught] == [
        "1 bridging relations at a word where no mention of their entity begins",
        "2 split antecedents at a word where no mention of their entity begins",
    ]
    assert doc.bridges == doc.split_antecedents == ()


@pytest.mark.parametrize("misc", ["NotEntity=(e1)", "Note=Entity=(e1)x", "_"])
def test_only_entity_is_entity(misc: str, tmp_path: Path) -> None:
    assert one(tmp_path, f"a {misc}").entities == ()


def test_entity_in_another_column_is_no_annotation(tmp_path: Path) -> None:
    (doc,) = read(tmp_path, document("1\tEntity=(e1)\tEntity=(e1)\tX\t_\t_\t0\troot\t_\t_\n\n"))
    assert (doc.entities, doc.tokens[0].form) == ((), "Entity=(e1)")


# --- problems: the text from line 3 on, the line of the problem, what is found, what is expected

WORD = "1\ta\ta\tX\t_\t_\t0\troot\t_\t_\n"
PROBLEMS = {
    "nine columns": ("1\ta\ta\tX\t_\t_\t0\troot\t_\n\n", 3, "9 columns: '1", "ten columns separated by tabs"),
    "eleven columns": (WORD[:-1] + "\t_\n\n", 3, "11 columns: '1", "ten columns separated by tabs"),
    "blanks for tabs": ("1 a a X _ _ 0 root _ _\n\n", 3, "1 column: '1 a", "ten columns separated by tabs"),
    "no blank line": (WORD + "# sent_id = 2\n" + WORD + "\n", 4, "a comment after the first word", "comments before"),
    "an id for the second time": (sentence("a", "1 b"), 4, "the word id '1'", "2, or an empty node 1.1"),
    "an id left out": (sentence("a", "3 b"), 4, "the word id '3'", "2, or an empty node 1.1"),
    "an odd id": (sentence("a", "0 b"), 4, "the word id '0'", "2, or an empty node 1.1"),
    "a number with a zero": (sentence("a", "02 b"), 4, "the word id '02'", "2, or an empty node 1.1"),
    "an empty node twice": (sentence("a", "1.1 b", "1.1 c"), 5, "the word id '1.1'", "2, or an empty node 1.1"),
    "an empty node elsewhere": (sentence("a", "5.1 b"), 4, "the word id '5.1'", "2, or an empty node 1.1"),
    "a multiword token too long": (sentence("1-3 ab", "a", "b"), 5, "the word id '2'", "3, or an empty node 2.1"),
    "a multiword token in another": (sentence("1-3 ab", "a", "2-3 x", "b", "c"), 5, "the word id '2-3'", "2, or"),
    "a sentence without words": ("# sent_id = 1\n\n" + sentence("a"), 1, "a sentence without words", "lines of ten"),
    "a sentence id twice": (
        sentence("a", comments=("# sent_id = s",)) + sentence("b", comments=("# sent_id = s",)),
        6,
        "duplicate sent_id 's'",
        "a unique id for each sentence",
    ),
    "never closed": (sentence("a Entity=(e1", "b"), 3, "a mention of 'e1' that is never closed", "'e1)' at a later"),
    "closed in the next sentence": (
        sentence("a Entity=(e1") + sentence("b Entity=e1)"),
        3,
        "a mention of 'e1' that is never closed",
        "'e1)' at a later word of the sentence",
    ),
    "never opened": (sentence("a", "b Entity=e1)"), 4, "a closing bracket 'e1)' of a mention", "'(e1' at an earlier"),
    "no bracket": (sentence("a Entity=e1"), 3, "invalid brackets: Entity='e1'", "(id-fields to open"),
    "nothing in brackets": (sentence("a Entity=()"), 3, "invalid brackets: Entity='()'", "(id-fields to open"),
    "an opening bracket alone": (sentence("a Entity=("), 3, "invalid brackets: Entity='('", "(id-fields to open"),
    "a closing bracket alone": (sentence("a Entity=)"), 3, "a closing bracket ')'", "at an earlier word"),
    "something before a bracket": (sentence("a Entity=x(e1)"), 3, "invalid brackets: Entity='x(e1)'", "(id-fields"),
    "too many fields": (sentence("a Entity=(e1-a-1-b-c)"), 3, "5 fields in 'e1-a-1-b-c'", "at most 4: eid-etype-"),
    "a head too far": (sentence("a Entity=(e1--3", "b Entity=e1)"), 3, "head '3' of a mention of 2", "from 1 to 2"),
    "a head of one word": (sentence("a Entity=(e1--2)"), 3, "head '2' of a mention of 1 words", "a number from 1 to 1"),
    "a head that is no number": (sentence("a Entity=(e1--x)"), 3, "head 'x' of a mention of 1 words", "a number from"),
    "a head beyond all": (sentence(f"a Entity=(e1--{'9' * 5000})"), 3, "head '999", "a number from 1 to 1"),
    "the second part first": (sentence("a Entity=(e1[2/2])"), 3, "part 2/2 of a mention of 'e1'", "part 1/2 before it"),
    "the first part alone": (sentence("a Entity=(e1[1/2])"), 3, "only 1 of 2 parts of a mention of 'e1'", "all its"),
    "another number of parts": (
        sentence("a Entity=(e1[1/2])", "b Entity=(e1[2/3])"),
        4,
        "part 2/3 of a mention of 'e1'",
        "part 1/3 before it in this sentence",
    ),
    "a broken bridge": (sentence("a Entity=(e1)|Bridge=e1"), 3, "the relation 'e1'", "ANTECEDENT<ANAPHOR"),
    "a broken group": (sentence("a Entity=(e1)|SplitAnte=<e1"), 3, "the relation '<e1'", "ANTECEDENT<ANAPHOR"),
    "another header in the middle": (
        sentence("a Entity=(e1)") + sentence("b", comments=("# global.Entity = eid-head",)),
        5,
        "global.Entity = 'eid-head'",
        "the same in the whole document",
    ),
}


@pytest.mark.parametrize("name", PROBLEMS)
def test_problems(name: str, tmp_path: Path) -> None:
    text, line, found, expected = PROBLEMS[name]
    with pytest.raises(FormatError) as caught:
        read(tmp_path, document(text))
    problem = caught.value.problem
    assert (problem.path, problem.line) == (str(tmp_path / "in.conllu"), line)
    assert problem.found.startswith(found)
    assert problem.expected.startswith(expected) or expected in problem.expected
    assert problem.remedy
    assert str(caught.value) == f"{problem.path}:{line}: {problem.found}; expected {problem.expected}; {problem.remedy}"


@pytest.mark.parametrize("header", ["", "# global.Entity = etype-head\n", "# global.Entity = eid-GRP\n"])
def test_no_header_or_one_without_an_id(header: str, tmp_path: Path) -> None:
    with pytest.raises(FormatError) as caught:
        read(tmp_path, "# newdoc id = d\n" + header + sentence("a", "b Entity=(e1)"))
    problem = caught.value.problem
    assert problem.line == (2 if header else 3)
    assert problem.remedy.endswith(
        "# global.Entity = eid-etype-head-other" + ("" if header else " after the first # newdoc")
    )


@pytest.mark.parametrize("text", ["\n", "\n\n", "\n\n\n\n"])
def test_only_blank_lines(text: str, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"in\.conllu:1: no sentence; expected lines of ten"):
        read(tmp_path, text)


def test_a_document_for_the_second_time_is_warned_of(tmp_path: Path) -> None:
    with pytest.warns(DataWarning, match=r"in\.conllu:5: duplicate document id 'd'"):
        assert len(read(tmp_path, document(sentence("a")) + document(sentence("b")))) == 2


def test_all_problems_of_a_file_are_collected(tmp_path: Path) -> None:
    text = document(
        sentence("a Entity=(e1", "7 b", "c Entity=e9)", "d Entity=(e2--5)", comments=("# sent_id = s",)),
        "1\ttoo\tfew\n\n",
        sentence("e Entity=x", "f Entity=(e3)", comments=("# sent_id = s",)),
    )
    path = tmp_path / "in.conllu"
    path.write_text(text, encoding="utf-8")
    problems: list[Problem] = []
    (doc,) = coindex.read(path, on_problem=problems.append)
    assert [(problem.line, problem.found.split(":")[0][:30]) for problem in problems] == [
        (5, "the word id '7'"),
        (6, "the word id '8'"),
        (7, "the word id '9'"),
        (4, "a mention of 'e1' that is neve"),
        (9, "3 columns"),
        (9, "a sentence without words"),
        (11, "duplicate sent_id 's' in a doc"),
        (12, "invalid brackets"),
    ]
    assert [token.form for token in doc.tokens] == ["a", "e", "f"]
    assert spans(doc) == {"e3": [(2,)]}


def test_lines_are_counted_behind_a_bad_line(tmp_path: Path) -> None:
    """The bad line is left out, and what is wrong behind it has still its own line."""
    path = tmp_path / "in.conllu"
    path.write_text(document("1\tx\n" + sentence("a", "b Entity=e9)", "c Entity=(e1)")), encoding="utf-8")
    problems: list[Problem] = []
    (doc,) = coindex.read(path, on_problem=problems.append)
    assert [problem.line for problem in problems] == [3, 5]
    assert (len(doc.tokens), spans(doc), doc.origin) == (3, {"e1": [(2,)]}, None)


def test_a_document_without_words_is_kept(tmp_path: Path) -> None:
    """CoNLL-U has no such documents; the line in their place is udapi's."""
    empty = Document.from_text(" \n", id="none").replace(genre="poem", meta={"source": "x"})
    (tmp_path / "in.conllu").write_text(document(sentence("a")), encoding="utf-8")
    (full,) = coindex.read(tmp_path / "in.conllu")
    path = tmp_path / "out.conllu"
    coindex.write([empty, full, empty.replace(id="none2")], path)
    assert "\n1\t_\t_\t_\t_\t_\t0\t_\t_\tEmpty=Yes\n\n" in path.read_text(encoding="utf-8")
    first, second, third = coindex.read(path)
    assert (first.id, first.genre, first.meta, len(first.tokens), first.sentences) == (
        "none",
        "poem",
        {"source": "x"},
        0,
        (),
    )
    assert (second.text, third.id, len(third.tokens)) == (full.text, "none2", 0)
    coindex.write([first, second, third], tmp_path / "again.conllu")
    assert (tmp_path / "again.conllu").read_bytes() == path.read_bytes()


def test_a_sentence_without_words_beside_others_is_no_document(tmp_path: Path) -> None:
    no_words = "1\t_\t_\t_\t_\t_\t0\t_\t_\tEmpty=Yes\n\n"
    with pytest.warns(DataWarning, match="1 documents with sentences without words"):
        (doc,) = read(tmp_path, document(sentence("a")) + no_words + sentence("b"))
    assert [one.text for one in doc.sentences] == ["a", "b"]
