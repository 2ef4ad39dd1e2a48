import { html, type TemplateResult } from 'lit'

// Joiners belong to emoji and to the words of many scripts, so only one after an ASCII character is marked.
const unseen =
  /((?:[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]|(?<![^\0-\x7f])[\u200c\u200d])+)/

/**
 * Shows a text, with a mark such as `U+202E` for each character that is invisible or changes the direction of others:
 * with those, code can look like other code.
 */
export function viewText(text: string): string | (string | TemplateResult)[] {
  if (!unseen.test(text)) return text
  return text.split(unseen).map((part, index) => (index % 2 === 0 ? part : viewMark(part)))
}

function viewMark(characters: string) {
  const names = Array.from(
    characters,
    one => `U+${one.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`,
  )
  return html`<bdi class="mark" title="Invisible, or changes the direction of text">${names.join(' ')}</bdi>`
}
