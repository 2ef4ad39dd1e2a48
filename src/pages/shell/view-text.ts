import { html, type TemplateResult } from 'lit'

// Each is invisible, or changes the direction of text.
const unseenCharacters = [
  String.raw`[\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069]`,
  String.raw`[\u034f\u3164\ufeff\uffa0]`,
  // Joiners belong to emoji and to the words of many scripts, so only one after an ASCII character is marked.
  String.raw`(?<![^\0-\x7f])[\u200c\u200d]`,
  // Tags after a flag are the emoji of a region.
  String.raw`(?<!\u{1f3f4}[\u{e0020}-\u{e007e}]*)[\u{e0020}-\u{e007f}]`,
]
const unseen = new RegExp(`((?:${unseenCharacters.join('|')})+)`, 'u')

// A text of marks alone would block the page.
const maxMarks = 200

/**
 * Shows a text, with a mark such as `U+202E` for each character that is invisible or changes the direction of others:
 * with those, code can look like other code. After 200 marks, U+FFFD stands for such characters.
 */
export function viewText(text: string): string | (string | TemplateResult)[] {
  if (!unseen.test(text)) return text
  const parts = text.split(unseen)
  const shown = parts.slice(0, 2 * maxMarks).map((part, index) => (index % 2 === 0 ? part : viewMark(part)))
  const rest = parts.slice(2 * maxMarks).map((part, index) => (index % 2 === 0 ? part : '\ufffd'))
  return [...shown, rest.join('')]
}

function viewMark(characters: string) {
  const names = Array.from(
    characters,
    one => `U+${(one.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`,
  )
  const shown = names.length > maxMarks ? [...names.slice(0, maxMarks), '…'] : names
  return html`<bdi class="mark" title="Invisible, or changes the direction of text">${shown.join(' ')}</bdi>`
}
