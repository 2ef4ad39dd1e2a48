import { expect } from 'vitest'
import type { WireAnswer } from '../../properties/wire/wire-answer.ts'
import type { Observation } from '../../server/gateways/observer.ts'
import type { Expectation } from '../corpus/corpus-lines.ts'
import type { Exchange } from './wire-exchange.ts'
import type { Rows } from './wire-stage.ts'

/** All that was seen of one line. */
export interface SeenExchange {
  /** Several where a line is sent several times at once. */
  readonly exchanges: readonly Exchange[]
  readonly before: Observation
  readonly after: Observation
  readonly rowsBefore: Rows
  readonly rowsAfter: Rows
  readonly peakGrowthBytes: number
  /** The same without its extra headers, or the question after an id that nobody has. */
  readonly compared: WireAnswer | null
  readonly otherAccountMs: number | null
  readonly childFreedMs: number | null
}

type Check = (seen: SeenExchange, expected: unknown) => void

const mebibyte = 2 ** 20

const answersOf = ({ exchanges }: SeenExchange) => exchanges.flatMap(({ answers }) => answers)

function only(seen: SeenExchange): WireAnswer {
  const [answer] = answersOf(seen)
  if (answer === undefined) throw new Error('There is no answer')
  return answer
}

interface GraphqlJson {
  readonly data?: unknown
  readonly errors?: readonly { readonly message: string; readonly extensions: Record<string, unknown> }[]
}

const jsonOf = (seen: SeenExchange) => (only(seen).json ?? {}) as GraphqlJson
const most = (actual: number | null, expected: unknown) => {
  expect(actual).not.toBeNull()
  expect(actual).toBeLessThanOrEqual(Number(expected))
}
const rowsOf = (rows: Rows, account: string) =>
  rows.memberships.filter(({ account_code }) => account_code === account)
// An id of the request and the id of the request are the only things that may differ.
const withoutIds = ({ status, headers, text }: WireAnswer) => ({
  status,
  headers: [...headers].filter(([name]) => !['x-request-id', 'date'].includes(name)),
  text: text.replace(/`\d+`/, '`<id>`'),
})

