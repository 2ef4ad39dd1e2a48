import type { Operation } from '../../operations/operation.ts'

/** What a row of the REST table reads of a request. */
export interface RestRequest {
  /** The `:id` of the path, as text. */
  readonly id: string
  readonly queryString: string
  readonly body: unknown
  readonly ifMatch: string | undefined
}

export interface RestAnswer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

/** One path of the REST side: how its operation gets its variables, and how its data becomes an answer. */
export interface RestRow {
  readonly operation: Operation
  readonly takesForms: boolean
  /** True if it starts a run. One that has no place to wait is refused before its body is read. */
  readonly startsRun: boolean
  readVariables(request: RestRequest): Record<string, unknown>
  /** `value` is what the operation's root field gave. */
  answer(value: unknown, request: RestRequest): RestAnswer
  /** The JSON pointers into this body, by the pointers that the resolvers' errors name. */
  pointersInto(body: unknown): Readonly<Record<string, string>>
}
