import { randomUUID } from 'node:crypto'
import { parseText } from './parse-json.ts'

// Begins the placeholder of a text. It is random, so that no other value equals a placeholder.
const mark = `placeholder ${randomUUID()}`
const placeholder = JSON.stringify(mark)

let collected: string[] | null = null

/**
 * A JSON value as text that is passed on unchanged, because parsing and serializing a result of 2 MiB would take a
 * tenth of a second. `writeJson` inserts the text; plain `JSON.stringify` parses it.
 */
export class JsonText {
  /** One whole JSON value. */
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  toJSON(): unknown {
    if (collected === null) return parseText(this.text)
    collected.push(this.text)
    return mark
  }
}

/** A JSON text with placeholders, and the texts that replace them, in order. */
export interface JsonTemplate {
  readonly text: string
  readonly insertions: readonly string[]
}

/** Writes a value like `JSON.stringify`, with a placeholder for each `JsonText`. */
export function writeTemplate(value: unknown): JsonTemplate {
  const insertions: string[] = []
  collected = insertions
  try {
    return { text: JSON.stringify(value), insertions }
  } finally {
    collected = null
  }
}

/** Replaces the placeholders by their texts. The template may have been parsed and serialized again before. */
export function fillTemplate({ text, insertions }: JsonTemplate): string {
  let filled = ''
  let from = 0
  for (const insertion of insertions) {
    const at = text.indexOf(placeholder, from)
    if (at === -1) break
    filled += text.slice(from, at) + insertion
    from = at + placeholder.length
  }
  return from === 0 ? text : filled + text.slice(from)
}

/** Writes a value like `JSON.stringify`, and inserts the text of each `JsonText` unchanged. */
export function writeJson(value: unknown): string {
  return fillTemplate(writeTemplate(value))
}

/** True for the content type of JSON, such as `application/json` or `application/problem+json; charset=utf-8`. */
export function isJsonType(contentType: string): boolean {
  return /^(application|text)\/([\w.!#$&^+-]+\+)?json\s*(;|$)/i.test(contentType)
}
