"""The page and the notebook's fragment: well-formed, whole, harmless, the same every time."""

import base64
import hashlib
import json
import re
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coindex.document import Document, Entity, Mention, Sentence, Token, Tokens
from coindex.render.html import LONGEST_FRAGMENT, document_fragment, page
from coindex.render.markup import colours
from stories import HOSTILE, story
from strategies import documents

VOID = {"meta", "input", "img", "br", "link"}
NASTY = [
    "</script>",
    "<!--",
    "]]>",
    "&amp;",
    "&",
    "<",
    '"',
    "'",
    "a\rb",
    "\x00",
    "\ud800",
    "{{",
    "`${x}`",
    "\u2028",
]


class Reader(HTMLParser):
    """Checks that tags are balanced; collects text, mentions, scripts and all attributes."""

    def __init__(self, markup):
        super().__init__(convert_charrefs=True)
        self.stack, self.text, self.mentions, self.attributes = [], "", {}, []
        self.scripts, self.facts, self.speakers = [], [], []
        self.feed(markup)
        self.close()
        assert not self.stack, f"not closed: {self.stack}"

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        assert len(attributes) == len(attrs), f"an attribute twice: {attrs}"
        self.attributes += attrs
        if tag in VOID:
            return
        self.stack.append((tag, attributes))
        if "m" in attributes.get("class", "").split():
            self.mentions.setdefault(int(attributes["data-m"]), "")
        if tag == "script":
            self.scripts.append((attributes, ""))

    def handle_endtag(self, tag):
        assert self.stack, f"</{tag}> closes nothing"
        opened, _ = self.stack.pop()
        assert opened == tag, f"<{opened}> closed by </{tag}>"

    def handle_data(self, data):
        classes = [attributes.get("class", "").split() for _, attributes in self.stack]
        if self.stack and self.stack[-1][0] == "script":
            self.scripts[-1] = (self.scripts[-1][0], self.scripts[-1][1] + data)
        elif any("line" in names for names in classes):
            self.text += data
            for (_, attributes), names in zip(self.stack, classes, strict=True):
                if "m" in names:
                    self.mentions[int(attributes["data-m"])] += data
        elif classes and "who" in classes[-1]:
            self.speakers.append(data)
        elif classes and "facts" in classes[-1]:
            self.facts.append(data)

    @property
    def data(self):
        return [json.loads(text) for attributes, text in self.scripts if attributes.get("type")]


def drawn(*docs, **options):
    return Reader("".join(page(docs, **options)))


def kept(text):
    """What a page can hold of a text."""
    return re.sub("[\x00\ud800-\udfff]", "\ufffd", text)


def test_the_page_has_exactly_the_text_of_the_document():
    doc = story()
    assert drawn(doc).text == doc.text
    assert Reader(document_fragment(doc)).text == doc.text


def test_every_mention_is_there_with_its_text():
    doc = story()
    shown = drawn(doc).mentions
    assert shown == {number: mention.text.replace(" … ", "") for number, (mention, _) in enumerate(doc.mentions())}
    assert shown[7] == ""  # the zero
    assert shown[8] == "pickedup"


def test_speakers_and_facts():
    read = drawn(story())
    assert read.speakers == ["Ann", "Bob", "—"]
    assert read.facts == ["26 tokens · 3 sentences · 13 mentions · 8 entities, 4 of one mention · genre fiction"]


def test_the_script_knows_all():
    (data,) = drawn(story()).data
    assert data["id"] == "story"
    first = data["entities"][0]
    assert first[:3] == ["e1", "e1", "The mayor of the town by the river"]
    assert first[3] == colours(story())[0]
    assert first[4:6] == ["person", 0]
    assert data["attributes"][first[6]] == {"gender": "f"}
    assert [row[5] for row in data["entities"]] == [0, 0, 0, 0, 1, 0, 0, 0]
    zero = data["mentions"][7]
    assert zero[:3] == [3, 15, 2]
    assert data["attributes"][zero[3]] == {"confidence": "0.83"}
    assert data["relations"] == [[2, 2, [1], 1, "part"], [11, 7, [0, 3], 0, None]]


def test_a_bridge_into_another_document_keeps_its_id():
    doc = story()
    away = doc.replace(entities=doc.entities[2:])
    (data,) = drawn(away).data
    assert data["relations"] == [[0, 0, ["e2"], 1, "part"], [8, 5, ["e1", 1], 0, None]]


def test_nothing_is_loaded_and_only_our_script_runs():
    markup = "".join(page([story()], title=HOSTILE))
    read = Reader(markup)
    assert not [name for name, _ in read.attributes if name in {"src", "href", "srcset", "action"} or name[:2] == "on"]
    assert "url(" not in markup
    assert "@import" not in markup
    policy = next(value for name, value in read.attributes if name == "content" and "default-src" in value)
    code = [text for attributes, text in read.scripts if not attributes]
    assert len(code) == 1
    digest = base64.b64encode(hashlib.sha256(code[0].encode()).digest()).decode()
    assert policy == f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"


