/** What is shown of one thing, in bytes. */
export const maxShownBytes = 65_536

/** A text as it is shown. */
export interface Shown {
  readonly text: string
  /** Says how much is left out; null if nothing is. */
  readonly note: string | null
}

const encoder = new TextEncoder()
const room = new Uint8Array(maxShownBytes)

/** Returns the first 64 KB of a text, and says so. */
export function cutText(text: string): Shown {
  const start = fitText(text, maxShownBytes)
  if (start.length === text.length) return { text, note: null }
  return { text: start, note: `truncated: 64 KB of ${formatBytes(countBytes(text))}` }
}

/** Returns the beginning of a text that has at most this number of bytes; never half of a character. */
export function fitText(text: string, bytes: number): string {
  const { read } = encoder.encodeInto(text, room.subarray(0, Math.max(bytes, 0)))
  return text.slice(0, read)
}

/** Returns the number of bytes that a text has in UTF-8. */
export function countBytes(text: string): number {
  return encoder.encode(text).length
}

/** Prints a JSON value in lines; a large one without them, because only its beginning is shown. */
export function printJson(value: unknown): Shown {
  const compact = JSON.stringify(value) ?? 'null'
  if (compact.length > maxShownBytes) return cutText(compact)
  const lines = cutText(JSON.stringify(value, null, 2) ?? 'null')
  return lines.note === null ? lines : cutText(compact)
}

/** Prints what ran a script: `webhook`, `hook pre-save`. */
export function printTrigger(trigger: string, event: string | null): string {
  return event === null ? trigger.toLowerCase() : `${trigger} ${event.replace('_', '-')}`.toLowerCase()
}

/** Prints a duration: `4.2 ms`, `1.2 s`. */
export function formatMs(ms: number): string {
  return ms < 999.95 ? `${ms.toFixed(1)} ms` : `${(ms / 1_000).toFixed(1)} s`
}

/** Prints a size: `98 KB`, `1.8 MB`. */
export function formatBytes(bytes: number): string {
  const megabytes = bytes / 2 ** 20
  if (megabytes < 1) return `${Math.ceil(bytes / 2 ** 10)} KB`
  return `${megabytes < 10 ? Math.round(megabytes * 10) / 10 : Math.round(megabytes)} MB`
}
