"""Behaviours: marked texts are read strictly, marks find their mentions, checks become a table."""

import re
from collections import Counter
from pathlib import Path

import pytest
from benchmarks.behaviours import failures_page, main, measured, page
from benchmarks.behaviours.checks import entity_of, failed_checks
from benchmarks.behaviours.suite import Mark, Text, parse, read_capability, read_suite
from benchmarks.systems import System

from benchmarks import behaviours
from coindex import Document, Entity
from coindex.errors import CoindexError

HEAD = "# Titles\n\nA name with and without\na title.\n"


def marked(text, number=1):
    return Text("some", number, *parse(text, Path("some.txt"), 1))


def resolved(text, *entities, heads=None):
    """The document with these entities, each a list of expressions; `words#2` is the second occurrence of words."""
    doc = Document.from_text(text, language="en")
    return doc.replace(
        entities=tuple(
            Entity(f"e{number}", tuple(mention(doc, words, heads or {}) for words in entity))
            for number, entity in enumerate(entities)
        )
    )


def mention(doc, expression, heads):
    words, _, occurrence = expression.partition("#")
    places = [match.span() for match in re.finditer(rf"\b{re.escape(words)}", doc.text)]
    positions = doc.tokens.positions_in(*places[int(occurrence or 1) - 1])
    head = heads.get(expression)
    return doc.mention(positions, head=next((at for at in positions if doc.tokens[at].form == head), None))


