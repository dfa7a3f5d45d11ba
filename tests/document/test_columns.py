"""Columns exchanged: mentions, sentences and relations go on pointing to the right words."""

from coindex.document.documents import with_columns
from stories import story


def test_all_but_the_columns_stays():
    doc = story()
    new = with_columns(doc, [token._replace(lemma=token.form.lower(), upos="X") for token in doc.tokens])
    assert new.text == doc.text
    assert new.entities == doc.entities
    assert new.bridges == doc.bridges
    assert new.split_antecedents == doc.split_antecedents
    assert new.sentences == doc.sentences
    assert new.tokens[0].lemma == "the"


def test_everything_points_to_the_new_tokens():
    doc = story()
    new = with_columns(doc, [token._replace(upos="X") for token in doc.tokens])
    layers = [mention.layer for mention, _ in new.mentions()]
    layers += [sentence.layer for sentence in new.sentences]
    layers += [bridge.anaphor.layer for bridge in new.bridges]
    layers += [split.anaphor.layer for split in new.split_antecedents]
    assert all(layer is new.tokens for layer in layers)
    assert doc.tokens[0].upos == "_"
