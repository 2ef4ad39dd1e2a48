import type { RunLimits } from '../../scripts/protocol.ts'
import type { Language } from './language.ts'
import type { makeDescribeError } from './text/describe-error.ts'
import type { makeJson } from './text/json.ts'

/** Sends a message from the isolate to the host. Only strings and numbers cross, and it never throws. */
export type Post = (
  kind: string,
  first?: string | number,
  second?: string,
  third?: string,
  fourth?: string,
) => unknown

/** The state of the run that the realm's parts share. It is set when the run starts. */
export interface RealmState {
  readonly post: Post
  /** Blocks until the isolate is disposed of, so it never returns. */
  readonly sleep: () => void
  readonly limits: RunLimits
  reusesIsolate: boolean
  /** True if the value of `exit` is case data. */
  exitsData: boolean
  cutEntries: number
  cutCharacters: number
}

/** The arguments of every part of the realm. */
export interface RealmParts {
  readonly language: Language
  readonly json: ReturnType<typeof makeJson>
  readonly errors: ReturnType<typeof makeDescribeError>
  readonly state: RealmState
}
