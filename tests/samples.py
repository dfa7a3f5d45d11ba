"""A small valid input of each format that is read, with all its files: `from samples import SAMPLES, lay_out`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from corefud_text import document, sentence


@dataclass(frozen=True)
class Sample:
    """Files by name; `main` is the one to read, and each line of the others can be broken as well."""

    main: str
    files: dict[str, str]

    @property
    def text(self) -> str:
        return self.files[self.main]


SAMPLES = {
    "corefud": Sample(
        "d.conllu",
        {
            "d.conllu": document(
                sentence(
                    "The Entity=(e1-person-2-x:y",
                    "mayor Entity=e1)|SpaceAfter=No",
                    "3-4 del",
                    "of Entity=(e2[1/2]--1)",
                    "it",
                    "4.1 on Entity=(e1--1)",
                    "up Entity=(e2[2/2]--1)",
                    comments=("# sent_id = s1", "# text = The mayordel up"),
                ),
                sentence("They Bridge=e1<e3:part|Entity=(e3)|SplitAnte=e1<e3,e2<e3", comments=("# sent_id = s2",)),
            )
        },
    ),
    "conllua": Sample(
        "d.conllua",
        {
            "d.conllua": "# global.columns = ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC "
            "IDENTITY BRIDGING DISCOURSE_DEIXIS\n"
            "# newdoc id = d\n"
            "# sent_id = d-1\n"
            "1\tThe\t_\t_\t_\t_\t2\t_\t_\t_\t(EntityID=1|MarkableID=m1|Min=2\t_\t_\n"
            "2\tmayor\t_\t_\t_\t_\t3\t_\t_\t_\t)\t_\t_\n"
            "3\tleft\t_\t_\t_\t_\t0\t_\t_\t_\t_\t_\t(EntityID=d1|MarkableID=d1)\n"
            "3.1\t_\t_\t_\t_\t_\t_\t_\t_\t_\t(EntityID=2|MarkableID=m2|ElementOf=3)\t_\t_\n"
            "\n"
            "# sent_id = d-2\n"
            "4\tShe\t_\t_\t_\t_\t_\t_\t_\t_\t(EntityID=1|MarkableID=m3|ElementOf=3)\t_\t_\n"
            "5\tthey\t_\t_\t_\t_\t_\t_\t_\t_\t(EntityID=3|MarkableID=m4)\t_\t_\n"
            "6\tdoor\t_\t_\t_\t_\t_\t_\t_\t_\t(EntityID=4|MarkableID=m5)\t"
            "(MarkableID=m5|Rel=part|MentionAnchor=m1|EntityAnchor=1)\t(EntityID=d1|MarkableID=d2)\n"
            "\n"
        },
    ),
    "conll2012": Sample(
        "d.conll",
        {
            "d.conll": "#begin document (d); part 000\n"
            "d\t0\t0\tThe\tDT\t*\t-\t-\t-\tAnn\t*\t(1\n"
            "d\t0\t1\tmayor\tNN\t*\t-\t-\t-\tAnn\t*\t(2)|1)\n"
            "\n"
            "d\t0\t0\tShe\tPRP\t*\t-\t-\t-\tBob\t*\t(1)\n"
            "\n"
            "#end document\n"
        },
    ),
    "korkor": Sample(
        "d.tsv",
        {
            "d.tsv": "id\tform\tlemma\tupostag\txpostag\tfeats\thead\tdeprel\tsent_id\tcorefhead\tcoreftype\tid\n"
            "1\tAnna\tAnna\tPROPN\tN\t_\t2\tnsubj\t1\t_\t_\t1\n"
            "2\tlát\tlát\tVERB\tV\t_\t0\troot\t1\t_\t_\t2\n"
            "2.1\t0\tén\tPRON\tP\t_\t2\tobj\t1\t1:1\tprs\t2.OBJ\n"
            "\n"
            "1\tFut\tfut\tVERB\tV\t_\t0\troot\t2\t1:2.OBJ\tcoref\t1\n"
        },
    ),
    "ecbplus": Sample(
        "1_1ecb.xml",
        {
            "1_1ecb.xml": '<?xml version="1.0" encoding="UTF-8"?>\n'
            '<Document doc_name="1_1ecb.xml" doc_id="D1">\n'
            '<token t_id="1" sentence="0" number="0">Ann</token>\n'
            '<token t_id="2" sentence="0" number="1">left</token>\n'
            '<token t_id="3" sentence="1" number="0">She</token>\n'
            "<Markables>\n"
            '<HUMAN_PART_PER m_id="1"><token_anchor t_id="1"/></HUMAN_PART_PER>\n'
            '<ACTION_OCCURRENCE m_id="2"><token_anchor t_id="2"/></ACTION_OCCURRENCE>\n'
            '<HUMAN_PART_PER m_id="3"><token_anchor t_id="3"/></HUMAN_PART_PER>\n'
            '<HUMAN_PART_PER m_id="4" RELATED_TO="" TAG_DESCRIPTOR="ann" instance_id="HUM1"/>\n'
            "</Markables>\n"
            "<Relations>\n"
            '<CROSS_DOC_COREF r_id="1" note="HUM1"><source m_id="1"/><source m_id="3"/><target m_id="4"/>'
            "</CROSS_DOC_COREF>\n"
            "</Relations>\n"
            "</Document>\n"
        },
    ),
    "are": Sample(
        "d.xml",
        {
            "d.xml": "<document>\n"
            '<p><entity id="1">The mayor of <entity id="2" head="1">the town</entity></entity> left .</p>\n'
            '<p><entity id="3">She</entity> smiled .</p>\n'
            '<chain id="c"><entity id="1"/><entity id="3"/></chain>\n'
            '<anaphoric_pronouns>\n<pronoun id="3">She</pronoun>\n</anaphoric_pronouns>\n'
            "</document>\n"
        },
    ),
    "rueval": Sample(
        "groups.xml",
        {
            "groups.xml": '<rueval track="coreference">\n'
            '<text id="1" file="1.txt">\n'
            '<group id="1" chain="1" offset="0" length="4" head_offset="0" head_length="4" func="def">Анна</group>\n'
            '<group id="2" chain="1" offset="12" length="3">Она</group>\n'
            "</text>\n"
            "</rueval>\n",
            "1.txt": "Анна ушла.\n\nОна поёт.\n",
        },
    ),
    "mmax2": Sample(
        "d.mmax",
        {
            "d.mmax": '<?xml version="1.0"?>\n<mmax_project turns="" words="">\n<words>d_words.xml</words>\n'
            "</mmax_project>\n",
            "basedata/d_words.xml": '<?xml version="1.0"?>\n<!DOCTYPE words SYSTEM "words.dtd">\n<words>\n'
            '<word id="word_1">Ann</word>\n<word id="word_2">left</word>\n<word id="word_3">She</word>\n</words>\n',
            "markables/d_coref_level.xml": '<?xml version="1.0"?>\n<!DOCTYPE markables SYSTEM "markables.dtd">\n'
            '<markables xmlns="www.eml.org/NameSpaces/coref">\n'
            '<markable id="markable_1" span="word_1" coref_class="set_1" mmax_level="coref"/>\n'
            '<markable id="markable_2" span="word_3,word_1..word_1" coref_class="set_1" mmax_level="coref"/>\n'
            "</markables>\n",
        },
    ),
    "brat": Sample(
        "d.ann",
        {
            "d.ann": "T1\tPerson 0 3\tAnn\nT2\tPerson 10 13\tShe\nT3\tEvent 4 8;14 19\tleft sings\n"
            "E1\tEvent:T3\nR1\tCoref Arg1:T1 Arg2:T2\n*\tEquiv T1 T2\nA1\tNegated T3\n#1\tHead T1\t0 3\n",
            "d.txt": "Ann left. She sings.\n",
        },
    ),
    "json": Sample(
        "d.json",
        {
            "d.json": '{"coindex": 1, "id": "a", "text": "Ann del up. She", '
            '"sentences": [{"start": 0, "end": 6}, {"start": 6, "end": 7}], '
            '"tokens": [{"form": "Ann", "start_char": 0, "end_char": 3, "upos": "PROPN"}, '
            '{"form": "de", "start_char": 4, "end_char": 7}, {"form": "el", "start_char": 4, "end_char": 7}, '
            '{"id": "3.1", "form": "_", "start_char": 8, "end_char": 8}, '
            '{"form": "up", "start_char": 8, "end_char": 10}, {"form": ".", "start_char": 10, "end_char": 11}, '
            '{"form": "She", "start_char": 12, "end_char": 15}], '
            '"multiwords": [{"start": 1, "end": 3, "form": "del"}], '
            '"entities": [{"id": "e1", "type": "person", "kind": "entity", "mentions": ['
            '{"start": 0, "end": 1, "head": 0}, {"start": 3, "end": 4}, '
            '{"start": 6, "end": 7, "by": "sieves/pronouns", "link": {"antecedent": 1, "score": 0.75}}]}, '
            '{"id": "e2", "kind": "event", "mentions": [{"start": 1, "end": 5, "positions": [1, 4], '
            '"attributes": {"x": "y"}}]}, {"id": "e3", "kind": "entity", "mentions": [{"start": 4, "end": 5}]}], '
            '"bridging": [{"entity": "e2", "mention": 0, "antecedent": "e1", "relation": "part"}], '
            '"split_antecedents": [{"entity": "e2", "mention": 0, "antecedents": ["e1", "e3"]}]}\n'
            '{"coindex": 1, "id": "b", "text": "", "sentences": [], "tokens": [], "entities": []}\n'
        },
    ),
    "preco": Sample(
        "d.jsonl",
        {
            "d.jsonl": '{"id": "a", "sentences": [["Ann", "left", "."], ["She"]], '
            '"mention_clusters": [[[0, 0, 1], [1, 0, 1]], [[0, 1, 2]]]}\n'
            '{"id": "b", "sentences": [["Bob"]], "mention_clusters": []}\n'
        },
    ),
    "jsonlines": Sample(
        "d.jsonlines",
        {
            "d.jsonlines": '{"doc_key": "a", "sentences": [["Ann", "left", "."], ["She"]], '
            '"speakers": [["A", "A", "A"], ["B"]], "clusters": [[[0, 0], [3, 3]], [[1, 1]]]}\n'
            '{"doc_key": "b", "sentences": [["Bob"]], "speakers": [["-"]], "clusters": []}\n'
        },
    ),
    "text": Sample("d.txt", {"d.txt": "Ann left. She sings.\n"}),
}
"""In the order of `coindex formats`."""


def lay_out(sample: Sample, folder: Path, changes: dict[str, bytes] | None = None) -> Path:
    """The files of a sample in a folder, some with other content; the path of the main one."""
    for name, text in sample.files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    for name, data in (changes or {}).items():
        (folder / name).write_bytes(data)
    return folder / sample.main
