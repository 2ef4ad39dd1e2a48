import type { Database as Client } from 'better-sqlite3'
import type {
  AddResult,
  Membership,
  MembershipPair,
  MembershipStore,
  MoveResult,
  Origin,
  RemoveResult,
} from '../../../domain/store.ts'
import type { Database } from '../../database.ts'
import type { Parts } from '../../entities/entities.ts'
import { createMembershipReads } from '../../entities/membership-reads.ts'
import { first, only, type Work } from '../../work.ts'
import { encodeIds } from '../id-list.ts'
import { createChangeMany } from './membership-bulk.ts'
import { prepareMembershipStatements } from './membership-statements.ts'

interface Dependencies extends Parts {
  readonly database: Database
  readonly client: Client
}

// About 5 MB.
const maxCachedRows = 50_000

/** Every change here has the write lock from its start: nothing changes between its look-ups and its writes. */
export function createMembershipStore(dependencies: Dependencies): MembershipStore {
  const { database, client, provision, takeNumbers, appendEvent } = dependencies
  const { reads, forget } = createMembershipReads(database, maxCachedRows)
  const statements = prepareMembershipStatements(database)
  return {
    ...reads,
    add: (origin, pair) => database.change(origin, () => add(origin, pair), { hasChanged }),
    move: (origin, id, change, ifVersions) =>
      database.change(origin, () => move({ origin, id, change, ifVersions }), { hasChanged }),
    remove: (origin, id, ifVersions) =>
      database.change(origin, () => remove(origin, id, ifVersions), { hasChanged }),
    changeMany: createChangeMany({ database, client, takeNumbers, forget }),
  }

  function* add(origin: Origin, pair: MembershipPair): Work<AddResult> {
    const { accountCode } = origin
    const existing = yield* first(statements.findPair, { accountCode, ...pair })
    if (existing !== undefined) return { kind: 'duplicate', existingId: existing.id }
    yield* provision.account(accountCode)
    yield* provision.user(accountCode, pair.userId)
    yield* provision.team(accountCode, pair.teamId)
    const id = yield* takeNumbers(accountCode, 'membership')
    const membership = yield* only(statements.insert, { accountCode, id, ...pair })
    yield* appendEvent(origin, { kind: 'added', membershipId: id, before: null, after: membership })
    return { kind: 'added', membership }
  }

  function* move({ origin, id, change, ifVersions }: Move): Work<MoveResult> {
    const { accountCode } = origin
    const current = yield* first(statements.find, { accountCode, id })
    if (current === undefined) return { kind: 'missing' }
    const { version } = current
    if (ifVersions !== null && !ifVersions.includes(version)) return { kind: 'stale', version }
    return yield* moveRow({ origin, change, current, versions: encodeVersions(ifVersions) })
  }

  function* moveRow({ origin, change, current, versions }: RowMove): Work<MoveResult> {
    const { accountCode } = origin
    const { id } = current
    const pair = { userId: change.userId ?? current.userId, teamId: change.teamId ?? current.teamId }
    const existing = yield* first(statements.findPair, { accountCode, ...pair })
    if (existing !== undefined && existing.id !== id) return { kind: 'duplicate', existingId: existing.id }
    forget(accountCode, id)
    // The records of a new user or team come before the row that refers to them.
    if (change.userId !== undefined) yield* provision.user(accountCode, change.userId)
    if (change.teamId !== undefined) yield* provision.team(accountCode, change.teamId)
    const membership: Membership = yield* only(statements.move, { accountCode, id, ...pair, versions })
    if (membership.version !== current.version) {
      yield* appendEvent(origin, { kind: 'moved', membershipId: id, before: current, after: membership })
    }
    return { kind: 'moved', membership }
  }

  function* remove(origin: Origin, id: number, ifVersions: Versions): Work<RemoveResult> {
    const { accountCode } = origin
    forget(accountCode, id)
    const versions = encodeVersions(ifVersions)
    const membership = yield* first(statements.remove, { accountCode, id, versions })
    if (membership === undefined) {
      const row = yield* first(statements.find, { accountCode, id })
      return row === undefined ? { kind: 'missing' } : { kind: 'stale', version: row.version }
    }
    yield* appendEvent(origin, { kind: 'removed', membershipId: id, before: membership, after: null })
    return { kind: 'removed', membership }
  }
}

type Versions = readonly number[] | null

interface Move {
  readonly origin: Origin
  readonly id: number
  readonly change: Partial<MembershipPair>
  readonly ifVersions: Versions
}

interface RowMove extends Pick<Move, 'origin' | 'change'> {
  readonly current: Membership
  readonly versions: string | null
}

function hasChanged({ kind }: AddResult | MoveResult | RemoveResult): boolean {
  return kind === 'added' || kind === 'moved' || kind === 'removed'
}

function encodeVersions(versions: Versions): string | null {
  return versions && encodeIds(versions)
}
