/**
 * Says why no database can store a text. Returns null if it can be stored. PostgreSQL refuses NUL, and no encoding
 * stores half of a surrogate pair.
 */
export function describeUnstorable(text: string): string | null {
  if (text.includes('\0')) return 'must not contain NUL (`\\u0000`)'
  return text.isWellFormed() ? null : 'must not contain an unpaired surrogate (such as `\\ud800` alone)'
}

/**
 * Counts the characters of a text as JSON Schema does: an emoji is one, although it takes two UTF-16 units. A text that
 * has more than `max` in any case is not counted: the result is its units.
 */
export function countCharacters(text: string, max: number): number {
  return text.length > 2 * max ? text.length : [...text].length
}
