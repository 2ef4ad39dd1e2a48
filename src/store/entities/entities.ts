import { sql } from 'drizzle-orm'
import type { AccountStore } from '../../domain/directory/directory-store.ts'
import type { Store } from '../../domain/store.ts'
import type { StoreLimits } from '../../domain/store-limits.ts'
import type { ChangeListeners } from '../change-listeners.ts'
import type { Database } from '../database.ts'
import { numberOf } from '../tables/tables-of.ts'
import { first } from '../work.ts'
import { createCaseStore } from './cases/stored-cases.ts'
import { createTakeNumbers } from './counters.ts'
import { createDeleteExpiredEvents } from './delete-events.ts'
import { createAppendEvent, createEventStore } from './events.ts'
import { createFunctionStore } from './functions/stored-functions.ts'
import type { Parts } from './parts.ts'
import { createAddUser, createProvision, findAnyAccount, insertAccount } from './provision.ts'
import { createEnqueue } from './queue/enqueue.ts'
import { createQueueStore } from './queue/queue.ts'
import { createQueueAccounts } from './queue/queue-accounts.ts'
import { createRunStore } from './runs/stored-runs.ts'
import { createWriteRuns } from './runs/write-runs.ts'
import { createStoredBytes, storedBytes } from './stored-bytes.ts'
import { createDirectory } from './stored-directory.ts'
import { createIdempotencyStore, createKeyWork } from './stored-keys.ts'
import { createTokenStore, type TokenLookUps } from './tokens.ts'
import { createHookStore, hookKind } from './triggers/stored-hooks.ts'
import { createCaseTaskStore, taskKind } from './triggers/stored-tasks.ts'
import { createFindTriggers } from './triggers/trigger-kind.ts'
import { createWebhookStore, webhookKind } from './webhooks/stored-webhooks.ts'

interface Dependencies {
  readonly database: Database
  readonly limits: StoreLimits
  readonly tokenLookUps: TokenLookUps
  readonly listeners: ChangeListeners
  /** Called with the bytes of an answer that an idempotency key keeps from now on. */
  readonly afterAnswer?: (bytes: number) => void
}

const kindsOfTriggers = [hookKind, taskKind, webhookKind] as const

/** The stores that are written once for both databases. */
export function createEntities(dependencies: Dependencies) {
  const { database, limits, tokenLookUps, listeners, afterAnswer } = dependencies
  const { onChange, onQueued } = listeners
  const takeNumbers = createTakeNumbers(database)
  const provision = createProvision(database)
  const stored = createStoredBytes(database, limits)
  const accounts = createQueueAccounts(database)
  const writeRuns = createWriteRuns({ dialect: database, stored })
  const parts: Parts = {
    provision,
    addUser: createAddUser(database, { provision, takeNumbers }),
    takeNumbers,
    appendEvent: createAppendEvent(database, takeNumbers),
    enqueue: createEnqueue({ dialect: database, accounts, stored, limits }),
    writeRuns,
    stored,
    keys: createKeyWork(database),
    forgetCallers: tokenLookUps.forgetCallers,
    triggerLookUps: kindsOfTriggers.map(kind => createFindTriggers(database, kind)),
  }
  const stores = {
    ...createDirectory(database, parts),
    accounts: createAccountStore(database),
    tokens: createTokenStore(database, tokenLookUps, parts.addUser),
    events: createEventStore(database, onChange),
    deleteExpiredEvents: createDeleteExpiredEvents(database, stored),
    functions: createFunctionStore(database, parts),
    cases: createCaseStore({ database, limits, onChange, ...parts }),
    hooks: createHookStore(database, parts),
    caseTasks: createCaseTaskStore(database, parts),
    runs: createRunStore(database, parts),
    queue: createQueueStore({ database, accounts, limits, onQueued, ...parts }),
    webhooks: { ...createWebhookStore(database, parts), changeMark: tokenLookUps.changeMark },
    idempotency: createIdempotencyStore(database, parts.keys, afterAnswer),
  } satisfies Partial<Store>
  return { parts, stores }
}

function createAccountStore(database: Database): AccountStore {
  const { prepare, tables, read, write } = database
  const { accountCode } = tables.accounts
  const findOne = prepare(findAnyAccount, { accountCode })
  const insert = prepare(sql`${insertAccount(database)} returning account_code`, { accountCode })
  const findStored = prepare(sql`select ${storedBytes}`, { bytes: numberOf(storedBytes) })
  return {
    isEmpty: async () => (await read(findOne, {})).length === 0,
    ensure: async accountCode => {
      const created = await write(accountCode, () => first(insert, { accountCode }))
      return created !== undefined
    },
    async findStoredBytes(accountCode) {
      const [row] = await read(findStored, { accountCode })
      return row?.bytes ?? 0
    },
  }
}
