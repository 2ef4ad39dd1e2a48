import type { Operation } from '../../operations/operation.ts'

/** The parts of a request that a row reads. */
export interface RestRequest {
  /** The `:id` of the path, as text. */
  readonly id: string
  /** The `:name` of the path. */
  readonly name: string
  readonly queryString: string
  readonly body: unknown
  readonly ifMatch: string | undefined
  /** True if unknown fields of the body are refused. */
  readonly isStrict: boolean
}

export interface RestAnswer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

/** One path of the REST side: its operation, how it reads the variables and how it answers. */
export interface RestRow {
  readonly operation: Operation
  readonly takesForms: boolean
  /** True if it starts a run, which needs a place before its body is read. */
  readonly startsRun: boolean
  readVariables(request: RestRequest): Record<string, unknown>
  /** `value` is the data of the root field. */
  answer(value: unknown, request: RestRequest): RestAnswer
  /** Maps the pointers in resolvers' errors to pointers into this body. */
  pointersInto(body: unknown): Readonly<Record<string, string>>
}
