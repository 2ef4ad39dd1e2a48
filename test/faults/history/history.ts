import type { MembershipEvent, MembershipPair } from '../../../src/domain/memberships/membership-store.ts'
import { isLinearizable } from './is-linearizable.ts'
import type { Answer, Operation, Request, Row } from './operation.ts'

export interface History {
  /** Makes the call and keeps what was asked and answered, and when; an add has its id only from its answer. */
  record(id: number | null, request: Request, call: () => Promise<Outcome>): Promise<Outcome>
  /** Those ids whose operations no order explains, the rows that are there in the end taken as the last reads. */
  findViolations(events: readonly MembershipEvent[], rows: ReadonlyMap<number, Row>): number[]
  counts(): Counts
}

/** `unknown`: no answer came, or one that says so. `refused`: it was answered that nothing was done. */
export type Outcome =
  | { readonly kind: 'answered'; readonly id: number; readonly answer: Answer }
  | { readonly kind: 'unknown' | 'refused' }

export interface Counts {
  readonly operations: number
  readonly changes: number
  readonly unknown: number
  readonly refused: number
  readonly memberships: number
}

export function createHistory(): History {
  const operations = new Map<number, Operation[]>()
  const lostAdds: Operation[] = []
  const counts = { operations: 0, changes: 0, unknown: 0, refused: 0 }

  function keep(id: number, operation: Operation): void {
    const seen = operations.get(id)
    if (seen === undefined) operations.set(id, [operation])
    else seen.push(operation)
  }

  function keepLost(id: number | null, operation: Operation): void {
    if (id === null) lostAdds.push(operation)
    else keep(id, operation)
  }

  function count({ kind }: Outcome, hasChanged: boolean): void {
    counts.operations += 1
    if (kind === 'refused') counts.refused += 1
    if (kind === 'unknown') counts.unknown += 1
    if (hasChanged) counts.changes += 1
  }

  return {
    async record(id, request, call) {
      const askedAt = now()
      const outcome = await call()
      const answer = outcome.kind === 'answered' ? outcome.answer : null
      count(outcome, isChange(request, answer))
      const operation = { request, answer, askedAt, answeredAt: now() }
      if (outcome.kind === 'answered') keep(outcome.id, operation)
      else if (outcome.kind === 'unknown' && request.kind !== 'read') keepLost(id, operation)
      return outcome
    },

    findViolations(events, rows) {
      for (const add of lostAdds.splice(0)) {
        const made = events.find(({ kind, after }) => kind === 'added' && isPairOf(add.request, after))
        if (made !== undefined) keep(made.membershipId, add)
      }
      const askedAt = now()
      for (const id of new Set([...operations.keys(), ...rows.keys()])) {
        const row = rows.get(id)
        const answer: Answer = row === undefined ? { kind: 'missing' } : { kind: 'row', row }
        keep(id, { request: { kind: 'read' }, answer, askedAt, answeredAt: askedAt })
      }
      return [...operations].filter(([, seen]) => !isLinearizable(seen)).map(([id]) => id)
    },

    counts: () => ({ ...counts, memberships: operations.size }),
  }
}

function now(): number {
  return Number(process.hrtime.bigint())
}

function isChange({ kind }: Request, answer: Answer | null): boolean {
  return kind !== 'read' && (answer?.kind === 'row' || answer?.kind === 'removed')
}

// No two adds of a history have the same pair.
function isPairOf(request: Request, pair: MembershipPair | null): boolean {
  return request.kind === 'add' && request.pair.userId === pair?.userId && request.pair.teamId === pair.teamId
}
