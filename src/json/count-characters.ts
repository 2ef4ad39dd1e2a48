/**
 * Counts the characters of a text as JSON Schema does: an emoji is one, although it takes two UTF-16 units. For a text
 * that has more than `max` however they are counted, it returns the units.
 */
export function countCharacters(text: string, max: number): number {
  return text.length > 2 * max ? text.length : [...text].length
}
