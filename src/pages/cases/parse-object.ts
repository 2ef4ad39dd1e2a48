import { InexactInteger, readNumber } from '../../json/inexact-integer.ts'

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
    throw new Error(`${name} is no valid JSON${findPlace(text, error)}. Mend it, then try again.`)
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

function findPlace(text: string, error: unknown): string {
  const position = /position (\d+)/.exec(error instanceof Error ? error.message : '')?.[1]
  if (position === undefined) return text.trim() === '' ? ': it is empty' : ': it ends too early'
  const before = text.slice(0, Number(position)).split('\n')
  return ` at Ln ${before.length}, Col ${(before.at(-1)?.length ?? 0) + 1}`
}
