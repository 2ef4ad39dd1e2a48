const maxCharacters = 65_536

/** A text as it is shown. */
export interface Shown {
  readonly text: string
  /** Says how much is left out; null if nothing is. */
  readonly note: string | null
}

/** Returns the first 64 KB of a text, and says so. */
export function cutText(text: string): Shown {
  if (text.length <= maxCharacters) return { text, note: null }
  // Half of a character that takes two places would be shown as a wrong one.
  const length = /[\ud800-\udbff]/.test(text[maxCharacters - 1] ?? '') ? maxCharacters - 1 : maxCharacters
  return { text: text.slice(0, length), note: `truncated: 64 KB of ${formatBytes(text.length)}` }
}

/** Prints a JSON value in lines; a large one without them, because only its beginning is shown. */
export function printJson(value: unknown): Shown {
  const compact = JSON.stringify(value) ?? 'null'
  if (compact.length > maxCharacters) return cutText(compact)
  const lines = JSON.stringify(value, null, 2) ?? 'null'
  return lines.length > maxCharacters ? cutText(compact) : cutText(lines)
}

/** Prints a duration: `4.2 ms`, `1.2 s`. */
export function formatMs(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms * 10) / 10} ms` : `${(ms / 1_000).toFixed(1)} s`
}

function formatBytes(bytes: number): string {
  const megabytes = bytes / 2 ** 20
  if (megabytes < 1) return `${Math.round(bytes / 2 ** 10)} KB`
  return `${megabytes < 10 ? Math.round(megabytes * 10) / 10 : Math.round(megabytes)} MB`
}
