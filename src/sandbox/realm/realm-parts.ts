import type { RunLimits } from '../../scripts/protocol.ts'
import type { Language } from './language.ts'
import type { makeDescribeError } from './text/describe-error.ts'
import type { makeJson } from './text/json.ts'

/** Sends a message from the isolate to the host. Only strings and numbers can cross. It never throws. */
export type Post = (
  kind: string,
  first?: string | number,
  second?: string,
  third?: string,
  fourth?: string,
) => unknown

/** The state of the run, shared by the parts of the realm. It is set when the run starts. */
export interface RealmState {
  readonly post: Post
  readonly limits: RunLimits
  reusesIsolate: boolean
  /** True if the value of `exit` is case data. */
  exitsData: boolean
  cutEntries: number
  cutCharacters: number
}

/** What every part of the realm gets as arguments. */
export interface RealmParts {
  readonly language: Language
  readonly json: ReturnType<typeof makeJson>
  readonly errors: ReturnType<typeof makeDescribeError>
  readonly state: RealmState
}
