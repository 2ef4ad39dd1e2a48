import type { AccountStore, Store } from '../../domain/store.ts'
import type { Database } from '../database.ts'
import { createTakeNumbers, type TakeNumbers } from './counters.ts'
import { type AppendEvent, createAppendEvent, createEventStore } from './events.ts'
import { createProvision, type Provision } from './provision.ts'
import { createTeamStore } from './teams.ts'
import { createTokenStore, type TokenLookUps } from './tokens.ts'
import { createUserStore } from './users.ts'

/** Work that changes of several entities share. */
export interface Parts {
  readonly provision: Provision
  readonly takeNumbers: TakeNumbers
  readonly appendEvent: AppendEvent
}

interface Dependencies {
  readonly database: Database
  readonly tokenLookUps: TokenLookUps
  readonly onChange: Store['events']['onChange']
}

/** The stores that are written once for both databases. */
export function createEntities({ database, tokenLookUps, onChange }: Dependencies) {
  const provision = createProvision(database)
  const takeNumbers = createTakeNumbers(database)
  const parts: Parts = { provision, takeNumbers, appendEvent: createAppendEvent(database, takeNumbers) }
  const stores = {
    users: createUserStore(database, parts),
    teams: createTeamStore(database, parts),
    accounts: createAccountStore(database, parts),
    tokens: createTokenStore(database, tokenLookUps),
    events: createEventStore(database, onChange),
  } satisfies Partial<Store>
  return { parts, stores }
}

function createAccountStore(database: Database, { provision }: Parts): AccountStore {
  const { build, prepare, tables, read, write } = database
  const selection = { accountCode: tables.accounts.accountCode }
  const findOne = prepare(build.select(selection).from(tables.accounts).limit(1), selection)
  return {
    isEmpty: async () => (await read(findOne, {})).length === 0,
    ensure: accountCode => write(accountCode, () => provision.account(accountCode)),
  }
}
