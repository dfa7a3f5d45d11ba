/** The keyboard map: one table for what the keys do and for the page that explains them. */

import { address, edit } from "./edits";
import { type Editor } from "./state";
import { type TextView } from "./text";

export type Field = "entities" | "search" | "attributes" | "rename";
export const GROUPS = ["Move", "Choose and mark", "Change", "Page"] as const;

export interface Tools {
  editor: Editor;
  view: TextView;
  /** Put the caret into a field of the page. */
  focus: (field: Field) => void;
  help: () => void;
}

interface Key {
  /** As on the keyboard, for people. */
  shown: string;
  says: string;
  group: (typeof GROUPS)[number];
  matches: (event: KeyboardEvent) => boolean;
  run: (tools: Tools, event: KeyboardEvent) => void;
}

const isPlain = (event: KeyboardEvent): boolean => !event.ctrlKey && !event.metaKey && !event.altKey;
const key = (...names: string[]) => (event: KeyboardEvent): boolean => isPlain(event) && names.includes(event.key);
const control = (event: KeyboardEvent, name: string, shift: boolean): boolean =>
  (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === name && event.shiftKey === shift;

function moveByWord({ editor, view }: Tools, event: KeyboardEvent): void {
  const isOn = (event.key === "ArrowRight") !== view.isRightToLeft(editor.caret);
  editor.moveTo(editor.caret + (isOn ? 1 : -1), { extend: event.shiftKey, add: event.altKey });
}

function moveBySentences({ editor }: Tools, event: KeyboardEvent): void {
  const { sentences } = editor.doc;
  const number = editor.doc.sentenceAt(editor.caret) + (event.key === "PageDown" ? 10 : -10);
  const sentence = sentences[Math.max(0, Math.min(number, sentences.length - 1))];
  if (sentence) editor.moveTo(sentence.start, { extend: event.shiftKey });
}

function moveInSentence({ editor }: Tools, event: KeyboardEvent): void {
  const sentence = editor.doc.sentences[editor.doc.sentenceAt(editor.caret)];
  if (sentence) editor.moveTo(event.key === "Home" ? sentence.start : sentence.end - 1, { extend: event.shiftKey });
}

function split({ editor }: Tools): void {
  const { mention } = editor;
  if (!mention) return;
  const { id, mentions } = mention.entity;
  const later = mentions.slice(mentions.indexOf(mention)).map(({ positions }) => positions);
  editor.perform(edit("split", { entity: id, mentions: later, new_id: editor.doc.freshId() }));
}

function setHead({ editor }: Tools): void {
  const { mention, caret } = editor;
  if (!mention) return;
  editor.perform(edit("set_head", { ...address(mention), head: mention.head === caret ? null : caret }));
}

export const KEYS: Key[] = [
  { group: "Move", shown: "← →", says: "a word back or on",
    matches: (event) => !event.ctrlKey && !event.metaKey && (event.key === "ArrowLeft" || event.key === "ArrowRight"), run: moveByWord },
  { group: "Move", shown: "↑ ↓", says: "a line up or down", matches: key("ArrowUp", "ArrowDown"),
    run: ({ editor, view }, event) =>
      editor.moveTo(view.vertically(editor.caret, event.key === "ArrowDown" ? 1 : -1), { extend: event.shiftKey }) },
  { group: "Move", shown: "Home End", says: "start or end of the sentence", matches: key("Home", "End"), run: moveInSentence },
  { group: "Move", shown: "Page ↑ ↓", says: "ten sentences back or on", matches: key("PageUp", "PageDown"), run: moveBySentences },
  { group: "Move", shown: "j k", says: "the next mention, the one before", matches: key("j", "k"),
    run: ({ editor }, event) => editor.step(event.key === "j" ? 1 : -1) },
  { group: "Move", shown: "[ ]", says: "along the entity: its mention before, its next", matches: key("[", "]"),
    run: ({ editor }, event) => { if (editor.chosenEntity) editor.step(event.key === "]" ? 1 : -1, editor.chosenEntity); } },
  { group: "Move", shown: "o", says: "the larger mention around this one", matches: key("o"), run: ({ editor }) => editor.moveTo(editor.caret) },
  { group: "Choose and mark", shown: "Shift ← →", says: "choose words", matches: () => false, run: () => undefined },
  { group: "Choose and mark", shown: "Alt ← →", says: "go on to another piece of the same mention", matches: () => false, run: () => undefined },
  { group: "Choose and mark", shown: "v", says: "the word at the caret is a piece, or no longer", matches: key("v"), run: ({ editor }) => editor.togglePiece() },
  { group: "Choose and mark", shown: "Enter or n", says: "mark: a mention of a new entity", matches: key("Enter", "n"), run: ({ editor }) => editor.mark(null) },
  { group: "Choose and mark", shown: "Space or l", says: "mark or link: of the entity linked to last", matches: key(" ", "l"),
    run: ({ editor }) => (editor.target === null ? editor.mark(null) : editor.linkTo(editor.target)) },
  { group: "Choose and mark", shown: "e", says: "mark or link: of an entity found by its name", matches: key("e"), run: ({ focus }) => focus("entities") },
  { group: "Choose and mark", shown: "x", says: "the entity in hand is where the next link goes", matches: key("x"),
    run: ({ editor }) => { if (editor.entity !== null) editor.setTarget(editor.entity); } },
  { group: "Change", shown: "Del", says: "remove the mention", matches: key("Delete", "Backspace"),
    run: ({ editor }) => { if (editor.mention) editor.perform(edit("remove_mention", address(editor.mention))); } },
  { group: "Change", shown: "u", says: "unlink: the mention becomes an entity of its own", matches: key("u"),
    run: ({ editor }) => { if (editor.mention) editor.perform(edit("unlink", { ...address(editor.mention), new_id: editor.doc.freshId() })); } },
  { group: "Change", shown: "t", says: "split: this mention and all later ones become another entity", matches: key("t"), run: split },
  { group: "Change", shown: "m", says: "merge the entity in hand into the one linked to last", matches: key("m"),
    run: ({ editor }) => {
      if (editor.entity !== null && editor.target !== null) editor.perform(edit("merge", { into: editor.target, other: editor.entity }));
    } },
  { group: "Change", shown: "h", says: "the word at the caret is the head, or no longer", matches: key("h"), run: setHead },
  { group: "Change", shown: ", .", says: "the end of the mention a word back or on", matches: key(",", "."),
    run: ({ editor }, event) => editor.resize("end", event.key === "." ? 1 : -1) },
  { group: "Change", shown: "< >", says: "its start a word back or on", matches: key("<", ">"),
    run: ({ editor }, event) => editor.resize("start", event.key === ">" ? 1 : -1) },
  { group: "Change", shown: "z Shift z", says: "an empty node after the caret; remove the one at the caret", matches: key("z", "Z"),
    run: ({ editor }, event) => {
      if (event.key === "Z") editor.perform(edit("remove_zero", { position: editor.caret }));
      else if (editor.perform(edit("insert_zero", { after: editor.caret }))) editor.moveTo(editor.caret + 1);
    } },
  { group: "Change", shown: "b", says: "a bridge from the mention to the entity linked to last", matches: key("b"),
    run: ({ editor }) => {
      if (editor.mention && editor.target !== null) editor.perform(edit("add_bridge", { ...address(editor.mention), antecedent: editor.target }));
    } },
  { group: "Change", shown: "a r", says: "attributes of the mention; name of the entity", matches: key("a", "r"),
    run: ({ focus }, event) => focus(event.key === "a" ? "attributes" : "rename") },
  { group: "Page", shown: "Ctrl Z", says: "undo", matches: (event) => control(event, "z", false), run: ({ editor }) => editor.undo() },
  { group: "Page", shown: "Ctrl Shift Z", says: "redo, as does Ctrl Y",
    matches: (event) => control(event, "z", true) || control(event, "y", false), run: ({ editor }) => editor.redo() },
  { group: "Page", shown: "/", says: "search in the text", matches: key("/"), run: ({ focus }) => focus("search") },
  { group: "Page", shown: "Esc", says: "let go of what is chosen; from a field back to the text", matches: key("Escape"), run: ({ editor }) => editor.letGo() },
  { group: "Page", shown: "?", says: "this list", matches: key("?"), run: ({ help }) => help() },
];

/** Whether a key meant something. */
export function press(event: KeyboardEvent, tools: Tools): boolean {
  const found = KEYS.find(({ matches }) => matches(event));
  found?.run(tools, event);
  return found !== undefined;
}
