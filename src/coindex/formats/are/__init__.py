"""ARE 2007, the Anaphora Resolution Exercise: XML of four tasks, our schema around the paper's elements.

The paper (Orasan, Cristea, Mitkov and Branco, LREC 2008) shows fragments: paragraphs with nested entities,
a list of pronouns, texts with nodes. They are read as they are, with one root or several. Everything else is our
schema:

    <are task="1" kind="key">                 task 1, 2, 3 or 4; kind input, key or response
      <document id="d1">
        <p sentences="12 9">                  the number of words of each sentence
          words with white space between, <entity id="6" chain="3" head="1">it</entity> …         tasks 1, 2
          <node id="26"/>Japan <node id="27"/>and …                                               tasks 3, 4
        </p>
        <anaphoric_pronouns>                  what is to be resolved
          <pronoun id="6" value="it"/>        start and end instead of id in tasks 3, 4
        </anaphoric_pronouns>
        <coref ana="6" ante="5" relation="IDENTITY" type="NP"/>
        <ucoref ana="9" ante="5"/>
        <answers>
          <pronoun id="6" antecedent="5"/>                                                        task 1
          <chain id="1"><member id="5"/><member id="6"/></chain>                                  task 2
          <pronoun start="33" end="33"><antecedent start="26" end="28"/></pronoun>                task 3
          <chain id="1"><member start="26" end="28"/><member start="33" end="33"/></chain>        task 4
        </answers>
      </document>
    </are>

Text: words are separated by white space; in a text with nodes, a word follows each node. Without
the attribute `sentences`, words such as . ! ? end a sentence if no entity is open, and so does the
paragraph. An end node is inside its span: 26-28 is *Japan and Peru*. A head is the number of the word in
its entity, or the head's node. Node ids become Node= in MISC, ids of entities the attribute `id` of
mentions, the pronouns to resolve get the attribute `anaphoric` = "yes", and those resolved the attribute
`antecedent`, an id or "26-28". An empty list of pronouns becomes `pronouns` = "none" in the metadata.

Kinds: an input has no chains; a key has them as `chain` of each entity (tasks 1, 2) or as answers (tasks 3,
4); a response is the input, text included, with `answers`. Tasks 2 and 4 have only mentions that corefer. An
entity without a chain is a singleton.

The corpus behind ARE was annotated with links (also inside the anaphor's entity, without `ana`). As in
ARE, an uncertain link, `ucoref`, is left out, and so is a link of a relation other than IDENTITY, SYNONYMY,
GENERALISATION and SPECIALISATION, or of a type other than NP; a warning counts them.

Files: the list of pronouns may be beside NAME.xml as NAME.pronouns.xml. The exercise's own NAME-key.xml
contains chains without text, `<chain id="c1"><node id="18"/>…`: the text is that of NAME-input.xml.
"""

from __future__ import annotations

from ..registry import Format, Option
from .reader import read
from .writer import write

FORMAT = Format(
    name="are",
    summary="ARE 2007 XML: entities, pronouns to resolve and nodes; inputs, keys, responses of four tasks",
    carries=frozenset({"sentences", "cross-sentence", "entities", "heads", "attributes"}),
    read=read,
    write=write,
    write_options=(
        Option(
            "task",
            ("1", "2", "3", "4"),
            "the task: entities given (1, 2) or nodes (3, 4), pronouns or chains",
        ),
        Option("kind", ("key", "input", "response"), "whether to write the key, the task's input or a response"),
    ),
)
