"""Meanings from files of WordNet's form, written for these tests."""

import subprocess
import sys

import pytest

from coindex.errors import CoindexError
from coindex.resolvers.cross.mentions import load_meanings
from coindex.training.cross.wordnet import DERIVED, read_wordnet

LICENCE = "  1 A line of a licence\n"
FILES = {
    # where it is, file, kind, number of words, words, pointers | explanation
    "data.verb": """00000100 41 v 02 foil 0 thwart 0 001 @ 00000200 v 0000 01 + 08 00 | keep from happening
00000200 41 v 01 stop 0 000 01 + 08 00 | end
00000300 35 v 02 shoot 0 gun_down 0 001 + 00000100 n 0101 01 + 08 00 | fire at
00000400 36 v 01 foil 1 000 01 + 08 00 | wrap
""",
    "index.verb": """foil v 2 1 @ 2 0 00000100 00000400
gun_down v 1 1 + 1 0 00000300
shoot v 1 1 + 1 0 00000300
stop v 1 0 1 0 00000200
thwart v 1 1 @ 1 0 00000100
""",
    "verb.exc": "shot shoot\nunheard_of nothing\n",
    "data.noun": """00000100 04 n 01 shooting 0 001 + 00000300 v 0101 | the act of firing
00000200 06 n 01 thwart 0 000 | a seat in a boat
""",
    "index.noun": "shooting n 1 1 + 1 0 00000100\nthwart n 1 0 1 0 00000200\n",
    "noun.exc": "oxen ox\n",
}


@pytest.fixture
def folder(tmp_path):
    for name, text in FILES.items():
        (tmp_path / name).write_text((LICENCE if not name.endswith("exc") else "") + text)
    return tmp_path


def concepts(meanings, word):
    row = meanings.concepts[meanings.words[word]]
    return dict(zip(row.indices.tolist(), row.data.tolist(), strict=True))


def test_synonyms_have_one_concept_and_later_senses_count_for_less(folder):
    meanings = read_wordnet(folder)
    (shared,) = concepts(meanings, "v:thwart")
    assert concepts(meanings, "v:foil")[shared] == 1
    assert sorted(concepts(meanings, "v:foil").values()) == [0.5, 1]
    (above,) = meanings.kinds[shared].indices
    assert concepts(meanings, "v:stop") == {above: 1}


def test_derivation_is_of_the_word_that_it_names(folder):
    meanings = read_wordnet(folder)
    (noun,) = set(concepts(meanings, "v:shoot")) - set(concepts(meanings, "v:gun down"))
    assert concepts(meanings, "v:shoot")[noun] == DERIVED
    assert concepts(meanings, "n:shooting")[noun] == 1


def test_nouns_that_stand_for_things_are_left_out(folder):
    meanings = read_wordnet(folder)
    assert set(meanings.words) == {"n:shooting", "v:foil", "v:gun down", "v:shoot", "v:stop", "v:thwart"}
    assert meanings.irregular == {"shot": ("v:shoot",)}


def test_a_folder_without_the_files_is_refused(tmp_path):
    with pytest.raises(CoindexError, match=r"data\.verb.*WordNet"):
        read_wordnet(tmp_path)


def test_the_module_writes_the_file(folder):
    target = folder / "meanings.npz"
    subprocess.run([sys.executable, "-m", "coindex.training.cross.wordnet", folder, target], check=True)
    assert list(load_meanings(target).words) == list(read_wordnet(folder).words)
