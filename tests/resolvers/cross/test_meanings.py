"""What words can mean: how forms are looked up, what mentions share, and that the file keeps it."""

import numpy as np
import pytest
from scipy import sparse

from coindex.errors import CoindexError
from coindex.resolvers.cross.collection import Collection
from coindex.resolvers.cross.features import FeatureMaker, dots, most
from coindex.resolvers.cross.mentions import Meanings, english_meanings, load_meanings, look_up_mentions, save_meanings
from parsed_text import with_mentions, words

WORDS = (
    "n:row",
    "n:thwart",
    "v:argue",
    "v:foil",
    "v:gun down",
    "v:quarrel",
    "v:shoot",
    "v:speak",
    "v:stop",
    "v:thwart",
)
CONCEPTS = ("prevent", "argue", "oar", "fire", "speak", "seat")
SENSES = {
    "n:row": {"oar": 1, "argue": 0.5},
    "n:thwart": {"seat": 1},
    "v:argue": {"argue": 1},
    "v:foil": {"prevent": 1},
    "v:gun down": {"fire": 1},
    "v:quarrel": {"argue": 1},
    "v:shoot": {"fire": 1},
    "v:speak": {"speak": 1},
    "v:stop": {"prevent": 1},
    "v:thwart": {"prevent": 1},
}


@pytest.fixture(scope="module")
def meanings():
    concepts = np.array([[SENSES[word].get(concept, 0) for concept in CONCEPTS] for word in WORDS])
    kinds = np.zeros((len(CONCEPTS), len(CONCEPTS)))
    kinds[CONCEPTS.index("argue"), CONCEPTS.index("speak")] = 1
    rows = {word: row for row, word in enumerate(WORDS)}
    return Meanings(rows, {"shot": ("v:shoot",)}, sparse.csr_matrix(concepts), sparse.csr_matrix(kinds))


@pytest.mark.parametrize(
    ("form", "found"),
    [
        ("foil", ["v:foil"]),
        ("foils", ["v:foil"]),
        ("foiled", ["v:foil"]),
        ("thwarts", ["v:thwart", "n:thwart"]),
        ("thwarting", ["v:thwart"]),  # which no noun is
        ("argued", ["v:argue"]),
        ("arguing", ["v:argue"]),
        ("stopped", ["v:stop"]),  # the letter that was doubled goes
        ("shot", ["v:shoot"]),
        ("s", []),
        ("", []),
        ("nothing", []),
    ],
)
def test_forms_are_looked_up_by_their_endings(meanings, form, found):
    assert meanings.lemmas(form) == found


@pytest.mark.parametrize(
    ("forms", "head", "found"),
    [
        (("Gunned", "down"), 0, "v:gun down"),
        (("was", "gunned", "down", "there"), 1, "v:gun down"),
        (("foiled", "down"), 0, "v:foil"),
        (("down", "foiled"), 1, "v:foil"),
    ],
)
def test_the_longest_phrase_around_the_head_is_looked_up(meanings, forms, head, found):
    row = meanings.words["v:shoot"]
    with_gun = Meanings({**meanings.words, "v:gun": row}, {}, meanings.concepts, meanings.kinds)
    assert with_gun.look_up(forms, head) == (meanings.words[found],)


def rows(meanings, *phrases):
    return look_up_mentions(meanings, [(tuple(phrase.split()), 0) for phrase in phrases])


def test_synonyms_share_all_and_others_nothing(meanings):
    found = rows(meanings, "foiled", "thwarted", "shot")
    one, other, third = found.row[[0]], found.row[[1]], found.row[[2]]
    assert dots(found.near, one, other) == pytest.approx([1])
    assert most(found.reach, one, other) == [1]
    assert dots(found.near, one, third) == [0]
    assert most(found.reach, one, third) == [0]


def test_a_later_sense_counts_for_less(meanings):
    found = rows(meanings, "argued", "quarrel", "row")
    first, later = (dots(found.near, found.row[[0]], found.row[[at]])[0] for at in (1, 2))
    assert first > later > 0
    assert most(found.reach, found.row[[0]], found.row[[2]]) == [1]  # whatever its rank


def test_what_concepts_are_kinds_of_is_shared_too(meanings):
    found = rows(meanings, "argued", "spoke", "speak")
    one, unknown, known = found.row[[0]], found.row[[1]], found.row[[2]]
    assert dots(found.near, one, known) == [0]
    assert 0 < dots(found.wide, one, known)[0] < 1
    assert most(found.reach, one, known) == [0.5]
    assert dots(found.wide, one, unknown) == [0]


def test_mentions_without_words_mean_nothing(meanings):
    found = look_up_mentions(meanings, [((), 0), (("foil",), 0)])
    assert found.near[found.row[0]].nnz == 0
    assert len(look_up_mentions(meanings, []).row) == 0


def test_a_file_keeps_all(meanings, tmp_path):
    save_meanings(meanings, tmp_path / "meanings.npz")
    again = load_meanings(tmp_path / "meanings.npz")
    assert list(again.words) == list(meanings.words)
    assert again.irregular == meanings.irregular
    assert again.concepts.toarray() == pytest.approx(meanings.concepts.toarray(), abs=0.01)
    assert (again.kinds.toarray() == meanings.kinds.toarray()).all()


def test_a_file_of_another_kind_is_refused(tmp_path):
    (tmp_path / "meanings.npz").write_text("foil")
    with pytest.raises(CoindexError, match="cannot read the word senses"):
        load_meanings(tmp_path / "meanings.npz")


def test_a_file_without_its_arrays_is_refused(tmp_path):
    np.savez(tmp_path / "meanings.npz", about=np.array('{"version": 1}'))
    with pytest.raises(CoindexError, match="invalid file of word senses"):
        load_meanings(tmp_path / "meanings.npz")


def compared(language):
    docs = [
        with_mentions(words("the navy foiled them", id="a", language=language), [2], kinds=["event"]),
        with_mentions(words("sailors thwarted it", id="b", language=language), [1], kinds=["event"]),
    ]
    maker = FeatureMaker(Collection.of(docs))
    return maker(np.array([0]), np.array([1]), ["meaning", "meaning_wider", "meaning_shared"])[0]


def test_pairs_are_compared_by_what_their_words_mean_in_english_alone():
    assert (compared("en") > 0.3).all()
    assert (compared("de") == 0).all()


def test_the_meanings_that_come_with_coindex_know_common_verbs_and_their_nouns():
    found = look_up_mentions(
        english_meanings(), [(("foiled",), 0), (("thwarts",), 0), (("shooting",), 0), (("shot",), 0)]
    )
    assert dots(found.wide, found.row[[0]], found.row[[1]])[0] > 0.3
    assert dots(found.wide, found.row[[2]], found.row[[3]])[0] > 0.3
    assert dots(found.wide, found.row[[0]], found.row[[2]])[0] < 0.1
