import type { Database as Client } from 'better-sqlite3'
import {
  type Claim,
  type ClaimRequest,
  type ClaimResult,
  type IdempotencyStore,
  rowBytes,
} from '../../domain/idempotency/idempotency.ts'
import type { Database } from '../database.ts'
import { decideClaim, unanswered } from '../entities/decide-claim.ts'
import { all, first, only, type Work } from '../work.ts'
import { prepareIdempotencyStatements } from './idempotency-statements.ts'

// To forget a large answer takes a look at each of its pages; on SQLite the event loop waits meanwhile.
const maxForgottenBytes = 4 * 2 ** 20

// Each page of an answer is written once. A log full of answers would stop SQLite's event loop for 70 ms when it is moved into
// the file; one by one they take about 5 ms each.
const largeAnswerBytes = 256 * 2 ** 10

interface KeyId {
  readonly accountCode: string
  readonly key: string
}

export function createIdempotencyStore(database: Database, client: Client): IdempotencyStore {
  const { write } = database
  const statements = prepareIdempotencyStatements(database)

  function* claim(request: ClaimRequest): Work<ClaimResult> {
    const values = { ...request, answer: unanswered(request) }
    const found = yield* first(statements.find, { ...request, keptMs: -request.keptMs })
    if (found === undefined) return yield* claimNew(request)
    // A SQLite file has one gateway, and it asks: no other one can be working on the key.
    const decision = decideClaim({ ...found, isExpired: found.isExpired === 1, isHeld: false }, request)
    if (decision.kind === 'claimed') yield* all(statements.takeOver, values)
    if (decision.kind !== 'expired') return decision
    // In its place there is room.
    yield* addUsage(request, rowBytes - (yield* forget(request)))
    yield* all(statements.insert, values)
    return { kind: 'claimed' }
  }

  function* claimNew(request: ClaimRequest): Work<ClaimResult> {
    const usage = yield* first(statements.findUsage, { ...request })
    if ((usage?.heldBytes ?? 0) + rowBytes > request.maxBytes) return { kind: 'full' }
    yield* all(statements.insert, { ...request, answer: unanswered(request) })
    yield* addUsage(request, rowBytes)
    return { kind: 'claimed' }
  }

  function* settle(claim: Claim, answer: Buffer, maxBytes: number): Work<'kept' | 'full' | 'lost'> {
    const counted = yield* first(statements.count, { ...claim })
    if (counted === undefined) return 'lost'
    const heldBytes = rowBytes + answer.length + counted.stepBytes
    const added = heldBytes - counted.heldBytes
    const hasRoom = yield* first(statements.addUsageWithin, { ...claim, added, maxBytes })
    if (hasRoom === undefined) return 'full'
    yield* all(statements.settle, { ...claim, answer, heldBytes })
    return 'kept'
  }

  // Whoever claims a key that was not answered finds its steps, so they count from here on.
  function* release(claim: Claim, outcome: 'undone' | 'unknown'): Work<void> {
    const counted = yield* first(statements.count, { ...claim })
    if (counted === undefined) return
    if (outcome === 'undone' && counted.stepBytes === 0) {
      yield* addUsage(claim, -(yield* forget(claim)))
      return
    }
    const heldBytes = rowBytes + counted.stepBytes
    yield* all(outcome === 'undone' ? statements.clear : statements.free, { ...claim, heldBytes })
    yield* addUsage(claim, heldBytes - counted.heldBytes)
  }

  /** Gives the bytes that the key held; they are still to be taken from the account's usage. */
  function* forget({ accountCode, key }: KeyId): Work<number> {
    yield* all(statements.deleteSteps, { accountCode, key })
    const { heldBytes } = yield* only(statements.deleteKey, { accountCode, key })
    return heldBytes
  }

  function* addUsage({ accountCode }: { readonly accountCode: string }, added: number): Work<void> {
    if (added !== 0) yield* all(statements.addUsage, { accountCode, added })
  }

  function* forgetOld(ageMs: number, maxKeys: number): Work<number> {
    const freed = new Map<string, number>()
    let keys = 0
    let bytes = 0
    for (const id of yield* all(statements.listOld, { ageMs: -ageMs, maxKeys })) {
      const heldBytes = yield* forget(id)
      freed.set(id.accountCode, (freed.get(id.accountCode) ?? 0) + heldBytes)
      keys += 1
      bytes += heldBytes
      if (bytes >= maxForgottenBytes) break
    }
    for (const [accountCode, heldBytes] of freed) yield* addUsage({ accountCode }, -heldBytes)
    return keys
  }

  return {
    claim: request =>
      write(request.accountCode, () => claim(request), { hasChanged: ({ kind }) => kind === 'claimed' }),
    // No other gateway could take the claim over.
    async renew() {},
    async settle(claim, answer, maxBytes) {
      const work = () => settle(claim, answer, maxBytes ?? Number.MAX_SAFE_INTEGER)
      const hasChanged = (outcome: 'kept' | 'full' | 'lost') => outcome === 'kept'
      const outcome = await write(claim.accountCode, work, { hasChanged })
      if (outcome === 'kept' && answer.length >= largeAnswerBytes) client.pragma('wal_checkpoint(PASSIVE)')
      return outcome
    },
    release: (claim, outcome) => write(claim.accountCode, () => release(claim, outcome)),
    forgetOlderThan: (ageMs, maxKeys) =>
      write('', () => forgetOld(ageMs, maxKeys), { hasChanged: forgotten => forgotten > 0 }),
  }
}
