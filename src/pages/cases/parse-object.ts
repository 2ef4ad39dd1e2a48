import { InexactInteger, readNumber } from '../../json/inexact-integer.ts'
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
    throw describeFault(text, name, positionIn(error) ?? findFault(text))
  }
}

function describeFault(text: string, name: string, offset: number): Error {
  const describe = (place: string) => `${name} is not valid JSON${place}. Mend it, then try again.`
  if (text.trim() === '') return new TextFault(describe(': it is empty'), 0)
  if (offset >= text.length) return new TextFault(describe(': it ends too early'), text.length)
  const before = text.slice(0, offset).split('\n')
  const place = ` at Ln ${before.length}, Col ${(before.at(-1)?.length ?? 0) + 1}`
  return new TextFault(describe(place), offset)
}

/** Says that a text is wrong from some place on, counted in UTF-16 code units. */
class TextFault extends Error implements PlacedError {
  readonly #offset: number

  constructor(message: string, offset: number) {
    super(message)
    this.#offset = offset
  }

  /** Puts the cursor at the place in the field of the page, and scrolls to its line. */
  showIn(page: Element): void {
    const field = page.querySelector('textarea')
    if (field === null) return
    const line = field.value.slice(0, this.#offset).split('\n').length
    const lineHeight = Number.parseFloat(getComputedStyle(field).lineHeight)
    field.focus()
    field.setSelectionRange(this.#offset, this.#offset)
    field.scrollTop = (line - 1) * lineHeight - field.clientHeight / 2
  }
}

// Browsers name the place of some faults.
function positionIn(error: unknown): number | null {
  const position = /position (\d+)/.exec(error instanceof Error ? error.message : '')?.[1]
  return position === undefined ? null : Number(position)
}

// The beginning of a text is right as long as it only ends too early.
function findFault(text: string): number {
  if (endsTooEarly(text)) return text.length
  let [right, wrong] = [0, text.length]
  while (wrong - right > 1) {
    const middle = Math.floor((right + wrong) / 2)
    if (endsTooEarly(text.slice(0, middle))) right = middle
    else wrong = middle
  }
  return right
}

function endsTooEarly(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch (error) {
    const isAtEnd = error instanceof Error && /end of|EOF|unterminated/i.test(error.message)
    return isAtEnd || positionIn(error) === text.length
  }
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
