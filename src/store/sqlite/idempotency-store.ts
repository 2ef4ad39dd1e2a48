import type { Claim, ClaimRequest, ClaimResult, IdempotencyStore } from '../../domain/idempotency.ts'
import { rowBytes } from '../../domain/idempotency.ts'
import { decideClaim, unanswered } from '../decide-claim.ts'
import type { SqliteDb } from './connect.ts'
import { prepareIdempotencyStatements } from './idempotency-statements.ts'
import type { Transactions } from './transactions.ts'

// To forget an answer takes a look at each of its pages, and the event loop waits meanwhile.
const maxForgottenBytes = 4 * 2 ** 20

// Each page of an answer is written once, so that a log full of answers stops the event loop for 70 ms when it is moved into the
// file. One by one they take some 5 ms each.
const largeAnswerBytes = 256 * 2 ** 10

interface KeyId {
  readonly accountCode: string
  readonly key: string
}

export function createIdempotencyStore(db: SqliteDb, transactions: Transactions): IdempotencyStore {
  const statements = prepareIdempotencyStatements(db)

  function claim(request: ClaimRequest): ClaimResult {
    const now = Date.now()
    const { accountCode, maxBytes } = request
    const values = { ...request, heldUntil: new Date(now + request.holdMs), answer: unanswered(request) }
    const found = statements.find.get({ ...request })
    if (found !== undefined) {
      // A SQLite file has one gateway, and who asks is it: nobody else can be at the key.
      const isExpired = found.createdAt <= now - request.keptMs
      const decision = decideClaim({ ...found, isExpired, isHeld: false }, request)
      if (decision.kind === 'claimed') statements.put(values)
      if (decision.kind !== 'expired') return decision
      forget(request)
    }
    // In place of one that expired there is room.
    const usage = statements.findUsage.get({ accountCode }) ?? 0
    if (found === undefined && usage + rowBytes > maxBytes) return { kind: 'full' }
    statements.put(values)
    statements.addUsage({ accountCode, heldBytes: rowBytes })
    return { kind: 'claimed' }
  }

  function settle(claim: Claim, answer: Buffer, maxBytes: number | null): 'kept' | 'full' | 'lost' {
    const { accountCode } = claim
    const counted = statements.count.get({ ...claim })
    if (counted === undefined) return 'lost'
    const heldBytes = rowBytes + answer.length + counted.stepBytes
    const added = heldBytes - counted.heldBytes
    const usage = statements.findUsage.get({ accountCode }) ?? 0
    if (maxBytes !== null && usage + added > maxBytes) return 'full'
    statements.settle({ ...claim, answer, heldBytes })
    statements.addUsage({ accountCode, heldBytes: added })
    return 'kept'
  }

  // Who comes next to a key that was not answered finds its steps, so they count from here. Gives whether it wrote.
  function release(claim: Claim, outcome: 'undone' | 'unknown'): boolean {
    const counted = statements.count.get({ ...claim })
    if (counted === undefined) return false
    if (outcome === 'undone' && counted.stepBytes === 0) {
      forget(claim)
      return true
    }
    const heldBytes = rowBytes + counted.stepBytes
    const added = heldBytes - counted.heldBytes
    if (outcome === 'undone') statements.clear({ ...claim })
    if (added !== 0) statements.setBytes({ ...claim, heldBytes })
    if (added !== 0) statements.addUsage({ accountCode: claim.accountCode, heldBytes: added })
    return outcome === 'undone' || added !== 0
  }

  /** Gives how many bytes it held. */
  function forget({ accountCode, key }: KeyId): number {
    statements.deleteSteps({ accountCode, key })
    const heldBytes = statements.deleteKey.get({ accountCode, key }) ?? 0
    statements.addUsage({ accountCode, heldBytes: -heldBytes })
    return heldBytes
  }

  function forgetOld(ageMs: number, maxKeys: number): number {
    let keys = 0
    let bytes = 0
    for (const id of statements.listOld.all({ time: Date.now() - ageMs, maxKeys })) {
      bytes += forget(id)
      keys += 1
      if (bytes >= maxForgottenBytes) break
    }
    return keys
  }

  return {
    claim: request =>
      transactions.write(
        () => claim(request),
        ({ kind }) => kind === 'claimed',
      ),
    // Nobody could take it over.
    async renew() {},
    async settle(claim, answer, maxBytes) {
      const outcome = await transactions.write(
        () => settle(claim, answer, maxBytes),
        outcome => outcome === 'kept',
      )
      if (outcome === 'kept' && answer.length >= largeAnswerBytes)
        db.$client.pragma('wal_checkpoint(PASSIVE)')
      return outcome
    },
    async release(claim, outcome) {
      await transactions.write(
        () => release(claim, outcome),
        hasWritten => hasWritten,
      )
    },
    forgetOlderThan: (ageMs, maxKeys) =>
      transactions.write(
        () => forgetOld(ageMs, maxKeys),
        forgotten => forgotten > 0,
      ),
  }
}
