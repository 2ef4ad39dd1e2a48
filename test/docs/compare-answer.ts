import type { Block } from './pages.ts'

/** What a step printed and what its page says, in a form in which the two are equal where the page is right. */
export interface Compared {
  readonly printed: unknown
  readonly shown: unknown
}

/**
 * Compares output with the block under its command. `json`: the same value, with keys in the same order, however the
 * lines are broken; a text that ends in `…` stands for all that begin like it. `http`: the same, after the status and
 * those of the headers that are shown. `text`: the same text.
 */
export function compareAnswer(output: string, { language, text }: Block): Compared {
  if (language === 'json') return compareJson(output, text)
  if (language === 'http') return compareHttp(output, text)
  return { printed: mask(output.trim()), shown: mask(text) }
}

// Replaces what differs from one run to the next: random ids, times, tokens.
function mask(text: string): string {
  return (
    text
      .replace(/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, '<guid>')
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
      .replace(/"(duration_ms|durationMs)":\s*[\d.]+/g, '"$1":<ms>')
      .replace(/\brst_[\w-]+/g, '<token>')
      // Ids of tokens, which count for the whole store.
      .replace(/^\d+ +(?=\S+ +\d{16} )|(?<=^Token `)\d+/gm, '<id> ')
      // The comments of a stream, as many as its events took to come.
      .replace(/^(:\n\n)+/gm, ':\n\n')
  )
}

function compareJson(output: string, text: string): Compared {
  const shown = JSON.parse(text) as unknown
  try {
    const printed = shorten(JSON.parse(output), shown)
    return { printed: mask(JSON.stringify(printed)), shown: mask(JSON.stringify(shown)) }
  } catch {
    return { printed: output, shown: text }
  }
}

// Cuts each text of `value` where the page cuts it.
function shorten(value: unknown, shown: unknown): unknown {
  if (typeof value === 'string' && typeof shown === 'string' && shown.endsWith('…'))
    return value.startsWith(shown.slice(0, -1)) ? shown : value
  if (typeof value !== 'object' || value === null) return value
  const below = (shown ?? {}) as Readonly<Record<string, unknown>>
  if (Array.isArray(value)) return value.map((item, index) => shorten(item, below[index]))
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, shorten(item, below[name])]))
}

function compareHttp(output: string, text: string): Compared {
  const sent = splitHttp(output)
  const written = splitHttp(text)
  const names = new Set(written.headers.map(headerName))
  const headers = sent.headers.filter(line => names.has(headerName(line)))
  const bodies =
    written.body === '' ? { printed: sent.body, shown: '' } : compareJson(sent.body, written.body)
  return {
    printed: [sent.status, headers.toSorted(), bodies.printed],
    shown: [written.status, written.headers.toSorted(), bodies.shown],
  }
}

function splitHttp(text: string) {
  const [head = '', body = ''] = text.replaceAll('\r', '').split(/\n\n([\s\S]*)/)
  const [status = '', ...lines] = head.split('\n')
  const headers = lines.map(line => mask(line.replace(/^[\w-]+/, name => name.toLowerCase())))
  return { status, headers, body: body.trim() }
}

function headerName(line: string): string {
  return line.split(':', 1)[0] ?? ''
}
