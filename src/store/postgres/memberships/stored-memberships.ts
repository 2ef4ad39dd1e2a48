import type { Membership, MembershipStore } from '../../../domain/memberships/membership-store.ts'
import type { Origin } from '../../../domain/port.ts'
import { storedRowBytes } from '../../../domain/store-limits.ts'
import type { Database } from '../../database.ts'
import { createChangeMany } from '../../entities/memberships/membership-bulk.ts'
import { createMembershipLookUps } from '../../entities/memberships/membership-look-ups.ts'
import { createMembershipReads } from '../../entities/memberships/membership-reads.ts'
import type { Parts } from '../../entities/parts.ts'
import { createSteps } from '../../steps.ts'
import type { Work } from '../../work.ts'
import type { Calls } from '../connection/calls.ts'
import type { Client } from '../connection/client.ts'
import type { EventSignal } from '../connection/event-signal.ts'
import { nothingChanged } from '../connection/explain-failure.ts'
import { retry, runEach } from '../runner.ts'
import { createAddMembership } from './add-membership.ts'
import { createMembershipChanges } from './membership-changes.ts'

// Maximum number of attempts. Each time, the row that conflicted may be gone before it is read.
const maxAttempts = 10

interface Dependencies {
  readonly database: Database
  readonly parts: Parts
  readonly calls: Calls
  readonly signal: EventSignal
}

interface Change<Kind, Miss> {
  readonly kind: Kind
  /** Makes the change. Resolves with undefined if another row conflicts, or if the step was made before. */
  readonly make: (client: Client) => Promise<Membership | undefined>
  readonly explain: () => Work<Miss | { readonly kind: 'found' }>
  /** Bytes that the change adds to what the account stores. */
  readonly bytes: number
}

/**
 * Makes each single change with one chain: one round trip and one commit, where a transaction of short statements takes
 * eight. If a change returns no row, the reason is looked up afterwards. If the reason is gone by then, the change is
 * tried again.
 */
export function createMembershipStore({ database, parts, calls, signal }: Dependencies): MembershipStore {
  const { bound, write, withAccountSlot, withBulkSlot } = calls
  const { forget, ...reads } = createMembershipReads(database)
  const { findAddable, findMovable, findRow } = createMembershipLookUps(database)
  const { find: findStep } = createSteps(database)
  const changes = createMembershipChanges(database, parts.stored)
  const addTogether = createAddMembership(database, parts.stored, calls)
  const changeMany = createChangeMany({ database, ...parts, forget })
  return {
    ...reads,
    add: (origin, pair) =>
      decide(origin, {
        kind: 'added',
        make: () => retry(() => addTogether({ origin, pair })),
        explain: () => findAddable(origin, pair),
        bytes: storedRowBytes,
      }),
    move(origin, id, change, ifVersions) {
      const move = { origin, id, change, ifVersions }
      return decide(origin, {
        kind: 'moved',
        make: client => withAccountSlot(origin.accountCode, () => runEach(client, changes.move(move))),
        explain: () => findMovable(move),
        bytes: storedRowBytes,
      })
    },
    remove(origin, id, ifVersions) {
      const row = { origin, id, ifVersions }
      return decide(origin, {
        kind: 'removed',
        make: client => withAccountSlot(origin.accountCode, () => runEach(client, changes.remove(row))),
        explain: () => findRow(row),
        bytes: 0,
      })
    },
    changeMany: (origin, changes, mode) =>
      bound(origin.accountCode, () =>
        withBulkSlot(origin.accountCode, () => changeMany(origin, changes, mode)),
      ),
  }

  function decide<Kind, Miss extends { readonly kind: string }>(
    origin: Origin,
    { kind, make, explain, bytes }: Change<Kind, Miss>,
  ) {
    return write(origin.accountCode, async client => {
      for (let count = 0; count < maxAttempts; count += 1) {
        const membership = (await make(client)) ?? (await runEach(client, findStep<Membership>(origin)))
        if (membership !== undefined) {
          signal.announce(origin.accountCode)
          return { kind, membership }
        }
        const found = await runEach(client, explain())
        if (found.kind !== 'found') return found as Exclude<Miss, { kind: 'found' }>
        await runEach(client, throwIfFull(origin.accountCode, bytes))
      }
      throw nothingChanged('Other changes were in the way')
    })
  }

  function* throwIfFull(accountCode: string, bytes: number): Work<void> {
    const full = yield* parts.stored.refuse(accountCode, bytes)
    if (full !== null) throw full.error
  }
}