def test_hostile_text_stays_text():
    tokens = Tokens([Token("1", HOSTILE, space="")])
    mention = Mention(tokens, (0,), 0, {HOSTILE: HOSTILE})
    entity = Entity(HOSTILE, (mention,), HOSTILE, attributes={HOSTILE: HOSTILE})
    sentence = Sentence(tokens, 0, 1, speaker=HOSTILE)
    doc = Document(tokens, (sentence,), (entity,), id=HOSTILE, language=HOSTILE, genre=HOSTILE, topic=HOSTILE)
    markup = "".join(page([doc], title=HOSTILE))
    for made in (markup, document_fragment(doc)):
        assert "<img" not in made
        assert Reader(made).text == HOSTILE
    (data,) = Reader(markup).data
    assert data["entities"][0][0] == HOSTILE
    assert data["attributes"] == [{HOSTILE: HOSTILE}]


@settings(deadline=None)
@given(documents(forms=st.sampled_from(NASTY)), st.sampled_from(NASTY))
def test_any_document_makes_a_sound_page(doc, title):
    markup = "".join(page([doc, doc], title=title))
    markup.encode()  # can be written
    read = Reader(markup)
    assert read.text == kept(doc.text) * 2
    assert len(read.data) == 2
    assert set(read.mentions) == set(range(len(doc.mentions())))


@settings(deadline=None)
@given(documents(forms=st.text(min_size=1, max_size=5)))
def test_any_document_makes_a_sound_fragment(doc):
    read = Reader(document_fragment(doc))
    assert read.text == kept(doc.text)
    assert set(read.mentions) == set(range(len(doc.mentions())))


def test_pages_are_the_same_every_time_and_made_piece_by_piece():
    assert list(page([story()])) == list(page([story()]))

    def docs():
        yield story()
        raise RuntimeError("the second document was asked for")

    pieces = page(docs())
    assert any("river" in piece for piece in pieces_until(pieces, "</section>"))
    with pytest.raises(RuntimeError):
        list(pieces)


def pieces_until(pieces, end):
    for piece in pieces:
        yield piece
        if end in piece:
            return


def test_a_page_without_documents_shows_a_message():
    assert drawn().facts == ["No documents."]


def test_crossing_discontinuous_and_cut_marks_show_their_continuation():
    markup = "".join(page([story()]))

    def classes(mention):
        return re.findall(rf'<span class="([^"]+)" data-m="{mention}"', markup)

    assert classes(8) == ["m event to", "gap", "m event from"]
    assert classes(9) == ["m one"]
    assert classes(10) == ["m one to", "m one from"]


def test_one_label_a_mention():
    markup = "".join(page([story()]))
    assert sorted(re.findall(r' data-l="(e\d)"', markup)) == sorted(e.id for _, e in story().mentions())


def test_colours_are_the_same_in_page_and_fragment():
    doc = story()
    for markup in ("".join(page([doc])), document_fragment(doc)):
        for number, (_, entity) in enumerate(doc.mentions()):
            wanted = colours(doc)[doc.entities.index(entity)]
            assert re.findall(rf'data-m="{number}"[^>]*--c:(#......)', markup)[0] == wanted


def test_the_fragment_brings_no_script_and_styles_only_itself():
    made = document_fragment(story())
    assert "<script" not in made
    style = re.search(r"<style>(.*?)</style>", made, re.DOTALL)[1]
    bare = re.sub(r"/\*.*?\*/", "", style, flags=re.DOTALL)
    bare = re.sub(r"@media[^{]*\{(.*?\})\s*\}", r"\1", bare, flags=re.DOTALL)
    selectors = [s.strip() for rule in re.findall(r"([^{}]+)\{", bare) for s in rule.split(",")]
    assert len(selectors) > 20
    assert [s for s in selectors if not s.startswith((".coindex ", ".coindex-cell"))] == []
    assert 'title="e1: ' in made


def test_a_long_document_is_cut_in_a_notebook():
    doc = Document.from_text("One two three four five six seven eight nine. " * 500)
    assert len(doc.tokens) == 5000
    made = document_fragment(doc)
    assert Reader(made).text == "One two three four five six seven eight nine. " * (LONGEST_FRAGMENT // 10)
    assert "2,000 more words" in made


def test_right_to_left_and_language():
    doc = Document.from_text("قال محمد.", language="ar")
    read = drawn(doc)
    assert ("lang", "ar") in read.attributes
    assert ("dir", "auto") in read.attributes


def test_notebooks_show_documents():
    doc = story()
    assert doc._repr_html_() == document_fragment(doc)
