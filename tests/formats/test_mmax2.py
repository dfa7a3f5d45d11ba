"""MMAX2: projects of several files, pointers, sets, groups, writing, bad input, the Potsdam corpus."""

import gzip
import warnings
from collections import Counter
from dataclasses import replace
from pathlib import Path, PurePath

import pytest

from coindex.api import read, write
from coindex.document import Document, Entity, Mention, Sentence, SplitAntecedent, Token, Tokens
from coindex.errors import CoindexError, DataWarning, FormatError, LossWarning, Problem
from coindex.formats.detection import Head
from coindex.formats.registry import get_format

COMMON = """<?xml version="1.0"?>
<!DOCTYPE common_paths>
<common_paths>
<basedata_path>base/</basedata_path>
<markable_path>marks/</markable_path>
<annotations>
<level name="primmark" schemefile="p.xml">$_primmark_level.xml</level>
<level name="secmark" schemefile="s.xml">$_secmark_level.xml</level>
<level name="groups" schemefile="g.xml">$_groups_level.xml</level>
<level name="sentence" schemefile="t.xml">$_sentence_level.xml</level>
<level name="pos" schemefile="t.xml">$_pos_level.xml</level>
</annotations>
</common_paths>
"""
PROJECT = '<?xml version="1.0"?>\n<mmax_project>\n<words>tale_words.xml</words>\n</mmax_project>\n'
TEXT = "Ann met Bob at the old mill . They saw a dog , which barked . She ran"
TALE = TEXT.split()
PRIMMARK = [
    'id="markable_1" span="word_1" anaphor_antecedent="empty" np_form="ne"',
    'id="markable_2" span="word_3" anaphor_antecedent="empty"',
    'id="markable_3" span="word_9" anaphor_antecedent="groups:markable_90" mmax_level="primmark"',
    'id="markable_4" span="word_16a" anaphor_antecedent="markable_1"',
    'id="markable_5" span="word_14" anaphor_antecedent="secmark:markable_7"',
    'id="markable_6" span="word_5..word_7" anaphor_antecedent="empty"',
]
SECMARK = ['id="markable_7" span="word_11,word_12,word_14..word_15"']
GROUPS = ['id="markable_90" span="word_1,word_3"']
SENTENCES = ['id="markable_51" span="word_1..word_7"', 'id="markable_52" span="word_9..word_15"']
POS = ['id="markable_1" span="word_1" tag="NE"']


def level(name: str, markables: list[str]) -> str:
    lines = "\n".join(f"<markable {markable}/>" for markable in markables)
    return (
        f'<?xml version="1.0"?>\n<!DOCTYPE markables SYSTEM "markables.dtd">\n'
        f'<markables xmlns="www.eml.org/NameSpaces/{name}">\n{lines}\n</markables>'
    )


def words(forms: list[str]) -> str:
    """The words; the last but one is word_16a, for ids need not be numbers in order."""
    ids = [f"word_{number}" for number in range(1, len(forms) + 1)]
    ids[-2:] = ["word_16a", "word_17"]
    lines = "\n".join(f'<word id="{id}">{form}</word>' for id, form in zip(ids, forms, strict=True))
    prologue = "<?xml version='1.0' encoding='utf-8'?>\n<!DOCTYPE words SYSTEM \"words.dtd\">"
    return f"{prologue}\n<words>\n{lines}\n</words>"


@pytest.fixture
def tale(tmp_path: Path) -> Path:
    folder = tmp_path / "tale"
    for name in ("base", "marks"):
        (folder / name).mkdir(parents=True)
    (folder / "common_paths.xml").write_text(COMMON)
    (folder / "base" / "tale_words.xml").write_text(words(TALE))
    for name, markables in {
        "primmark": PRIMMARK,
        "secmark": SECMARK,
        "groups": GROUPS,
        "sentence": SENTENCES,
        "pos": POS,
    }.items():
        (folder / "marks" / f"tale_{name}_level.xml").write_text(level(name, markables))
    path = folder / "tale.mmax"
    path.write_text(PROJECT)
    return path


def only(path: Path) -> Document:
    (doc,) = read(path, format="mmax2")
    return doc


