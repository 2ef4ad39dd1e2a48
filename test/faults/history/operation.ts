import type { MembershipPair } from '../../../src/domain/memberships/membership-store.ts'

/** What a client asked of one membership. */
export type Request =
  | { readonly kind: 'add'; readonly pair: MembershipPair }
  | { readonly kind: 'move'; readonly change: Partial<MembershipPair>; readonly ifVersion: number | null }
  | { readonly kind: 'remove' }
  | { readonly kind: 'read' }

export interface Row {
  readonly pair: MembershipPair
  readonly version: number
}

export type Answer =
  | { readonly kind: 'row'; readonly row: Row }
  | { readonly kind: 'removed' }
  | { readonly kind: 'missing' }
  | { readonly kind: 'stale' }

export interface Operation {
  readonly request: Request
  /**
   * Null where the client never learned what became of it: it was done once, at any time after it was asked for, or
   * never.
   */
  readonly answer: Answer | null
  /** Nanoseconds of one clock. */
  readonly askedAt: number
  readonly answeredAt: number
}

/** A membership as it is at a moment; an id that was removed never comes again. */
export type State = Row | 'unborn' | 'removed'

interface Outcome {
  readonly state: State
  readonly answer: Answer
}

/**
 * What a membership in this state answers to a request, and what becomes of it: the rules (contract, section 2) for one
 * id.
 */
export function apply(state: State, request: Request): Outcome | null {
  if (request.kind === 'add') {
    // An id is given out once.
    if (state !== 'unborn') return null
    const row = { pair: request.pair, version: 1 }
    return { state: row, answer: { kind: 'row', row } }
  }
  if (typeof state === 'string') return { state, answer: { kind: 'missing' } }
  switch (request.kind) {
    case 'read':
      return { state, answer: { kind: 'row', row: state } }
    case 'remove':
      return { state: 'removed', answer: { kind: 'removed' } }
    case 'move':
      return move(state, request)
    default:
      return request satisfies never
  }
}

function move(state: Row, { change, ifVersion }: Request & { kind: 'move' }): Outcome {
  if (ifVersion !== null && ifVersion !== state.version) return { state, answer: { kind: 'stale' } }
  const pair = { ...state.pair, ...change }
  const isSame = pair.userId === state.pair.userId && pair.teamId === state.pair.teamId
  const row = { pair, version: isSame ? state.version : state.version + 1 }
  return { state: row, answer: { kind: 'row', row } }
}
