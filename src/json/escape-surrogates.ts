/** Escapes the lone surrogates of a JSON text. They can only be inside its strings, where the escape means the same. */
export function escapeSurrogates(text: string): string {
  if (text.isWellFormed()) return text
  return text.replace(/\p{Surrogate}/gu, half => `\\u${half.charCodeAt(0).toString(16)}`)
}
