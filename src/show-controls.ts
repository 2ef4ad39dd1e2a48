/**
 * Shows control characters, and marks of the writing direction, which could change what a terminal shows, as escapes.
 * Tabs stay, and lines if asked, also those that end with CR LF.
 */
export function showControls(text: string, keepLines = false): string {
  // The first one spares LF, and the CR before it.
  const hidden = keepLines
    ? /(?!\r?\n)[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu
    : /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu
  return text.replace(hidden, character => {
    if (character === '\t') return character
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
