interface TriggerKind {
  /** For the API. */
  readonly description: string
  /**
   * For a trigger that an author saves: its name in messages, which its counter has too. Its runs have its scopes for
   * every caller. Null for a script that runs with the caller's rights.
   */
  readonly savedAs: string | null
  /** The member of the store that finds the triggers of queued runs; null for a kind that no queued run has. */
  readonly queuedFrom: 'hooks' | 'webhooks' | null
}

/** What can run a script, by the name that its runs are stored with. A new kind of trigger begins here. */
export const triggerKinds = {
  endpoint: { description: 'A request that brings the script.', savedAs: null, queuedFrom: null },
  function: { description: 'A request that names a function.', savedAs: null, queuedFrom: null },
  hook: { description: 'A hook of a case.', savedAs: 'hook', queuedFrom: 'hooks' },
  task: { description: 'A case task.', savedAs: 'case task', queuedFrom: null },
  webhook: { description: 'A webhook.', savedAs: 'webhook', queuedFrom: 'webhooks' },
  replay: { description: 'A replay of an earlier run.', savedAs: null, queuedFrom: null },
} as const satisfies Readonly<Record<string, TriggerKind>>

type Kinds = typeof triggerKinds

export type RunTrigger = keyof Kinds

type Without<Member extends keyof TriggerKind> = {
  [Name in RunTrigger]: Kinds[Name][Member] extends null ? Name : never
}[RunTrigger]

/** A trigger that an author saves, with a function and scopes. */
export type SavedTrigger = Exclude<RunTrigger, Without<'savedAs'>>

/** A trigger whose runs are queued. */
export type QueuedTrigger = Exclude<RunTrigger, Without<'queuedFrom'>>

export function isSavedTrigger(trigger: RunTrigger): trigger is SavedTrigger {
  return triggerKinds[trigger].savedAs !== null
}

export const queuedTriggers: readonly QueuedTrigger[] = (Object.keys(triggerKinds) as RunTrigger[]).filter(
  (trigger): trigger is QueuedTrigger => triggerKinds[trigger].queuedFrom !== null,
)

/** One trigger whose runs are queued. */
export interface QueuedTriggerRef {
  readonly trigger: QueuedTrigger
  readonly triggerId: number
}
