import type { CaseEvent } from './cases/case-store.ts'
import { type CaseState, type Cases, createCaseState, createCases } from './cases/cases.ts'
import { createDirectory, type Directory } from './directory/directory.ts'
import type { EventFollowers } from './events/event-followers.ts'
import { createEventFollowing, type EventFollowing } from './events/follow-events.ts'
import { createFunctions, type Functions } from './functions/functions.ts'
import type { MembershipEvent } from './memberships/membership-store.ts'
import { createMemberships, type Memberships } from './memberships/memberships.ts'
import type { EventStore } from './port.ts'
import { createQueuedRuns, type QueuedRuns } from './queue/queued-runs.ts'
import type { DeferredRuns } from './runs/deferred-runs.ts'
import { createEndedRuns, type EndedRun } from './runs/ended-runs.ts'
import { createRuns, type Runs } from './runs/runs.ts'
import type { Scripts } from './scripts/script.ts'
import type { Store } from './store.ts'
import { type CaseTasks, createCaseTasks, createHooks, type Hooks } from './triggers/triggers.ts'
import type { Keyring } from './webhooks/keyring.ts'
import { createWebhooks, type Webhooks } from './webhooks/webhooks.ts'

/** The rules that an operation can call. */
export interface Rules {
  readonly memberships: Memberships
  readonly directory: Directory
  readonly functions: Functions
  readonly runs: Runs
  readonly webhooks: Webhooks
  readonly queuedRuns: QueuedRuns
  readonly cases: Cases
  readonly hooks: Hooks
  readonly caseTasks: CaseTasks
  readonly events: EventStore<MembershipEvent>
  readonly caseEvents: EventStore<CaseEvent>
}

/** The rules, and what subscriptions follow. */
export interface Services extends Rules {
  /** The events that subscriptions follow. */
  readonly following: {
    readonly memberships: EventFollowing<MembershipEvent>
    readonly cases: EventFollowing<CaseEvent>
    readonly runs: EventFollowing<EndedRun>
  }
}

interface Dependencies {
  readonly store: Store
  readonly scripts: Scripts
  readonly deferRuns: () => DeferredRuns
  readonly keyring: Keyring
  /** Called after a change of a webhook or its secrets. */
  readonly onWebhookChange: () => void
  /** Resolves when it is the account's turn to use the event loop. */
  waitForTurn(accountCode: string): Promise<void>
}

/** Returns a function that creates the rules on a store. All rules that it creates share one state. */
export function createRulesFactory(dependencies: Omit<Dependencies, 'store'>): (store: Store) => Rules {
  const caseState = createCaseState()
  return store => createRules({ ...dependencies, store }, caseState)
}

function createRules(dependencies: Dependencies, caseState: CaseState): Rules {
  const { store, scripts, deferRuns, keyring, onWebhookChange, waitForTurn } = dependencies
  const { findLive, findVersion } = store.functions
  return {
    memberships: createMemberships(store),
    directory: createDirectory(store),
    functions: createFunctions(store.functions, scripts),
    runs: createRuns({ store: store.runs, scripts, deferRuns, waitForTurn, findLive, findVersion }),
    webhooks: createWebhooks({ store: store.webhooks, keyring, onChange: onWebhookChange }),
    queuedRuns: createQueuedRuns(store.queue),
    cases: createCases({ store, scripts, deferRuns, waitForTurn, state: caseState }),
    hooks: createHooks(store.hooks),
    caseTasks: createCaseTasks(store.caseTasks),
    events: store.events,
    caseEvents: store.cases.events,
  }
}

/** Creates what subscriptions follow. All operations share the reads. */
export function createFollowing(
  store: Store,
  followers: EventFollowers,
  waitForTurn: Dependencies['waitForTurn'],
): Services['following'] {
  return {
    memberships: createEventFollowing(store.events, followers, { waitForTurn }),
    cases: createEventFollowing(store.cases.events, followers, { waitForTurn }),
    // No commit wakes the followers of runs.
    runs: createEventFollowing(createEndedRuns(store.runs), followers, { waitForTurn, pollEveryMs: 500 }),
  }
}