/** What an expectation may hold, and how each is checked. */
const checks: Readonly<Record<string, Check>> = {
  rejected(seen, expected) {
    const { data, errors = [] } = jsonOf(seen)
    const isRejected = errors.length > 0 && (data === undefined || data === null)
    expect(isRejected, only(seen).text.slice(0, 300)).toBe(expected)
  },
  resolverCalls: ({ before, after }, expected) =>
    expect(after.resolverCalls - before.resolverCalls).toBe(expected),
  maxMs: ({ exchanges }, expected) => most(Math.max(...exchanges.map(({ tookMs }) => tookMs)), expected),
  maxResponseBytes(seen, expected) {
    for (const { text } of answersOf(seen)) most(Buffer.byteLength(text), expected)
  },
  maxPauseMs: ({ after }, expected) => most(after.longestPauseMs, expected),
  status(seen, expected) {
    const answers = answersOf(seen)
    expect(answers.length).toBeGreaterThan(0)
    for (const { status, text } of answers) expect(expected, text.slice(0, 300)).toContain(status)
  },
  /** The statuses of all answers on the connection, in order. */
  statuses: (seen, expected) => expect(answersOf(seen).map(({ status }) => status)).toEqual(expected),
  data: (seen, expected) => expect(jsonOf(seen).data).toEqual(expected),
  path(seen, expected) {
    for (const [path, value] of Object.entries(expected as object)) {
      expect(only(seen).json).toHaveProperty(path)
      expect(only(seen).json).toHaveProperty(path, value)
    }
  },
  code(seen, expected) {
    const { errors, code } = jsonOf(seen) as GraphqlJson & { code?: string }
    expect(errors?.[0]?.extensions.code ?? code).toBe(expected)
  },
  /** The bounds that may have refused it: which comes first is not promised. */
  bound: (seen, expected) => expect(expected).toContain(jsonOf(seen).errors?.[0]?.extensions.bound),
  /** Of a sequence, whose last answer is the one that was seen. */
  lastData: (seen, expected) => expect(jsonOf(seen).data).toEqual(expected),
  headerAbsent: (seen, expected) => expect(Array.from(only(seen).headers.keys())).not.toContain(expected),
  contains: (seen, expected) => expect(only(seen).text).toContain(expected),
  notContains: (seen, expected) => expect(only(seen).text).not.toContain(expected),
  hostObjectPrototypeClean: ({ after }, expected) =>
    expect(after.newPrototypeKeys.length === 0).toBe(expected),
  nothingCreated: ({ rowsBefore, rowsAfter }, expected) =>
    expect(JSON.stringify(rowsBefore) === JSON.stringify(rowsAfter)).toBe(expected),
  rowOfAccountBUnchanged({ rowsBefore, rowsAfter }, expected) {
    expect(rowsOf(rowsBefore, 'beta').length).toBeGreaterThan(0)
    const [before, after] = [rowsBefore, rowsAfter].map(rows => JSON.stringify(rowsOf(rows, 'beta')))
    expect(before === after).toBe(expected)
  },
  sameBodyAs(seen, expected) {
    expect(expected).toBe('GET of a non-existent id')
    expect(seen.compared).not.toBeNull()
    if (seen.compared !== null) expect(withoutIds(only(seen))).toEqual(withoutIds(seen.compared))
  },
  noEffectOf(seen, expected) {
    expect(expected).toBe('extra headers')
    expect(seen.compared).not.toBeNull()
    if (seen.compared !== null) expect(withoutIds(only(seen))).toEqual(withoutIds(seen.compared))
    expect(seen.rowsAfter).toEqual(seen.rowsBefore)
  },
  idsReturned(seen, expected) {
    const { team_memberships: found } = only(seen).json as { team_memberships: { id: number }[] }
    expect(found.map(({ id }) => String(id))).toEqual(expected)
  },
  idNot({ rowsAfter }, expected) {
    expect(rowsAfter.memberships.map(({ id }) => id)).not.toContain(expected)
  },
  accountIs({ rowsBefore, rowsAfter }, expected) {
    const known = new Set(rowsBefore.memberships.map(row => JSON.stringify(row)))
    const created = rowsAfter.memberships.filter(row => !known.has(JSON.stringify(row)))
    expect(expected).toBe('A')
    expect(created.map(row => row.account_code)).toEqual(['alpha'])
    expect(created.map(row => row.leader)).toEqual([null])
  },
  noSqlError: (seen, expected) =>
    expect(!/sql|syntax error|constraint|near "/i.test(only(seen).text)).toBe(expected),
  no500: (seen, expected) => expect(answersOf(seen).every(({ status }) => status < 500)).toBe(expected),
  peakRssGrowthMB: ({ peakGrowthBytes }, expected) => most(peakGrowthBytes / mebibyte, expected),
  closedWithinMs: ({ exchanges }, expected) => {
    for (const { closedAfterMs } of exchanges) most(closedAfterMs, expected)
  },
  childFreedWithinMs: ({ childFreedMs }, expected) => most(childFreedMs, expected),
  otherAccountExecuteWithinMs: ({ otherAccountMs }, expected) => most(otherAccountMs, expected),
  // Said by how the line is sent; see `runWireLine`.
  when: (_, expected) => expect(expected).toBe('production, unauthenticated'),
  note: () => undefined,
}

/** Checks every key of the expectation; a key that nothing checks is a failure. */
export function checkWireExpectation(seen: SeenExchange, expectation: Expectation): void {
  for (const [key, expected] of Object.entries(expectation)) {
    const check = checks[key]
    if (check === undefined) throw new Error(`Nothing checks \`${key}\`: give it a check in \`checks\``)
    check(seen, expected)
  }
}
