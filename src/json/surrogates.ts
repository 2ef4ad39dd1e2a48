/** Escapes the lone surrogates of a JSON text. They can only be inside its strings, where the escape means the same. */
export function escapeSurrogates(text: string): string {
  if (text.isWellFormed()) return text
  return text.replace(/\p{Surrogate}/gu, half => `\\u${half.charCodeAt(0).toString(16)}`)
}

/** Returns the beginning of a text, at most `max` UTF-16 units of it. It never ends with half a character. */
export function cutText(text: string, max: number): string {
  if (text.length <= max) return text
  return text.slice(0, max).replace(/[\ud800-\udbff]$/, '')
}

/** Shortens a text for a message: `…` stands for what is after its first `max` UTF-16 units. */
export function shorten(text: string, max: number): string {
  return text.length <= max ? text : `${cutText(text, max)}…`
}

/**
 * Returns a copy of a text that is ASCII. V8 makes a part of a text refer to the whole, so a part that is kept for
 * longer would keep the whole in memory.
 */
export function copyAscii(text: string): string {
  return Buffer.from(text, 'latin1').toString('latin1')
}
