/** Keyboard shortcuts: one table for the behaviour and for the help dialog. */

import { address, edit } from "./edits";
import { type Editor } from "./state";
import { type TextView } from "./text";

export type Field = "entities" | "search" | "attributes" | "rename";
export const GROUPS = ["Move", "Select and mark", "Edit", "Page"] as const;

export interface Tools {
  editor: Editor;
  view: TextView;
  /** Put the caret into a field of the page. */
  focus: (field: Field) => void;
  help: () => void;
}

interface Key {
  /** The key as the help dialog shows it. */
  shown: string;
  description: string;
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
  { group: "Move", shown: "← →", description: "previous or next word",
    matches: (event) => !event.ctrlKey && !event.metaKey && (event.key === "ArrowLeft" || event.key === "ArrowRight"), run: moveByWord },
  { group: "Move", shown: "↑ ↓", description: "one line up or down", matches: key("ArrowUp", "ArrowDown"),
    run: ({ editor, view }, event) =>
      editor.moveTo(view.vertically(editor.caret, event.key === "ArrowDown" ? 1 : -1), { extend: event.shiftKey }) },
  { group: "Move", shown: "Home End", description: "start or end of the sentence", matches: key("Home", "End"), run: moveInSentence },
  { group: "Move", shown: "Page ↑ ↓", description: "ten sentences back or forward", matches: key("PageUp", "PageDown"), run: moveBySentences },
  { group: "Move", shown: "j k", description: "next or previous mention", matches: key("j", "k"),
    run: ({ editor }, event) => editor.step(event.key === "j" ? 1 : -1) },
  { group: "Move", shown: "[ ]", description: "previous or next mention of the entity", matches: key("[", "]"),
    run: ({ editor }, event) => { if (editor.chosenEntity) editor.step(event.key === "]" ? 1 : -1, editor.chosenEntity); } },
  { group: "Move", shown: "o", description: "select the next larger mention", matches: key("o"), run: ({ editor }) => editor.moveTo(editor.caret) },
  { group: "Select and mark", shown: "Shift ← →", description: "select words", matches: () => false, run: () => undefined },
  { group: "Select and mark", shown: "Alt ← →", description: "add another part of a discontinuous mention", matches: () => false, run: () => undefined },
  { group: "Select and mark", shown: "v", description: "add or remove the word at the caret", matches: key("v"), run: ({ editor }) => editor.togglePiece() },
  { group: "Select and mark", shown: "Enter or n", description: "mark as a mention of a new entity", matches: key("Enter", "n"), run: ({ editor }) => editor.mark(null) },
  { group: "Select and mark", shown: "Space or l", description: "mark or link: last used entity", matches: key(" ", "l"),
    run: ({ editor }) => (editor.target === null ? editor.mark(null) : editor.linkTo(editor.target)) },
  { group: "Select and mark", shown: "e", description: "mark or link: find an entity by name", matches: key("e"), run: ({ focus }) => focus("entities") },
  { group: "Select and mark", shown: "x", description: "make the selected entity the link target (for Space)", matches: key("x"),
    run: ({ editor }) => { if (editor.entity !== null) editor.setTarget(editor.entity); } },
  { group: "Edit", shown: "Del", description: "remove the mention", matches: key("Delete", "Backspace"),
    run: ({ editor }) => { if (editor.mention) editor.perform(edit("remove_mention", address(editor.mention))); } },
  { group: "Edit", shown: "u", description: "unlink: move the mention to a new entity", matches: key("u"),
    run: ({ editor }) => { if (editor.mention) editor.perform(edit("unlink", { ...address(editor.mention), new_id: editor.doc.freshId() })); } },
  { group: "Edit", shown: "t", description: "split: move this and all later mentions to a new entity", matches: key("t"), run: split },
  { group: "Edit", shown: "m", description: "merge the selected entity into the link target", matches: key("m"),
    run: ({ editor }) => {
      if (editor.entity !== null && editor.target !== null) editor.perform(edit("merge", { into: editor.target, other: editor.entity }));
    } },
  { group: "Edit", shown: "h", description: "set or clear the head at the caret", matches: key("h"), run: setHead },
  { group: "Edit", shown: ", .", description: "move the end of the mention by one word", matches: key(",", "."),
    run: ({ editor }, event) => editor.resize("end", event.key === "." ? 1 : -1) },
  { group: "Edit", shown: "< >", description: "move the start of the mention by one word", matches: key("<", ">"),
    run: ({ editor }, event) => editor.resize("start", event.key === ">" ? 1 : -1) },
  { group: "Edit", shown: "z Shift z", description: "insert an empty node after the caret; remove the one at the caret", matches: key("z", "Z"),
    run: ({ editor }, event) => {
      if (event.key === "Z") editor.perform(edit("remove_zero", { position: editor.caret }));
      else if (editor.perform(edit("insert_zero", { after: editor.caret }))) editor.moveTo(editor.caret + 1);
    } },
  { group: "Edit", shown: "b", description: "add a bridge from the mention to the link target", matches: key("b"),
    run: ({ editor }) => {
      if (editor.mention && editor.target !== null) editor.perform(edit("add_bridge", { ...address(editor.mention), antecedent: editor.target }));
    } },
  { group: "Edit", shown: "a r", description: "edit the attributes of the mention; rename the entity", matches: key("a", "r"),
    run: ({ focus }, event) => focus(event.key === "a" ? "attributes" : "rename") },
  { group: "Page", shown: "Ctrl Z", description: "undo", matches: (event) => control(event, "z", false), run: ({ editor }) => editor.undo() },
  { group: "Page", shown: "Ctrl Shift Z", description: "redo (also Ctrl Y)",
    matches: (event) => control(event, "z", true) || control(event, "y", false), run: ({ editor }) => editor.redo() },
  { group: "Page", shown: "/", description: "search the text", matches: key("/"), run: ({ focus }) => focus("search") },
  { group: "Page", shown: "Esc", description: "clear the selection; return from a field to the text", matches: key("Escape"), run: ({ editor }) => editor.letGo() },
  { group: "Page", shown: "?", description: "show this list", matches: key("?"), run: ({ help }) => help() },
];

/** Run the command of a key; return whether there is one. */
export function press(event: KeyboardEvent, tools: Tools): boolean {
  const found = KEYS.find(({ matches }) => matches(event));
  found?.run(tools, event);
  return found !== undefined;
}
