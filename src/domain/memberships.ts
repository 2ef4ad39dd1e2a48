import { type FieldError, RostrumError } from '../errors.ts'
import { checkId, describeBadId, isId } from './id.ts'
import type { Membership, MembershipPair, Origin, Store } from './store.ts'

const mostListedIds = 1_000

/** The rules of memberships (contract, section 2). All ids are positive safe integers, checked here. */
export interface Memberships {
  /** Those of the ids that exist, in the order asked, duplicates once. More than 1,000 ids: `BAD_USER_INPUT`. */
  list(accountCode: string, ids: readonly number[]): Promise<Membership[]>
  /** `CONFLICT` names the membership that the pair already has, also as the fact `existingId`. */
  add(origin: Origin, pair: MembershipPair): Promise<Membership>
  /** `NOT_FOUND`, `CONFLICT`, or `PRECONDITION_FAILED` where the version is none of `ifVersions`. */
  move(
    origin: Origin,
    id: number,
    change: Partial<MembershipPair>,
    ifVersions: readonly number[] | null,
  ): Promise<Membership>
  /** Answers the membership as it was. */
  remove(origin: Origin, id: number, ifVersions: readonly number[] | null): Promise<Membership>
}

export function createMemberships(store: Store): Memberships {
  const { memberships } = store
  return {
    async list(accountCode, ids) {
      if (ids.length > mostListedIds) throw tooManyIds(ids.length)
      for (const id of ids) checkId(id, 'membership id')
      const distinct = [...new Set(ids)]
      if (distinct.length === 0) return []
      const found = await memberships.findByIds(accountCode, distinct)
      if (isInOrder(found, distinct)) return found
      const rows = new Map(found.map(row => [row.id, row]))
      return distinct.flatMap(id => rows.get(id) ?? [])
    },

    async add(origin, pair) {
      checkPair(pair)
      const result = await memberships.add(origin, pair)
      if (result.kind === 'duplicate') throw alreadyMember(result.existingId)
      return result.membership
    },

    async move(origin, id, change, ifVersions) {
      checkId(id, 'membership id')
      checkPair(change)
      if (change.userId === undefined && change.teamId === undefined) throw nothingToChange()
      const result = await memberships.move(origin, id, change, ifVersions)
      switch (result.kind) {
        case 'moved':
          return result.membership
        case 'duplicate':
          throw alreadyMember(result.existingId)
        default:
          throw notChanged(id, result)
      }
    },

    async remove(origin, id, ifVersions) {
      checkId(id, 'membership id')
      const result = await memberships.remove(origin, id, ifVersions)
      if (result.kind !== 'removed') throw notChanged(id, result)
      return result.membership
    },
  }
}

function isInOrder(rows: readonly Membership[], ids: readonly number[]): boolean {
  return rows.length === ids.length && rows.every((row, index) => row.id === ids[index])
}

function checkPair(pair: Partial<MembershipPair>): void {
  const fields: FieldError[] = []
  for (const [name, what] of [
    ['userId', 'user id'],
    ['teamId', 'team id'],
  ] as const) {
    const id = pair[name]
    if (id !== undefined && !isId(id))
      fields.push({ pointer: `/${name}`, detail: describeBadId(String(id), what) })
  }
  const first = fields[0]
  if (first !== undefined) throw new RostrumError('BAD_USER_INPUT', first.detail, { fields })
}

function tooManyIds(given: number): RostrumError {
  return new RostrumError(
    'BAD_USER_INPUT',
    `At most \`${mostListedIds}\` ids can be listed at once; \`${given}\` were given. Ask in several calls.`,
  )
}

function nothingToChange(): RostrumError {
  return new RostrumError('BAD_USER_INPUT', 'There is nothing to change: give the user, the team or both.')
}

function alreadyMember(existingId: number): RostrumError {
  return new RostrumError(
    'CONFLICT',
    `The user is in this team already, by team membership \`${existingId}\`.`,
    {
      facts: { existingId },
    },
  )
}

type NotChanged = { readonly kind: 'missing' } | { readonly kind: 'stale'; readonly version: number }

// An id of another account is missing like any other, and must read the same.
function notChanged(id: number, result: NotChanged): RostrumError {
  if (result.kind === 'missing')
    return new RostrumError('NOT_FOUND', `There is no team membership \`${id}\`.`)
  return new RostrumError(
    'PRECONDITION_FAILED',
    `Team membership \`${id}\` has changed since it was read: its version is now \`${result.version}\`. Read it again.`,
    { facts: { version: result.version } },
  )
}
