import { randomUUID } from 'node:crypto'

// What stands for a text until it is put in. Nobody outside knows it, so that it stands for nothing else.
const mark = `hole ${randomUUID()}`
const hole = JSON.stringify(mark)

let collected: string[] | null = null

/**
 * A JSON value as its text, which goes on as it came: a result of 2 MiB would take a tenth of a second to be made and written
 * again. `writeJson` puts it in; anything else that writes JSON makes the value after all.
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

/** A JSON text with holes, and the texts that belong into them, in their order. */
export interface HoledJson {
  readonly text: string
  readonly fillings: readonly string[]
}

/** `JSON.stringify`, with each `JsonText` in it left out. */
export function writeWithHoles(value: unknown): HoledJson {
  const fillings: string[] = []
  collected = fillings
  try {
    return { text: JSON.stringify(value), fillings }
  } finally {
    collected = null
  }
}

/** The text with its holes filled, however often it was read and written with them. */
export function fillHoles({ text, fillings }: HoledJson): string {
  if (fillings.length === 0) return text
  const parts = text.split(hole)
  return parts.map((part, index) => (index === 0 ? part : (fillings[index - 1] ?? 'null') + part)).join('')
}

/** `JSON.stringify`, with each `JsonText` put in as it stands. */
export function writeJson(value: unknown): string {
  return fillHoles(writeWithHoles(value))
}
