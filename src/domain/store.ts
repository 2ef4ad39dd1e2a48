import type { CaseStore } from './cases/case-store.ts'
import type { AccountStore, TeamStore, UserStore } from './directory/directory-store.ts'
import type { TokenStore } from './directory/token-store.ts'
import type { FunctionStore } from './functions/function-store.ts'
import type { IdempotencyStore } from './idempotency/idempotency.ts'
import type { MembershipEvent, MembershipStore } from './memberships/membership-store.ts'
import type { EventStore } from './port.ts'
import type { QueueStore } from './queue/queue-store.ts'
import type { RunStore } from './runs/run-store.ts'
import type { CaseTaskStore, HookStore } from './triggers/trigger-store.ts'
import type { KeyFile } from './webhooks/keyring.ts'
import type { WebhookStore } from './webhooks/webhook-store.ts'

/**
 * The port to the data. Every call names an account, and reads and changes rows of that account alone. Only tokens are
 * also found without an account, because a token names its account.
 */
export interface Store {
  readonly memberships: MembershipStore
  readonly users: UserStore
  readonly teams: TeamStore
  readonly accounts: AccountStore
  readonly tokens: TokenStore
  readonly events: EventStore<MembershipEvent>
  readonly functions: FunctionStore
  readonly cases: CaseStore
  readonly hooks: HookStore
  readonly caseTasks: CaseTaskStore
  readonly runs: RunStore
  readonly queue: QueueStore
  readonly webhooks: WebhookStore
  readonly idempotency: IdempotencyStore
  /** The file of the key for secrets; null for a store that several gateways can share. */
  readonly keyFile: KeyFile | null
  /** Deletes the events of this age, some at a time. The newest event of each account stays. */
  deleteExpiredEvents(ageMs: number, signal: AbortSignal): Promise<void>
  /** Rejects when the store cannot answer; `/ready` asks. */
  ping(): Promise<void>
  close(): Promise<void>
}
