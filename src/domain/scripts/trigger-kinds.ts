interface TriggerKind {
  /** For the API. */
  readonly description: string
  /**
   * For a trigger that an author saves: its name in messages, which its counter has too. Its runs have its scopes for
   * every caller. Null for a script that runs with the caller's rights.
   */
  readonly savedAs: string | null
  /** The table of saved triggers, and the member of the store that reads and writes them. */
  readonly savedIn: string | null
  /** True if its runs are queued. */
  readonly isQueued: boolean
}

const unsaved = { savedAs: null, savedIn: null, isQueued: false } as const

/** What can run a script, by the name that its runs are stored with. A new kind of trigger begins here. */
export const triggerKinds = {
  endpoint: { description: 'A request that brings the script.', ...unsaved },
  function: { description: 'A request that names a function.', ...unsaved },
  hook: { description: 'A hook of a case.', savedAs: 'hook', savedIn: 'hooks', isQueued: true },
  task: { description: 'A case task.', savedAs: 'case task', savedIn: 'caseTasks', isQueued: false },
  webhook: { description: 'A webhook.', savedAs: 'webhook', savedIn: 'webhooks', isQueued: true },
  replay: { description: 'A replay of an earlier run.', ...unsaved },
} as const satisfies Readonly<Record<string, TriggerKind>>

type Kinds = typeof triggerKinds

export type RunTrigger = keyof Kinds

/** A trigger that an author saves, with a function and scopes. */
export type SavedTrigger = {
  [Name in RunTrigger]: Kinds[Name]['savedAs'] extends null ? never : Name
}[RunTrigger]

/** The name of a saved trigger in messages. */
export type SavedTriggerName = Kinds[SavedTrigger]['savedAs']

/** A trigger whose runs are queued. */
export type QueuedTrigger = {
  [Name in RunTrigger]: Kinds[Name]['isQueued'] extends true ? Name : never
}[RunTrigger]

export function isSavedTrigger(trigger: RunTrigger): trigger is SavedTrigger {
  return triggerKinds[trigger].savedAs !== null
}

export const queuedTriggers: readonly QueuedTrigger[] = (Object.keys(triggerKinds) as RunTrigger[]).filter(
  (trigger): trigger is QueuedTrigger => triggerKinds[trigger].isQueued,
)

/** One trigger whose runs are queued. */
export interface QueuedTriggerRef {
  readonly trigger: QueuedTrigger
  readonly triggerId: number
}
