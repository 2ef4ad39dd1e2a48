import { RostrumError } from '../../errors.ts'
import type { Membership, MembershipChange, MembershipPair } from '../store.ts'

/** The decision on a change. An added row has no id yet, so a later change to its pair is `repeated`, by index. */
export type Verdict =
  | { readonly kind: 'added'; readonly pair: MembershipPair }
  | { readonly kind: 'moved'; readonly before: Membership; readonly membership: Membership }
  | { readonly kind: 'removed'; readonly membership: Membership }
  | { readonly kind: 'duplicate'; readonly existingId: number }
  | { readonly kind: 'repeated'; readonly index: number }
  | { readonly kind: 'missing' }
  | { readonly kind: 'stale'; readonly version: number }

/** A pair and the id of the membership that has it. */
export interface HeldPair extends MembershipPair {
  readonly id: number
}

// Each round decides at least one more change. Bulks rarely need a second round: only a membership that a bulk changes
// twice can get a pair that the first round did not look up.
const maxRounds = 10

/**
 * Decides the changes by the rules of single ones, as if one after the other. `rows` are all existing rows that they
 * name. Asks which of some pairs have a membership by yielding them.
 */
export function* decideBulk(
  changes: readonly MembershipChange[],
  rows: readonly Membership[],
): Generator<readonly MembershipPair[], readonly Verdict[], readonly HeldPair[]> {
  const holders = new Map<string, Holder | null>()
  for (let round = 0; ; round += 1) {
    const { verdicts, unknown } = decideAsFarAsKnown(changes, rows, holders)
    if (unknown.length === 0) return verdicts
    if (round === maxRounds) throw tooEntangled()
    for (const pair of unknown) holders.set(keyOf(pair), null)
    for (const held of yield unknown) holders.set(keyOf(held), held)
  }
}

/** The holder of a pair: a row, or the row that the change with this index adds. */
type Holder = { readonly id: number } | { readonly index: number }

// A pair that was not looked up yet counts as free.
function decideAsFarAsKnown(
  changes: readonly MembershipChange[],
  rows: readonly Membership[],
  holders: ReadonlyMap<string, Holder | null>,
) {
  const current = new Map(rows.map(row => [row.id, row]))
  const taken = new Map<string, Holder | null>(rows.map(row => [keyOf(row), row]))
  const unknown = new Map<string, MembershipPair>()

  function findHolder(pair: MembershipPair): Holder | null {
    const key = keyOf(pair)
    const holder = taken.has(key) ? taken.get(key) : holders.get(key)
    if (holder === undefined) unknown.set(key, pair)
    return holder ?? null
  }

  function add(pair: MembershipPair, index: number): Verdict {
    const holder = findHolder(pair)
    if (holder !== null) return refuse(holder)
    taken.set(keyOf(pair), { index })
    return { kind: 'added', pair }
  }

  function move(before: Membership, change: Partial<MembershipPair>): Verdict {
    const pair = { userId: change.userId ?? before.userId, teamId: change.teamId ?? before.teamId }
    if (keyOf(pair) === keyOf(before)) return { kind: 'moved', before, membership: before }
    const holder = findHolder(pair)
    if (holder !== null) return refuse(holder)
    const membership = { ...before, ...pair, version: before.version + 1 }
    current.set(before.id, membership)
    taken.set(keyOf(before), null).set(keyOf(pair), membership)
    return { kind: 'moved', before, membership }
  }

  function remove(membership: Membership): Verdict {
    current.delete(membership.id)
    taken.set(keyOf(membership), null)
    return { kind: 'removed', membership }
  }

  const verdicts = changes.map((change, index): Verdict => {
    if (change.kind === 'add') return add(change.pair, index)
    const row = current.get(change.id)
    if (row === undefined) return { kind: 'missing' }
    const { version } = row
    if (change.ifVersions !== null && !change.ifVersions.includes(version)) return { kind: 'stale', version }
    return change.kind === 'move' ? move(row, change.change) : remove(row)
  })
  return { verdicts, unknown: [...unknown.values()] }
}

function keyOf({ userId, teamId }: MembershipPair): string {
  return `${userId}/${teamId}`
}

function refuse(holder: Holder): Verdict {
  return 'id' in holder
    ? { kind: 'duplicate', existingId: holder.id }
    : { kind: 'repeated', index: holder.index }
}

function tooEntangled(): RostrumError {
  return new RostrumError(
    'BAD_USER_INPUT',
    'The items move the same memberships back and forth too often for one call. Send them in several calls.',
  )
}
