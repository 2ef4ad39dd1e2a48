import { readFileSync } from 'node:fs'
import zlib from 'node:zlib'

/** What a line says must come of it; each key has its check in `corpus-expectations.ts`. */
export interface Expectation {
  readonly outcome?: readonly string[]
  readonly httpStatus?: readonly number[]
  readonly maxMs?: number
  readonly [key: string]: unknown
}

/** A step of a script's sequence. */
export interface ScriptStep extends LineInput {
  readonly account: 'A' | 'B'
  readonly sourceCode: string
  readonly repeat?: number
  readonly concurrentWithNext?: boolean
}

/** The input as the line has it. A field that ends in `Js` is an expression that makes the field. */
export interface LineInput {
  /** Inputs that are sent one after another. */
  readonly sequence?: readonly LineInput[]
  readonly metadata?: { readonly account_nickname?: string; readonly case_type_code?: string }
  readonly [key: string]: unknown
}

export interface CorpusLine {
  readonly id: string
  readonly class: string
  readonly kind: 'script' | 'http' | 'graphql'
  readonly input: LineInput
  readonly expect: Expectation
}

const corpusFiles = ['corpus.jsonl', 'corpus-2.jsonl', 'corpus-3.jsonl']

/** The lines of one kind, as they are in the files: the corpus unless others are named. */
export function readCorpusLines(
  kind: CorpusLine['kind'],
  files: readonly string[] = corpusFiles,
): CorpusLine[] {
  const texts = files.map(file => readFileSync(new URL(file, import.meta.url), 'utf8'))
  const lines = texts.flatMap(text => text.trim().split('\n'))
  return lines.map(line => JSON.parse(line) as CorpusLine).filter(line => line.kind === kind)
}

/** Puts values in place of `{NAME}` in every text; throws where a name has none. */
export function fillPlaceholders<T>(value: T, values: Readonly<Record<string, string>>): T {
  const fill = (text: string) =>
    text.replace(/\{([A-Z][A-Z0-9_]*)\}/g, (placeholder, name: string) => {
      const filled = values[name]
      if (filled === undefined) throw new Error(`The placeholder \`${placeholder}\` has no value`)
      return filled
    })
  const walk = (part: unknown): unknown => {
    if (typeof part === 'string') return fill(part)
    if (Array.isArray(part)) return part.map(walk)
    if (typeof part !== 'object' || part === null) return part
    return Object.fromEntries(Object.entries(part).map(([key, inner]) => [key, walk(inner)]))
  }
  return walk(value) as T
}

/** Evaluates the fields that end in `Js`: the corpus is ours, and too small for the texts that it describes. */
export function evaluateFields(input: LineInput): LineInput {
  const evaluate = (expression: unknown): unknown =>
    new Function('zlib', `return (${String(expression)})`)(zlib)
  return Object.fromEntries(
    Object.entries(input).map(([key, value]) =>
      key.endsWith('Js') ? [key.slice(0, -2), evaluate(value)] : [key, value],
    ),
  )
}
