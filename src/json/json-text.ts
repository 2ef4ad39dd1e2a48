import { randomUUID } from 'node:crypto'

// The placeholder of a text. It is random, so that no other value equals it.
const mark = `placeholder ${randomUUID()}`
const placeholder = JSON.stringify(mark)

let collected: string[] | null = null

/**
 * A JSON value as text that is passed on unchanged: parsing and serializing a result of 2 MiB would take a tenth of a
 * second. `writeJson` inserts the text; `JSON.stringify` elsewhere parses it.
 */
export class JsonText {
  /** One whole JSON value. */
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  toJSON(): unknown {
    if (collected === null) return JSON.parse(this.text)
    collected.push(this.text)
    return mark
  }
}

/** A JSON text with placeholders, and the texts that replace them, in order. */
export interface JsonTemplate {
  readonly text: string
  readonly insertions: readonly string[]
}

/** `JSON.stringify` with a placeholder for each `JsonText`. */
export function writeTemplate(value: unknown): JsonTemplate {
  const insertions: string[] = []
  collected = insertions
  try {
    return { text: JSON.stringify(value), insertions }
  } finally {
    collected = null
  }
}

/** Replaces the placeholders, also after the template was parsed and serialized again. */
export function fillTemplate({ text, insertions }: JsonTemplate): string {
  if (insertions.length === 0) return text
  const parts = text.split(placeholder)
  return parts.map((part, index) => (index === 0 ? part : (insertions[index - 1] ?? 'null') + part)).join('')
}

/** `JSON.stringify` with the text of each `JsonText` inserted unchanged. */
export function writeJson(value: unknown): string {
  return fillTemplate(writeTemplate(value))
}