def set_level(tale: Path, name: str, markables: list[str]) -> Path:
    path = tale.parent / "marks" / f"tale_{name}_level.xml"
    path.write_text(level(name, markables))
    return path


def summary(doc: Document) -> list[tuple[str, list[tuple[int, ...]]]]:
    return [(entity.id, [mention.positions for mention in entity.mentions]) for entity in doc.entities]


def test_everything_is_read(tale):
    doc = only(tale)
    assert doc.id == "tale"
    assert doc.text == "Ann met Bob at the old mill .\nThey saw a dog , which barked .\nShe ran"
    assert [(s.id, s.start, s.end) for s in doc.sentences] == [
        ("markable_51", 0, 8),
        ("markable_52", 8, 16),
        (None, 16, 18),
    ]
    assert summary(doc) == [
        ("markable_1", [(0,), (16,)]),
        ("markable_2", [(2,)]),
        ("markable_6", [(4, 5, 6)]),
        ("markable_3", [(8,)]),
        ("markable_7", [(10, 11, 13, 14), (13,)]),
    ]
    assert [mention.attributes for mention, _ in doc.mentions()][:2] == [
        {"np_form": "ne", "level": "primmark"},
        {"level": "primmark"},
    ]
    assert doc.entity("markable_7").mentions[0].attributes == {"level": "secmark"}
    assert doc.entity("markable_7").mentions[0].text == "a dog … which barked"
    they = doc.entity("markable_3").mentions[0]
    assert they.attributes == {"level": "primmark"}
    assert doc.split_antecedents == (SplitAntecedent(they, "markable_3", ("markable_1", "markable_2")),)


def test_a_list_of_pointers_is_a_split_antecedent(tale):
    changed = PRIMMARK[2].replace("groups:markable_90", "markable_2;secmark:markable_7")
    set_level(tale, "primmark", [*PRIMMARK[:2], changed, *PRIMMARK[3:]])
    (split,) = only(tale).split_antecedents
    assert (split.anaphor.text, split.antecedents) == ("They", ("markable_2", "markable_7"))


def test_a_list_of_pointers_to_one_entity_is_identity(tale):
    changed = PRIMMARK[2].replace("groups:markable_90", "markable_4;markable_1")
    set_level(tale, "primmark", [*PRIMMARK[:2], changed, *PRIMMARK[3:]])
    doc = only(tale)
    assert doc.split_antecedents == ()
    assert summary(doc)[0] == ("markable_1", [(0,), (8,), (16,)])


def test_a_list_that_holds_the_own_entity_is_counted(tale):
    changed = PRIMMARK[3].replace('"markable_1"', '"markable_1;markable_4"').replace("markable_4;", "markable_1;")
    looped = 'id="markable_8" span="word_18" anaphor_antecedent="markable_4;markable_2"'
    same = 'id="markable_2" span="word_3" anaphor_antecedent="markable_8"'
    set_level(tale, "primmark", [PRIMMARK[0], same, *PRIMMARK[2:3], changed.replace(";markable_4", ""), looped])
    (tale.parent / "base" / "tale_words.xml").write_text(words(TALE).replace("word_17", "word_18"))
    with pytest.warns(DataWarning, match="1 lists of antecedents that contain the mention's own entity"):
        assert len(only(tale).split_antecedents) == 1


def test_a_group_has_the_largest_markables_that_begin_its_parts(tale):
    inner = 'id="markable_8" span="word_14"'
    groups = ['id="markable_90" span="word_5..word_7,word_11..word_15"']
    set_level(tale, "groups", groups)
    set_level(tale, "secmark", ['id="markable_7" span="word_11..word_12"', inner])
    set_level(tale, "primmark", [*PRIMMARK[:4], PRIMMARK[5], 'id="markable_9" span="word_11" type="none"'])
    (split,) = only(tale).split_antecedents
    assert split.antecedents == ("markable_6", "markable_7")


def test_pointers_that_do_not_resolve_are_counted(tale):
    changed = [markable.replace("groups:markable_90", "groups:markable_91") for markable in PRIMMARK]
    set_level(tale, "primmark", [markable.replace('ent="markable_1"', 'ent="markable_999"') for markable in changed])
    with pytest.warns(DataWarning, match=r"tale\.mmax: 2 pointers to a missing annotation"):
        doc = only(tale)
    assert doc.split_antecedents == ()