def write(tmp_path, text, name="titles.txt"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


class TestSuite:
    def test_markup_is_removed(self):
        text = marked("[[Her]1 mother]2 met [the man]3 [who]~3 sang.\n[It]0 rained.")
        assert text.text == "Her mother met the man who sang.\nIt rained."
        assert text.marks == (
            Mark(0, 10, 2),
            Mark(0, 3, 1),
            Mark(15, 22, 3),
            Mark(23, 26, 3, optional=True),
            Mark(33, 35, 0),
        )

    def test_capability(self, tmp_path):
        path = write(tmp_path, f"{HEAD}\n---\n[Dr. Ek]1 left.\n\n[Ek]1 ran.\n---\n[It]0 rains.\n---\n[A]1 saw [B]2.\n")
        capability = read_capability(path)
        assert (capability.name, capability.title) == ("titles", "Titles")
        assert capability.description == "A name with and without a title."
        assert [text.id for text in capability.texts] == ["titles/1", "titles/2", "titles/3"]
        assert [text.half for text in capability.texts] == ["dev", "held", "dev"]
        assert capability.texts[0].text == "Dr. Ek left.\n\nEk ran."

    def test_labels_count_occurrences(self):
        text = marked("[He]1 saw that [he]2 and [he]3 waved to [her]4.")
        assert [text.label(mark) for mark in text.marks] == ["He", "he", "he#2", "her"]

    @pytest.mark.parametrize(
        ("text", "place"),
        [
            ("[Ann left.", 6),
            ("Ann]1 left [her]1.", 6),
            ("[Ann] left [her]1.", 6),
            ("[Ann]1 left.\n\n[Bo]2nd waved.", 8),
            ("[Ann ]1 left [her]1.", 6),
            ("[]1 left [her]1.", 6),
            ("[[Ann]1]2 left.", 6),
            ("Ann left.", 6),
            ("[Ann]1 left.", 6),
            ("[Ann]1 left [herself]~1.", 6),
            ("[Ann]1 left [her]1.\n---\n\n---\n[It]0 rains.", 8),
        ],
    )
    def test_errors_have_a_place(self, tmp_path, text, place):
        with pytest.raises(CoindexError, match=rf"titles\.txt:{place}: "):
            read_capability(write(tmp_path, f"{HEAD}---\n{text}\n"))

    @pytest.mark.parametrize("text", ["Titles\n---\n[It]0 rains.\n", "# Titles\n---\n[It]0 rains.\n", HEAD])
    def test_head_and_texts_are_required(self, tmp_path, text):
        with pytest.raises(CoindexError, match=r"titles\.txt:1: "):
            read_capability(write(tmp_path, text))

    def test_empty_folder(self, tmp_path):
        with pytest.raises(CoindexError, match="no files"):
            read_suite(tmp_path)

    def test_texts_of_the_suite(self):
        suite = read_suite()
        texts = [text for capability in suite for text in capability.texts]
        assert len(suite) >= 40
        assert min(len(capability.texts) for capability in suite) >= 10
        assert [text for text, count in Counter(text.text for text in texts).items() if count > 1] == []

    def test_marks_of_the_suite_are_whole_words(self):
        """A mark that cuts a token could never match."""
        for capability in read_suite():
            for text in capability.texts:
                doc = Document.from_text(text.text, language="en")
                for mark in text.marks:
                    words = doc.tokens.positions_in(mark.start, mark.end)
                    ends = doc.tokens.start_char(words[0]), doc.tokens.end_char(words[-1])
                    assert ends == (mark.start, mark.end), f"{text.id}: {text.label(mark)}"


class TestMatching:
    @pytest.mark.parametrize(
        ("text", "mentions", "expected"),
        [
            ("[Ann]1 left.", ["Ann"], "Ann"),
            ("[Her]1 mother left.", ["Her mother"], None),
            ("[Her mother]1 left.", ["Her"], None),
            ("[Her mother]1 left.", ["mother", "Her"], "mother"),
            ("[the mayor]1 of Lund left.", ["the mayor of Lund", "Lund"], "the mayor of Lund"),
            ("the mayor of [Lund]1 left.", ["the mayor of Lund"], None),
            ("[Lund]1 left the mayor.", ["the mayor"], None),
            ("[Prof. Ek]1 left.", ["Ek"], "Ek"),
            ("[Prof. Ek]1 left.", ["Prof"], None),
            ("[Ek]1 of Lund left.", ["Ek of Lund", "Ek"], "Ek"),
            ("[Ann and Bo]1 left.", ["Ann", "Bo"], None),
            ("Ann and [Bo]1 left.", ["Ann and Bo"], None),
            ("[Ann]1 and Bo left.", ["Ann and Bo"], None),
            ('the "[Supplier]1" left.', ['the "Supplier"'], 'the "Supplier"'),
        ],
    )
    def test_mention_of_a_mark(self, text, mentions, expected):
        example = marked(f"{text} [It]0 rained.")
        heads = {"the mayor of Lund": "mayor", "Ann and Bo": "Bo" if "[Bo]" in text else "Ann", "Her mother": "mother"}
        doc = resolved(example.text, *([words] for words in mentions), heads=heads)
        entity = entity_of(doc, example.marks[0])
        assert (entity and entity.mentions[0].text) == expected

    def test_without_a_head_the_mention_ends_with_the_mark(self):
        text = marked("Old [Ek]1 of [Lund]2 left.")
        doc = resolved(text.text, ["Old Ek of Lund"])
        assert [entity_of(doc, mark) for mark in text.marks] == [None, doc.entities[0]]


class TestChecks:
    TEXT = "[Peter]1 thanked [him]2. [He]1 was glad that [it]0 had stopped, [who]~1 knows."

    @pytest.mark.parametrize(
        ("entities", "expected"),
        [
            ([["Peter", "He"], ["him"]], []),
            ([["Peter", "He"]], []),
            ([["Peter", "He", "who"], ["him"], ["it"]], []),
            ([["Peter", "He"], ["who"]], []),
            ([["Peter"], ["He"]], ["same: Peter = He"]),
            ([["Peter", "him"]], ["same: Peter = He (no mention: He)", "differ: Peter / him"]),
            ([], ["same: Peter = He (no mention: Peter, He)"]),
            ([["Peter", "He"], ["him", "who"]], ["differ: him / who"]),
            ([["Peter", "He", "it"]], ["unlinked: it"]),
            ([["Peter", "He", "him"]], ["differ: Peter / him"]),
        ],
    )
    def test_failed_checks(self, entities, expected):
        text = marked(self.TEXT)
        assert failed_checks(text, resolved(text.text, *entities)) == expected


class TestTable:
    @pytest.fixture
    def suite(self, tmp_path):
        write(tmp_path, f"{HEAD}---\n[Ann]1 hid [Bo]2.\n---\n[Eva]1 hid [Una]2.\n---\n[Cy]1 hid [Di]2.\n")
        write(tmp_path, "# Weather\n\nIt.\n---\n[It]0 rained.\n", "weather.txt")
        return read_suite(tmp_path)

    @staticmethod
    def link_all(docs):
        """Link the first and the third word, but nothing in the first text."""
        for doc in docs:
            links = [] if doc.text.startswith("Ann") else [Entity("e", (doc.mention([0]), doc.mention([2])))]
            yield doc.replace(entities=tuple(links))

    def test_measured(self, suite):
        row, failures = measured(System("all", self.link_all), suite)
        assert row["right"] == {"titles": {"dev": 1, "held": 0}, "weather": {"dev": 0, "held": 0}}
        assert [(text.id, checks) for text, checks in failures] == [
            ("titles/3", ["differ: Cy / Di"]),
            ("weather/1", ["unlinked: It"]),
        ]

    def test_held_failures_are_not_shown(self, suite):
        shown = failures_page("all", measured(System("all", self.link_all), suite)[1])
        assert "Cy hid Di." in shown
        assert "Eva" not in shown

    def test_page(self, suite):
        row, _ = measured(System("all", self.link_all), suite)
        lines = page(suite, [row]).splitlines()
        assert lines[-7:] == [
            "| capability | texts | all |",
            "| --- | --: | --: |",
            "| Titles | 3 | 1 |",
            "| Weather | 1 | 0 |",
            "| **dev** | 3 | 1 (33.3 %) |",
            "| **held** | 1 | 0 (0.0 %) |",
            "| **all** | 4 | 1 (25.0 %) |",
        ]

    def test_command(self, suite, monkeypatch, tmp_path, capsys):
        """Rows of other resolvers stay until the texts change."""
        monkeypatch.setattr(behaviours, "RESULTS", tmp_path)
        monkeypatch.setattr("benchmarks.measuring.RESULTS", tmp_path)
        monkeypatch.setattr(behaviours, "read_suite", lambda: suite)
        monkeypatch.setattr(behaviours, "load_system", lambda name: System(name, self.link_all))
        main(["first", "--failures"])
        assert "titles/3" in capsys.readouterr().out
        main(["second"])
        shown = capsys.readouterr().out
        assert "| capability | texts | first | second |" in shown
        assert "titles/3" not in shown
        monkeypatch.setattr(behaviours, "read_suite", lambda: suite[:1])
        main(["second"])
        assert "| capability | texts | second |" in (tmp_path / "behaviours.md").read_text(encoding="utf-8")
