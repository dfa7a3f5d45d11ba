"""RU-EVAL 2014, anaphora and coreference for Russian: plain texts and an XML file of groups, in our schema.

The paper (Toldova and others, Dialogue 2014) says what the data hold: plain texts, and an XML file with the
text's id, the group's id, its chain, its offset and length, the expression itself, its attributes and its
head. It does not show the XML, so this is our schema, for keys and responses alike:

    <rueval track="coreference">               or anaphora, where a chain is <antecedent, pronoun>
      <text id="12" file="texts/12.txt">
        <group id="1" chain="3" offset="120" length="8" head_offset="124" head_length="4"
               func="def" str="noun">expression</group>
      </text>
    </rueval>

Offsets and lengths count characters (Unicode code points, line ends as they are) from the text's beginning.
The expression must be the text at that place, white space aside. The head is one word of the group. Any other
attribute is kept for the mention, such as the paper's functional type (def, pred, appo, ds, misc, meton) and
structure (noun, refl, dem, rel …). A group without a chain is alone. `file` is a path below the XML file's
folder; without it the text is ID.txt or texts/ID.txt. `language` of a text is ru where not given.

RuCor, the corpus that grew out of the campaign, is read too: tables Tokens.txt (doc_id, shift, length, token,
lemma, gram) and Groups.txt (doc_id, variant, group_id, chain_id, link, shift, length, content, tk_shifts,
attributes, head, hd_shifts) with those column names in their first lines. The text is put together from the
tokens, with blanks in the gaps; a token tagged SENT ends a sentence.
"""

from __future__ import annotations

from ..registry import Format
from .reader import parts, read
from .writer import write

FORMAT = Format(
    name="rueval",
    summary="RU-EVAL 2014: plain texts with an XML file of groups (our schema); RuCor's tables, read only",
    carries=frozenset({"spaces", "self-crossing", "cross-sentence", "entities", "heads", "attributes"}),
    read=read,
    write=write,
    is_folder=True,
    parts=parts,
)
