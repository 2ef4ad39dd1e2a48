import type {
  Duplicate,
  Membership,
  MembershipMove,
  MembershipPair,
  MembershipRemoval,
  Miss,
} from './membership-store.ts'

export interface Moved {
  readonly kind: 'moved'
  readonly before: Membership
  readonly membership: Membership
}

/**
 * The decision on one change. An added row has no id yet, so a second addition of its pair refers to the first one by
 * index, as `repeated`.
 */
export type Verdict =
  | { readonly kind: 'added'; readonly pair: MembershipPair }
  | Moved
  | { readonly kind: 'removed'; readonly membership: Membership }
  | Duplicate
  | { readonly kind: 'repeated'; readonly index: number }
  | Miss

/** A pair, and the id of the membership that has this pair. */
export interface HeldPair extends MembershipPair {
  readonly id: number
}

/** Decides additions by the rules of single additions. `held` lists the added pairs that memberships already have. */
export function decideAdds(pairs: readonly MembershipPair[], held: readonly HeldPair[]): readonly Verdict[] {
  const taken = new Map<string, Verdict>(
    held.map(({ id, ...pair }) => [keyOf(pair), { kind: 'duplicate', existingId: id }]),
  )
  return pairs.map((pair, index): Verdict => {
    const refused = taken.get(keyOf(pair))
    if (refused !== undefined) return refused
    taken.set(keyOf(pair), { kind: 'repeated', index })
    return { kind: 'added', pair }
  })
}

/** Decides removals by the rules of single removals. `rows` are the rows that exist. */
export function decideRemovals(
  removals: readonly MembershipRemoval[],
  rows: readonly Membership[],
): readonly Verdict[] {
  const findRow = createFindRow(rows)
  return removals.map((removal): Verdict => {
    const found = findRow(removal)
    return 'kind' in found ? found : { kind: 'removed', membership: found }
  })
}

/** Returns the result of each move if its new pair is free. `rows` are the rows that exist. */
export function prepareMoves(
  moves: readonly MembershipMove[],
  rows: readonly Membership[],
): readonly (Moved | Miss)[] {
  const findRow = createFindRow(rows)
  return moves.map((move): Moved | Miss => {
    const found = findRow(move)
    if ('kind' in found) return found
    const pair = { userId: move.change.userId ?? found.userId, teamId: move.change.teamId ?? found.teamId }
    const isChanged = keyOf(pair) !== keyOf(found)
    const membership = isChanged ? { ...found, ...pair, version: found.version + 1 } : found
    return { kind: 'moved', before: found, membership }
  })
}

/**
 * Decides moves by the rules of single moves, one after the other. Moves that swap pairs in a ring come first,
 * together, because none of them could be made alone. `held` lists the target pairs that memberships already have.
 */
export function decideMoves(
  prepared: readonly (Moved | Miss)[],
  held: readonly HeldPair[],
): readonly Verdict[] {
  const moves = prepared.filter(move => move.kind === 'moved')
  const current = [...held, ...moves.map(({ before }) => before)]
  const holders = new Map(current.map(row => [keyOf(row), row.id]))
  const rings = findRings(moves, holders)
  for (const { membership } of rings) holders.set(keyOf(membership), membership.id)

  return prepared.map((move): Verdict => {
    if (move.kind !== 'moved' || rings.has(move)) return move
    const { before, membership } = move
    const existingId = holders.get(keyOf(membership))
    if (existingId !== undefined) return { kind: 'duplicate', existingId }
    holders.delete(keyOf(before))
    holders.set(keyOf(membership), membership.id)
    return move
  })
}

/** Finds the moves that swap pairs in a ring. A move to the row's own values is a ring of one. */
function findRings(moves: readonly Moved[], holders: ReadonlyMap<string, number>): ReadonlySet<Moved> {
  const byId = new Map(moves.map(move => [move.before.id, move]))
  const followed = new Set<Moved>()
  const rings = new Set<Moved>()
  for (const start of moves) {
    const path: Moved[] = []
    let move: Moved | undefined = start
    while (move !== undefined && !followed.has(move)) {
      followed.add(move)
      path.push(move)
      move = byId.get(holders.get(keyOf(move.membership)) ?? 0)
    }
    const place = move === undefined ? -1 : path.indexOf(move)
    if (place !== -1) for (const each of path.slice(place)) rings.add(each)
  }
  return rings
}

function createFindRow(rows: readonly Membership[]) {
  const byId = new Map(rows.map(row => [row.id, row]))
  return ({ id, ifVersions }: MembershipRemoval): Membership | Miss => {
    const row = byId.get(id)
    if (row === undefined) return { kind: 'missing' }
    const { version } = row
    return ifVersions === null || ifVersions.includes(version) ? row : { kind: 'stale', version }
  }
}

function keyOf({ userId, teamId }: MembershipPair): string {
  return `${userId}/${teamId}`
}
