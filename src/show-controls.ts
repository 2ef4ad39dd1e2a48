/**
 * Shows control characters, and marks of the writing direction, which could change what a terminal shows, as escapes.
 * Tabs stay, and lines if asked.
 */
export function showControls(text: string, keepLines = false): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu, character => {
    if (character === '\t' || (keepLines && character === '\n')) return character
    if (character === '\n') return '\\n'
    return escapeCharacter(character)
  })
}

/** Shows the same characters as escapes in JSON, which does not escape all of them itself. */
export function showControlsOfJson(text: string): string {
  return text.replace(/[\u007f-\u009f\p{Bidi_Control}\u2028\u2029]/gu, escapeCharacter)
}

const escapeCharacter = (character: string): string =>
  `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