def test_sets(tale):
    set_level(
        tale,
        "primmark",
        [
            'id="markable_1" span="word_1" coref_class="set_4" min_ids="word_1"',
            'id="markable_2" span="word_3" coref_class="empty"',
            'id="markable_3" span="word_16a..word_17" coref_set="set_4" min_ids="word_17"',
            'id="4" span="word_7" min_ids="word_9"',
        ],
    )
    set_level(tale, "secmark", [])
    doc = only(tale)
    assert summary(doc) == [("4", [(0,), (16, 17)]), ("markable_2", [(2,)]), ("primmark:4", [(6,)])]
    assert [mention.head for mention in doc.entity("4").mentions] == [0, 17]
    assert doc.entity("primmark:4").mentions[0].attributes == {"min_ids": "word_9", "level": "primmark"}


def test_other_levels_are_no_mentions_unless_linked_to(tale):
    assert len(only(tale).mentions()) == 7
    changed = [*PRIMMARK[:3], PRIMMARK[3].replace('"markable_1"', '"pos:markable_1"'), *PRIMMARK[4:]]
    set_level(tale, "primmark", changed)
    doc = only(tale)
    assert ("pos:markable_1", [(0,), (16,)]) in summary(doc)


def test_markables_of_one_span_in_one_chain_are_one_mention(tale):
    set_level(tale, "secmark", [*SECMARK, 'id="markable_8" span="word_1" anaphor_antecedent="primmark:markable_1"'])
    with pytest.warns(DataWarning, match="1 markables that repeat another one of their chain"):
        assert summary(only(tale))[0] == ("markable_1", [(0,), (16,)])


def test_without_a_sentence_level_all_is_one_sentence(tale):
    (tale.parent / "marks" / "tale_sentence_level.xml").unlink()
    with pytest.warns(DataWarning, match="1 markable levels without a file"):
        doc = only(tale)
    assert [(s.id, s.start, s.end) for s in doc.sentences] == [(None, 0, 18)]
    assert doc.tokens[17].id == "18"


def test_nested_and_broken_sentences(tale):
    set_level(
        tale,
        "sentence",
        [
            'id="s3" span="word_2..word_3"',
            'id="s1" span="word_1..word_4,word_16a..word_17" speaker="Ann"',
            'id="s2" span="word_3..word_9"',
        ],
    )
    doc = only(tale)
    assert [(s.id, s.start, s.end, s.speaker) for s in doc.sentences] == [
        ("s1", 0, 4, "Ann"),
        ("s2", 4, 9, None),
        (None, 9, 16, None),
        (None, 16, 18, None),
    ]


def test_without_common_paths_the_usual_folders_are_used(tale):
    (tale.parent / "common_paths.xml").unlink()
    (tale.parent / "base").rename(tale.parent / "basedata")
    (tale.parent / "marks").rename(tale.parent / "markables")
    doc = only(tale)
    assert (len(doc.sentences), len(doc.entities)) == (3, 5)


def test_empty_words_are_left_out_and_counted(tale):
    path = tale.parent / "base" / "tale_words.xml"
    path.write_text(words(TALE).replace(">old<", "> <"))
    with pytest.warns(DataWarning, match="1 words that consist of white space, left out"):
        doc = only(tale)
    assert doc.entity("markable_6").mentions[0].text == "the mill"
    assert doc.entity("markable_1").mentions[1].text == "She"


def test_gz(tale):
    parts = [path for path in tale.parent.rglob("*.*") if path.name != "common_paths.xml"]
    for path in parts:
        path.with_name(f"{path.name}.gz").write_bytes(gzip.compress(path.read_bytes()))
        path.unlink()
    assert len(only(tale.with_name("tale.mmax.gz")).entities) == 5


def test_detection():
    detect = get_format("mmax2").detect
    assert detect(Head(PurePath("tale.mmax"), PROJECT)) == "main"
    assert detect(Head(PurePath("x"), PROJECT)) == "main"
    assert detect(Head(PurePath("tale_words.xml"), words(TALE))) == "part"
    assert detect(Head(PurePath("tale_pos_level.xml"), level("pos", POS))) == "part"
    assert detect(Head(PurePath("common_paths.xml"), COMMON)) == "part"
    assert detect(Head(PurePath("a.xml"), '<Document doc_name="1_1ecb.xml">')) == "no"
    assert detect(Head(PurePath("a.txt"), "He wrote <words>.")) == "no"


