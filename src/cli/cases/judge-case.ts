import { isDeepStrictEqual } from 'node:util'
import type { Execution } from '../gateway/execution.ts'
import type { Case } from './case-file.ts'

/** Something that a case expects and the run did not do. */
export interface Miss {
  readonly of: string
  /** What the script said at its end, if another outcome was expected; null without a text. */
  readonly ending: string | null
  readonly expected: unknown
  readonly actual: unknown
}

/** Compares how a run ended with what its case expects. What the case leaves out is not compared. */
export function findMisses(expected: NonNullable<Case['expect']>, execution: Execution): Miss[] {
  const { outcome, payload, message, error } = execution
  const actual = { outcome, payload, message: message ?? error?.message, code: error?.code }
  const members = ['outcome', 'payload', 'message', 'code'] as const
  return members
    .filter(of => Object.hasOwn(expected, of) && !isDeepStrictEqual(toJson(expected[of]), toJson(actual[of])))
    .map(of => ({
      of,
      expected: expected[of],
      actual: actual[of],
      ending: of === 'outcome' ? describeEnding(execution) : null,
    }))
}

function describeEnding({ message, error }: Execution): string | null {
  if (error === null) return message || null
  const place = error.line === null ? '' : ` at line ${error.line}, column ${error.column ?? 1}`
  return `${error.code}${place}: ${error.message}`
}

// As a run sends it: -0 is 0.
const toJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null))

/** Returns an `expect` that this run meets. It has the message of an error only if `before` has one. */
export function toExpectation(
  { outcome, payload, message, error }: Execution,
  before?: Case['expect'],
): Case['expect'] {
  if (outcome === 'exit') return { outcome, payload }
  if (outcome === 'fail') return { outcome, message: message ?? '' }
  const expected = { outcome, code: error?.code ?? '' }
  return before?.message === undefined ? expected : { ...expected, message: error?.message ?? '' }
}
