import { isDeepStrictEqual } from 'node:util'
import type { AccountName, Operation, Pair } from './membership-operations.ts'

export interface Row extends Pair {
  readonly id: number
  readonly version: number
}

/** What came of an operation, whichever side it took. */
export type Outcome =
  | { readonly kind: 'row'; readonly row: Row }
  | { readonly kind: 'rows'; readonly rows: readonly Row[] }
  | { readonly kind: 'removed' }
  | { readonly kind: 'missing' }
  | { readonly kind: 'conflict'; readonly existingId: number }
  | { readonly kind: 'stale'; readonly version: number }

/** An operation with the ids it names. */
export type Addressed = Operation & { readonly id: number; readonly ids: readonly number[] }

/** What the contract says of memberships (section 2), in a map. Never changed in place, so that orders can be tried. */
export interface Model {
  readonly rows: Readonly<Record<AccountName, ReadonlyMap<number, Row>>>
  /** Every id that an account was given so far. It is given none twice; another account may have the same. */
  readonly usedIds: Readonly<Record<AccountName, ReadonlySet<number>>>
}

export const emptyModel: Model = {
  rows: { a: new Map(), b: new Map() },
  usedIds: { a: new Set(), b: new Set() },
}

/** The ids of both accounts, each once. */
export function allUsedIds({ usedIds }: Model): number[] {
  return [...new Set([...usedIds.a, ...usedIds.b])]
}

/** The model after an operation with this outcome; null where the outcome cannot be. */
function apply(model: Model, operation: Addressed, outcome: Outcome): Model | null {
  const rows = model.rows[operation.account]
  if (operation.kind === 'create') return applyCreate(model, operation, outcome)
  if (operation.kind === 'list') {
    return same(outcome, { kind: 'rows', rows: listed(rows, operation.ids) }) ? model : null
  }
  const row = rows.get(operation.id)
  if (row === undefined) return outcome.kind === 'missing' ? model : null
  if (operation.kind === 'read') return same(outcome, { kind: 'row', row }) ? model : null
  return applyChange(model, { operation, outcome, row })
}

interface Change {
  readonly operation: Addressed & { readonly kind: 'move' | 'remove' }
  readonly outcome: Outcome
  readonly row: Row
}

function applyChange(model: Model, { operation, outcome, row }: Change): Model | null {
  // The precondition comes first (RFC 9110, section 13.2.1), before what the change would meet.
  if (operation.ifVersion !== null && operation.ifVersion !== row.version) {
    return same(outcome, { kind: 'stale', version: row.version }) ? model : null
  }
  if (operation.kind === 'move') return applyMove(model, { operation, outcome, row })
  const rows = drop(model.rows[operation.account], row.id)
  return outcome.kind === 'removed' ? withRows(model, operation.account, rows) : null
}

interface Move {
  readonly operation: Addressed & { readonly kind: 'move' }
  readonly outcome: Outcome
  readonly row: Row
}

function applyMove(model: Model, { operation, outcome, row }: Move): Model | null {
  const rows = model.rows[operation.account]
  const pair = { user: row.user, team: row.team, ...operation.change }
  const other = findPair(rows, pair)
  if (other !== undefined && other.id !== row.id) {
    return same(outcome, { kind: 'conflict', existingId: other.id }) ? model : null
  }
  // A change to what it was is no change.
  const moved = other === undefined ? { id: row.id, ...pair, version: row.version + 1 } : row
  if (!same(outcome, { kind: 'row', row: moved })) return null
  return withRows(model, operation.account, new Map([...rows, [row.id, moved]]))
}

function applyCreate(
  model: Model,
  operation: Addressed & { kind: 'create' },
  outcome: Outcome,
): Model | null {
  const rows = model.rows[operation.account]
  const existing = findPair(rows, operation.pair)
  if (existing !== undefined) {
    return same(outcome, { kind: 'conflict', existingId: existing.id }) ? model : null
  }
  const usedIds = model.usedIds[operation.account]
  if (outcome.kind !== 'row' || usedIds.has(outcome.row.id)) return null
  const made = { id: outcome.row.id, ...operation.pair, version: 1 }
  if (!same(outcome, { kind: 'row', row: made })) return null
  const next = withRows(model, operation.account, new Map([...rows, [made.id, made]]))
  const used = { [operation.account]: new Set([...usedIds, made.id]) }
  return { ...next, usedIds: { ...model.usedIds, ...used } }
}

// Lists are read without versions, since the REST side's has none.
function listed(rows: ReadonlyMap<number, Row>, ids: readonly number[]): Row[] {
  return [...new Set(ids)].flatMap(id => rows.get(id) ?? []).map(row => ({ ...row, version: Number.NaN }))
}

function withRows(model: Model, account: AccountName, rows: ReadonlyMap<number, Row>): Model {
  return { ...model, rows: { ...model.rows, [account]: rows } }
}

function drop(rows: ReadonlyMap<number, Row>, id: number): ReadonlyMap<number, Row> {
  return new Map([...rows].filter(([key]) => key !== id))
}

function findPair(rows: ReadonlyMap<number, Row>, { user, team }: Pair): Row | undefined {
  return [...rows.values()].find(row => row.user === user && row.team === team)
}

function same(left: Outcome, right: Outcome): boolean {
  return isDeepStrictEqual(left, right)
}

/**
 * The model after operations that were under way together, in whichever order explains all that came of them; else
 * null.
 */
export function applyInSomeOrder(
  model: Model,
  done: readonly { readonly operation: Addressed; readonly outcome: Outcome }[],
): Model | null {
  if (done.length === 0) return model
  for (const [index, { operation, outcome }] of done.entries()) {
    const next = apply(model, operation, outcome)
    const end = next === null ? null : applyInSomeOrder(next, done.toSpliced(index, 1))
    if (end !== null) return end
  }
  return null
}
