/**
 * Says why no database can store a text. Returns null if it can be stored. PostgreSQL refuses NUL, and no encoding
 * stores half of a surrogate pair.
 */
export function describeUnstorable(text: string): string | null {
  if (text.includes('\0')) return 'must not contain NUL (`\\u0000`)'
  return text.isWellFormed() ? null : 'must not contain an unpaired surrogate (such as `\\ud800` alone)'
}
