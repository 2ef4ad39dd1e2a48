import type { Block } from './pages.ts'

/** What a step printed and what its page says, in a form in which the two are equal where the page is right. */
export interface Compared {
  readonly printed: unknown
  readonly shown: unknown
}

/**
 * Compares output with the block under its command. `json`: the same value, with keys in the same order, however the lines are
 * broken. `http`: the headers shown are among those sent, and the rest is equal. `text`: the same text.
 */
export function compareAnswer(output: string, { language, text }: Block): Compared {
  if (language === 'json') return { printed: toLines(output), shown: toLines(text) }
  if (language === 'http') return compareHttp(output, text)
  return { printed: mask(output.trim()), shown: mask(text) }
}

// Replaces what differs from one run to the next: ids made at random, times, tokens.
function mask(text: string): string {
  return text
    .replace(/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, '<guid>')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .replace(/"(duration_ms|durationMs)":\s*[\d.]+/g, '"$1":<ms>')
    .replace(/\brst_\w+/g, '<token>')
}

function toLines(json: string): string {
  try {
    return mask(JSON.stringify(JSON.parse(json)))
  } catch {
    return `not JSON: ${json}`
  }
}

function compareHttp(output: string, shown: string): Compared {
  const sent = splitHttp(output)
  const written = splitHttp(shown)
  const names = new Set(written.headers.map(headerName))
  const headers = sent.headers.filter(line => names.has(headerName(line)))
  return {
    printed: [sent.status, headers.toSorted(), mask(sent.body)],
    shown: [written.status, written.headers.toSorted(), mask(written.body)],
  }
}

function splitHttp(text: string) {
  const [head = '', body = ''] = text.replaceAll('\r', '').split(/\n\n([\s\S]*)/)
  const [status = '', ...lines] = head.split('\n')
  const headers = lines.map(line => line.replace(/^[\w-]+/, name => name.toLowerCase())).map(mask)
  return { status, headers, body: body.trim() }
}

function headerName(line: string): string {
  return line.split(':', 1)[0] ?? ''
}
