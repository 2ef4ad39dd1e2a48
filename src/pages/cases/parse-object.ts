import { InexactInteger, readNumber } from '../../json/inexact-integer.ts'
import { JsonScanner } from '../../json/scanner.ts'
import type { PlacedError } from '../shell/page-element.ts'

/** Reads a JSON object. Throws an error that says where the text is wrong, and what is expected. */
export function parseObject(text: string, name: string): Readonly<Record<string, unknown>> {
  const value = parse(text, name)
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>
  throw new Error(`${name} must be a JSON object, such as {"total": 3}.`)
}

function parse(text: string, name: string): unknown {
  try {
    return JSON.parse(text, refuseChanged as (key: string, value: unknown) => unknown)
  } catch (error) {
    if (error instanceof RangeError) throw error
    throw new TextFault(text, name)
  }
}

/** Says that a text is not JSON, and from which place on. */
class TextFault extends Error implements PlacedError {
  readonly #offset: number

  constructor(text: string, name: string) {
    const offset = findFault(text)
    super(`${name} is not valid JSON${describePlace(text, offset)}. Mend it, then try again.`)
    this.#offset = offset
  }

  /** Puts the cursor at the place in the field of the page, and scrolls to it. */
  showIn(page: Element): void {
    const field = page.querySelector('textarea')
    if (field === null) return
    field.setSelectionRange(this.#offset, this.#offset)
    // The browser scrolls to the cursor of a field that gets the focus.
    field.blur()
    field.focus()
  }
}

// The words of browsers name no place, or quote the text itself.
function findFault(text: string): number {
  const bytes = new TextEncoder().encode(text)
  const scanner = new JsonScanner()
  scanner.write(bytes)
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(0, scanner.position)).length
}

function describePlace(text: string, offset: number): string {
  if (text.trim() === '') return ': it is empty'
  if (offset === text.length) return ': it ends too early'
  const before = text.slice(0, offset).split('\n')
  return ` at Ln ${before.length}, Col ${(before.at(-1)?.length ?? 0) + 1}`
}

interface Context {
  /** The number as it was typed; browsers that are some years old do not say it. */
  readonly source?: string
}

// Numbers are doubles in the browser, so the gateway cannot see that another one was typed. Its own rule decides here.
function refuseChanged(_key: string, value: unknown, { source }: Context = {}): unknown {
  if (typeof value !== 'number' || source === undefined) return value
  const isKept = Number.isFinite(value) && !(readNumber(source) instanceof InexactInteger)
  if (isKept) return value
  throw new RangeError(`${source} cannot be kept as a number: it would become ${value}. Put it in quotes.`)
}
