import type { Store } from '../../domain/store.ts'
import type { StoreLimits } from '../../domain/store-limits.ts'
import { createDatabase } from '../database.ts'
import { createEntities } from '../entities/entities.ts'
import { createChangeMark } from './connection/change-mark.ts'
import { type Connect, connect } from './connection/connect.ts'
import { createEventSignal } from './connection/event-signal.ts'
import { createTransactions } from './connection/transactions.ts'
import { noFileWatch, watchFile } from './connection/watch-file.ts'
import { createSqliteDialect } from './dialect.ts'
import { createTokenLookUps } from './find-tokens.ts'
import { createKeyFile } from './key-file.ts'
import { createSqliteRunner } from './runner.ts'
import { createMembershipStore } from './single-memberships.ts'

// Each page of an answer is written once. To move a log full of answers into the file would stop the event loop for 70
// ms; one by one they take about 5 ms each.
const largeAnswerBytes = 256 * 2 ** 10

interface OpenSqliteStore extends Connect {
  readonly limits: StoreLimits
  /** Called once if the file of a store that is served is removed or replaced, with the reason. */
  readonly onLost: (reason: string) => void
}

/** The store in a SQLite file, created and migrated where needed. `StartError` if that is not possible. */
export async function openSqliteStore({ limits, onLost, ...options }: OpenSqliteStore): Promise<Store> {
  const { client, close } = await connect(options)
  const isWatched = options.serve && options.path !== ':memory:'
  const watch = isWatched ? watchFile(options.path, onLost) : noFileWatch
  const changeMark = createChangeMark(client)
  const transactions = createTransactions(client, watch.refuseIfLost)
  const signal = createEventSignal()
  const dialect = createSqliteDialect(client, changeMark)
  const runner = createSqliteRunner(transactions)
  const database = createDatabase({ dialect, runner, announce: signal.announce })
  const { parts, stores } = createEntities({
    database,
    limits,
    tokenLookUps: createTokenLookUps(dialect, changeMark),
    listeners: signal,
    afterAnswer(bytes) {
      if (bytes >= largeAnswerBytes) client.pragma('wal_checkpoint(PASSIVE)')
    },
  })
  const ping = client.prepare('SELECT 1 FROM accounts LIMIT 1')
  return {
    memberships: createMembershipStore(database, parts),
    ...stores,
    keyFile: createKeyFile(options.path),
    async ping() {
      watch.refuseIfLost()
      ping.get()
    },
    async close() {
      watch.stop()
      // Closing would remove the log at the path, which belongs to the file that is there now.
      if (watch.isLost()) return
      transactions.flush()
      close()
    },
  }
}