@pytest.mark.parametrize(
    ("file", "old", "new", "line", "found"),
    [
        (
            "marks/tale_primmark_level.xml",
            "word_3",
            "word_33",
            5,
            "markable 'markable_2' with the span 'word_33'",
        ),
        (
            "marks/tale_primmark_level.xml",
            "word_5..word_7",
            "word_7..word_5",
            9,
            "markable 'markable_6' with the span 'word_7..word_5'",
        ),
        ("marks/tale_primmark_level.xml", ' span="word_3"', "", 5, "markable 'markable_2' with the span ''"),
        (
            "marks/tale_primmark_level.xml",
            "markable_2",
            "markable_1",
            5,
            "the id 'markable_1', which another has",
        ),
        ("marks/tale_secmark_level.xml", 'id="markable_7"', "", 4, "a markable without id"),
        ("base/tale_words.xml", "word_3", "word_2", 6, "a word with the id 'word_2', which another has"),
        ("base/tale_words.xml", ' id="word_18"', "", 21, "a word without id"),
        ("tale.mmax", "tale_words", "tail_words", 3, "the words file 'tail_words.xml', which does not exist"),
        ("tale.mmax", "mmax_project", "project", 2, "the root element <project>"),
        ("marks/tale_sentence_level.xml", "</markables>", "", 6, "not well-formed XML"),
    ],
)
def test_bad_input_has_its_place(tale, file, old, new, line, found):
    path = tale.parent / file
    text = path.read_text().replace("word_17", "word_18") if "word_18" in old else path.read_text()
    path.write_text(text.replace(old, new) if "project" in old else text.replace(old, new, 1))
    with pytest.raises(FormatError) as caught:
        only(tale)
    assert str(caught.value).startswith(f"{path}:{line}: ")
    assert found in str(caught.value)


def test_all_problems_are_collected(tale):
    marks = set_level(tale, "primmark", [m.replace("word_5..", "word_x..").replace("word_3", "") for m in PRIMMARK])
    found: list[Problem] = []
    (doc,) = read(tale, format="mmax2", on_problem=found.append)
    assert [(problem.path, problem.line) for problem in found] == [(str(marks), 5), (str(marks), 9)]
    assert "markable_2" not in [entity.id for entity in doc.entities]


def test_a_part_alone_is_refused_with_advice(tale):
    with pytest.raises(CoindexError, match=r"the root element <words>; expected a \.mmax file .*; name the \.mmax"):
        list(read(tale.parent / "base" / "tale_words.xml", format="mmax2"))


def test_entity_bombs_are_refused(tale):
    path = tale.parent / "base" / "tale_words.xml"
    path.write_text('<!DOCTYPE words [<!ENTITY a "b">]>\n<words><word id="word_1">&a;</word></words>')
    with pytest.raises(FormatError, match=r"tale_words\.xml:1: a declared entity 'a'"):
        only(tale)


def test_round_trip(tale, tmp_path):
    doc = only(tale)
    write(doc, tmp_path / "out", "mmax2")
    assert sorted(p.relative_to(tmp_path / "out").as_posix() for p in (tmp_path / "out").rglob("*.*")) == [
        "basedata/tale_words.xml",
        "common_paths.xml",
        "markables/tale_coref_level.xml",
        "markables/tale_sentence_level.xml",
        "tale.mmax",
    ]
    back = only(tmp_path / "out" / "tale.mmax")
    last = replace(doc.sentences[2], id="sentence_3")
    assert back == doc.replace(sentences=(*doc.sentences[:2], last))
    assert 'coref_class="set_markable_7"' in (tmp_path / "out/markables/tale_coref_level.xml").read_text()


