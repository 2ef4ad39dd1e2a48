import type { Work } from '../work.ts'
import type { TakeNumbers } from './counters.ts'
import type { AppendEvent } from './events.ts'
import type { AddUser, Provision } from './provision.ts'
import type { Enqueue } from './queue/enqueue.ts'
import type { WriteRuns } from './runs/write-runs.ts'
import type { StoredBytesCounter } from './stored-bytes.ts'
import type { KeyWork } from './stored-keys.ts'
import type { TokenLookUps } from './tokens.ts'

/** The names of the triggers that use a function, such as `hook 3 (incident, pre-save)`. */
export type FindTriggers = (accountCode: string, functionId: number) => Work<readonly string[]>

/** Work that changes of several entities share. */
export interface Parts {
  readonly provision: Provision
  readonly addUser: AddUser
  readonly takeNumbers: TakeNumbers
  readonly appendEvent: AppendEvent
  readonly enqueue: Enqueue
  readonly writeRuns: WriteRuns
  readonly stored: StoredBytesCounter
  readonly keys: KeyWork
  readonly forgetCallers: TokenLookUps['forgetCallers']
  /** One for each kind of trigger. */
  readonly triggerLookUps: readonly FindTriggers[]
}
