import { visit } from 'jsonc-parser'

/** Where a text stops being JSON: `position` counts characters from 0, line and column from 1. */
export interface JsonErrorPlace {
  readonly position: number
  readonly line: number
  readonly column: number
}

/** The place of the error that `JSON.parse` found. V8 names it in most of its messages; a lenient parser finds the others. */
export function findJsonError(text: string, error: SyntaxError): JsonErrorPlace {
  // At the end alone: before it a message may quote the text.
  const named = / JSON at position (\d+) \(line \d+ column \d+\)$/.exec(error.message)
  const position = named === null ? findUnnamed(text, error) : Number(named[1])
  const before = text.slice(0, position).split('\n')
  return { position, line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }
}

function findUnnamed(text: string, { message }: SyntaxError): number {
  // The visitor would take half a second for two million spaces.
  return message === 'Unexpected end of JSON input' ? text.length : findByVisiting(text)
}

function findByVisiting(text: string): number {
  let first: number | null = null
  const onError = (_code: number, offset: number) => {
    first = offset
    // A million commas are a million errors, and the visitor would go on to the last.
    throw new RangeError('found')
  }
  try {
    visit(text, { onError }, { disallowComments: true, allowTrailingComma: false })
  } catch {
    // Found, or nested too deep for the visitor; V8 was not.
  }
  return first ?? text.length
}
