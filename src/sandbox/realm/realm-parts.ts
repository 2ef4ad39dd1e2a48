import type { RunLimits } from '../../tasks/protocol.ts'
import type { makeDescribeError } from './describe-error.ts'
import type { makeJson } from './json.ts'
import type { Language } from './language.ts'

/** The isolate's one way out. Only strings and numbers cross, and it never throws. */
export type Post = (
  kind: string,
  first?: string | number,
  second?: string,
  third?: string,
  fourth?: string,
) => unknown

/** What the realm's parts know of the run; set when it starts. */
export interface RealmState {
  readonly post: Post
  /** Returns when the isolate is disposed of, which is never. */
  readonly sleep: () => void
  readonly limits: RunLimits
  keepsIsolate: boolean
  cutEntries: number
  cutCharacters: number
}

/** What every part of the realm is given. */
export interface RealmParts {
  readonly language: Language
  readonly json: ReturnType<typeof makeJson>
  readonly errors: ReturnType<typeof makeDescribeError>
  readonly state: RealmState
}