def foreign() -> Document:
    """As another format may give it: heads, an event, an empty node, reserved and odd names of attributes."""
    forms = ["Ann", "<&>", "_", "sang", "in\x0bside", "Rome"]
    tokens = Tokens(Token(str(i) if form != "_" else "2.1", form) for i, form in enumerate(forms, 1))
    sentences = (Sentence(tokens, 0, 4, id="s", speaker="A"), Sentence(tokens, 4, 6, id="s"))
    entities = (
        Entity("e 1", (Mention(tokens, (0, 1), 1, {"id": "x", "ünd": ""}), Mention(tokens, (2, 5), 5)), "per<son"),
        Entity("e2", (Mention(tokens, (3, 5), 3),), "sing", "event"),
        Entity("e3", (Mention(tokens, (2,), 2),)),
        Entity("e4", (Mention(tokens, (4,)),)),
    )
    split = SplitAntecedent(entities[3].mentions[0], "e4", ("e2", "e 1"))
    gone = SplitAntecedent(entities[2].mentions[0], "e3", ("e2", "e 1"))
    return Document(tokens, sentences, entities, id="a/b$", split_antecedents=(gone, split))


def test_a_foreign_document_is_written_and_read_back(tmp_path):
    signs = pytest.warns(LossWarning, match="mmax2 cannot represent: 2 words with control characters")
    with signs, pytest.warns(LossWarning, match="mmax2 cannot represent: 2 zero mentions"):
        write([foreign(), replace(foreign(), id=None)], tmp_path / "out", "mmax2")
    doc = only(tmp_path / "out" / "a_b$.mmax")
    assert doc.id == "a/b$"
    assert [token.form for token in doc.tokens] == ["Ann", "<&>", "sang", "in\ufffdside", "Rome"]
    assert [(s.id, s.start, s.end, s.speaker) for s in doc.sentences] == [
        ("s", 0, 3, "A"),
        ("sentence_2", 3, 5, None),
    ]
    assert [(e.id, e.type, e.kind, [(m.positions, m.head) for m in e.mentions]) for e in doc.entities] == [
        ("e 1", "per<son", "entity", [((0, 1), 1), ((4,), 4)]),
        ("e2", "sing", "event", [((2, 4), 2)]),
        ("e4", None, "entity", [((3,), None)]),
    ]
    assert doc.entities[0].mentions[0].attributes == {"id_": "x", "_nd": ""}
    assert [(s.anaphor.positions, s.entity, s.antecedents) for s in doc.split_antecedents] == [
        ((3,), "e4", ("e2", "e 1"))
    ]
    assert only(tmp_path / "out" / "doc2.mmax").id == "doc2"


def test_the_potsdam_corpus(shared_data, tmp_path):
    paths = sorted((shared_data / "de_potsdam_mmax" / "coreference").glob("*.mmax"))
    assert len(paths) == 176
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DataWarning)
        docs = [only(path) for path in paths]
    assert [str(w.message).rpartition("/")[2] for w in caught] == ["maz-14172.mmax: 1 pointers to a missing annotation"]
    assert sum(len(doc.tokens) for doc in docs) == 33222
    mentions = [mention for doc in docs for mention, _ in doc.mentions()]
    assert Counter(m.attributes["level"] for m in mentions) == {"primmark": 5272, "secmark": 211}
    gaps = Counter(m.attributes["level"] for m in mentions if not m.is_contiguous)
    assert gaps == {"primmark": 329, "secmark": 15}
    entities = [entity for doc in docs for entity in doc.entities]
    assert (len(entities), sum(entity.is_singleton for entity in entities)) == (3858, 2978)
    splits = [split for doc in docs for split in doc.split_antecedents]
    assert len(splits) == 29  # 20 groups and 9 lists
    assert not any(len(split.antecedents) < 2 for split in splits)
    write(docs, tmp_path / "out", "mmax2")
    assert [only(tmp_path / "out" / path.name) for path in paths] == docs


def test_a_project_cannot_name_files_outside_its_folder(tmp_path):
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "a_words.xml").write_text('<words><word id="word_1">secret</word></words>')
    project = tmp_path / "project"
    project.mkdir()
    (project / "a.mmax").write_text("<mmax_project><words>a_words.xml</words></mmax_project>")
    paths = "<common_paths><basedata_path>../secret/</basedata_path></common_paths>"
    (project / "common_paths.xml").write_text(paths)
    with pytest.raises(FormatError, match=r"a\.mmax:1: the words file 'a_words\.xml', which does not exist"):
        list(read(project / "a.mmax"))
