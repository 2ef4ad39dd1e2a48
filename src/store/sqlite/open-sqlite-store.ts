import type { Database } from 'better-sqlite3'
import type { Store } from '../../domain/store.ts'
import type { StoreLimits } from '../../domain/store-limits.ts'
import { RostrumError } from '../../errors.ts'
import { createDatabase, createTimeCall, type ObserveStore } from '../database.ts'
import { createEntities } from '../entities/entities.ts'
import { createChangeMark } from './connection/change-mark.ts'
import { type Connect, connect } from './connection/connect.ts'
import { describeFailure } from './connection/describe-failure.ts'
import { createEventSignal } from './connection/event-signal.ts'
import { createTransactions } from './connection/transactions.ts'
import { noFileWatch, watchFile } from './connection/watch-file.ts'
import { createSqliteDialect } from './dialect.ts'
import { createTokenLookUps } from './find-tokens.ts'
import { createKeyFile } from './key-file.ts'
import { createSqliteRunner } from './runner.ts'
import { createMembershipStore } from './single-memberships.ts'

// After an answer of this size, the log is moved into the file at once, which takes about 5 ms. Moving a log full of
// such answers would stop the event loop for 70 ms.
const largeAnswerBytes = 256 * 2 ** 10

interface OpenSqliteStore extends Connect {
  readonly limits: StoreLimits
  readonly observe: ObserveStore | undefined
  /** Called once with the reason if the file of a served store is removed or replaced. */
  readonly onLost: (reason: string) => void
}

/**
 * Opens the store in a SQLite file, and creates and migrates it if needed. Throws a `StartError` if that is not
 * possible.
 */
export async function openSqliteStore({
  limits,
  onLost,
  observe,
  ...options
}: OpenSqliteStore): Promise<Store> {
  const { client, close } = await connect(options)
  const isWatched = options.serve && options.path !== ':memory:'
  const watch = isWatched ? watchFile(options.path, onLost) : noFileWatch
  const changeMark = createChangeMark(client)
  const transactions = createTransactions(client, watch.refuseIfLost)
  const signal = createEventSignal()
  const time = createTimeCall(observe)
  const dialect = createSqliteDialect({ client, changeMark, time })
  const runner = createSqliteRunner(transactions, time)
  const database = createDatabase({ dialect, runner, announce: signal.announce })
  const { parts, stores } = createEntities({
    database,
    limits,
    tokenLookUps: createTokenLookUps(dialect, { changeMark, time }),
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
      // Do not close a lost database: closing would remove the log at its path, which belongs to the file that is there
      // now.
      if (watch.isLost()) return
      await transactions.flush()
      try {
        if (isWatched) emptyLog(client, options.path)
      } finally {
        close()
      }
    },
  }
}

// Moves the log into the file, so that a gateway that exits with 0 leaves the whole store there. Closing does so too,
// but says nothing if the disk is full.
function emptyLog(client: Database, path: string): void {
  try {
    client.pragma('wal_checkpoint(PASSIVE)')
  } catch (cause) {
    const reason = `The database \`${path}\` cannot be closed: ${describeFailure(cause)}.`
    const advice = 'The newest changes are in its log, the file with `-wal`: keep both.'
    throw new RostrumError('UNAVAILABLE', `${reason} ${advice}`, { cause })
  }
}
