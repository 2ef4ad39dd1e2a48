import { html, type TemplateResult } from 'lit'

// Each is invisible, or changes the direction of text.
const unseenCharacters = [
  String.raw`[\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f]`,
  String.raw`[\u034f\u3164\ufeff\uffa0\ufff0-\ufff8\u{1d173}-\u{1d17a}]`,
  String.raw`[\u{e0000}-\u{e001f}\u{e0080}-\u{e00ff}\u{e01f0}-\u{e0fff}]`,
  // Joiners belong to emoji and to the words of many scripts, so only one after an ASCII character or another joiner is
  // marked.
  String.raw`(?<![^\0-\x7f\u200c\u200d])[\u200c\u200d]`,
  // Variation selectors belong to emoji too, one to each, and to digits, # and * that become one. A joiner has none.
  String.raw`(?<=[\ufe00-\ufe0f\u{e0100}-\u{e01ef}\u200c\u200d])[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]`,
  String.raw`(?<=[\0-"$-)+-/:-\x7f])[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]`,
  // Up to six tags after a flag, and the one that ends them, are the emoji of a region. More would hide any text, and
  // looking back over all of them would take time that grows with the square of their number.
  String.raw`(?<!\u{1f3f4}[\u{e0030}-\u{e007a}]{0,6})[\u{e0020}-\u{e007f}]`,
]
const unseen = new RegExp(`((?:${unseenCharacters.join('|')})+)`, 'u')

// A text of marks alone would block the page.
const maxMarks = 200

// Hebrew, Arabic and the other scripts that are written from right to left.
const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u
// `\x60` is a backtick. A string that is cut off ends with its line, a template with the text.
const stringOrComment = /(["'])(?:\\.|(?!\1)[^\\\n])*\1?|\x60(?:\\[\s\S]|[^\\\x60])*\x60?|(?<=\/\/)[^\n]+/g

// A browser takes seconds to lay out a line with thousands.
const maxIsolated = 500

type ShownText = string | TemplateResult | readonly ShownText[]

/**
 * Shows a text, with a mark such as `U+202E` for each character that is invisible or changes the direction of others:
 * with those, code can look like other code. After 200 marks, U+FFFD stands for such characters.
 */
export function viewText(text: string, room = roomForText()): ShownText {
  return viewMarked(text, room)
}

/**
 * Shows JSON as `viewText` does. Each of the first 500 strings with letters that are written from right to left is laid
 * out by itself, in the direction of its own words, so that what follows it stays where it is.
 */
export function viewJson(text: string, room = roomForText()): ShownText {
  return viewIsolated(text, 'auto', room)
}

/**
 * Shows a source as `viewJson` shows JSON, also its line comments. All of it has the direction of code, because what
 * looks like a string may be code: a quote can stand in a regular expression, and a diff shows lines by themselves.
 */
export function viewCode(text: string): ShownText {
  return viewIsolated(text, 'ltr', roomForText())
}

/** True for a text without such characters, and without letters that are written from right to left. */
export function isPlain(text: string): boolean {
  return !unseen.test(text) && !rightToLeft.test(text)
}

/** How much more of a text a browser lays out in a short time. */
export interface TextRoom {
  marks: number
  /** Strings that are laid out by themselves. */
  isolated: number
}

/** Returns the room that a text has, or several texts that are shown together. */
export function roomForText(): TextRoom {
  return { marks: maxMarks, isolated: maxIsolated }
}

function viewMarked(text: string, room: TextRoom): ShownText {
  if (!unseen.test(text)) return text
  const parts = text.split(unseen)
  const marked = parts.slice(0, 2 * room.marks)
  const rest = parts.slice(2 * room.marks).map((part, index) => (index % 2 === 0 ? part : '\ufffd'))
  room.marks -= Math.floor(marked.length / 2)
  return [...marked.map((part, index) => (index % 2 === 0 ? part : viewMark(part))), rest.join('')]
}

function viewIsolated(text: string, direction: 'auto' | 'ltr', room: TextRoom): ShownText {
  if (!rightToLeft.test(text)) return viewMarked(text, room)
  const shown: ShownText[] = []
  let from = 0
  for (const { 0: whole, index } of text.matchAll(stringOrComment)) {
    if (!rightToLeft.test(whole)) continue
    if (room.isolated === 0) break
    room.isolated--
    const between = viewMarked(text.slice(from, index), room)
    shown.push(between, html`<bdi dir=${direction}>${viewMarked(whole, room)}</bdi>`)
    from = index + whole.length
  }
  return [...shown, viewMarked(text.slice(from), room)]
}

function viewMark(characters: string) {
  const names = Array.from(
    characters,
    one => `U+${(one.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`,
  )
  const shown = names.length > maxMarks ? [...names.slice(0, maxMarks), '…'] : names
  return html`<bdi class="mark" title="Invisible, or changes the direction of text">${shown.join(' ')}</bdi>`
}
