import { setImmediate as nextTurn } from 'node:timers/promises'
import { endBefore } from '../../../end-before.ts'
import type { Together } from '../../database.ts'
import type { Calls } from './calls.ts'
import { nothingChanged } from './explain-failure.ts'
import type { PoolClient } from './pool.ts'
import { isDataError } from './sql-state.ts'

// Maximum number of changes in one transaction, and maximum bytes of them. A larger change has its own.
const maxTogether = 50
const maxBytes = 2 ** 20
// Maximum time before a change is sent.
const maxWaitMs = 4_000

interface Waiting<Ask, Answer> {
  readonly ask: Ask
  readonly sent: PromiseWithResolvers<void>
  readonly answer: PromiseWithResolvers<Answer | null>
}

interface Dependencies<Ask, Answer> extends Pick<Together<Ask, Answer>, 'keyOf' | 'measure'> {
  readonly calls: Calls
  /** Makes the changes of an account. Null if it undid all of them. */
  readonly changeAll: (
    client: PoolClient,
    accountCode: string,
    asks: readonly Ask[],
  ) => Promise<readonly (Answer | null)[] | null>
}

/**
 * Makes one transaction of the changes of an account that come while its last one runs. Changes of an account wait for
 * its counters until a commit is on disk, so only sharing allows more changes a second than commits. A change alone is
 * sent at the end of the turn of the event loop.
 */
export function createChangeTogether<Ask, Answer>(
  dependencies: Dependencies<Ask, Answer>,
): (accountCode: string, ask: Ask) => Promise<Answer | null> {
  const { calls, keyOf, measure, changeAll } = dependencies
  const accounts = new Map<string, Set<Waiting<Ask, Answer>>>()

  function takeSome(waiting: Set<Waiting<Ask, Answer>>): readonly Waiting<Ask, Answer>[] {
    const keys = new Set<unknown>()
    const taken: Waiting<Ask, Answer>[] = []
    let bytes = 0
    for (const each of waiting) {
      bytes += measure(each.ask)
      if (taken.length > 0 && (bytes > maxBytes || keys.has(keyOf(each.ask)))) break
      taken.push(each)
      keys.add(keyOf(each.ask))
      waiting.delete(each)
      if (taken.length === maxTogether) break
    }
    return taken
  }

  async function send(client: PoolClient, accountCode: string, some: readonly Waiting<Ask, Answer>[]) {
    for (const { sent } of some) sent.resolve()
    const asks = some.map(({ ask }) => ask)
    try {
      // If PostgreSQL refuses the values of one change, each is made alone.
      const answers = await changeAll(client, accountCode, asks).catch((error: unknown) => {
        if (isDataError(error)) return null
        throw error
      })
      for (const [index, { answer }] of some.entries()) answer.resolve(answers?.[index] ?? null)
    } catch (error) {
      for (const { answer } of some) answer.reject(error)
    }
  }

  async function sendAll(client: PoolClient, accountCode: string, waiting: Set<Waiting<Ask, Answer>>) {
    await nextTurn()
    while (waiting.size > 0) await send(client, accountCode, takeSome(waiting))
    accounts.delete(accountCode)
  }

  return (accountCode, ask) =>
    calls.write(accountCode, async client => {
      const each = {
        ask,
        sent: Promise.withResolvers<void>(),
        answer: Promise.withResolvers<Answer | null>(),
      }
      const known = accounts.get(accountCode)
      const waiting = known ?? new Set()
      waiting.add(each)
      if (known === undefined) {
        accounts.set(accountCode, waiting)
        void sendAll(client, accountCode, waiting)
      }
      const error = () => {
        waiting.delete(each)
        return nothingChanged('Other changes of this account took too long')
      }
      await endBefore(each.sent.promise, { after: { ms: maxWaitMs, error } })
      return each.answer.promise
    })
}
