import type { RostrumError } from '../../errors.ts'
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
  readonly ifNoneMatch: string | undefined
  readonly accept: string | undefined
  /** True if unknown fields of the body are refused. */
  readonly isStrict: boolean
}

export interface RestAnswer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  /** The source of a function, to be sent as JavaScript instead of a JSON body. */
  readonly source?: string
}

/**
 * What the bodies of a row contain: records, records with case data, executions (as JSON or a form), or the source of a
 * function (plain or in JSON).
 */
export type Bodies = 'records' | 'data' | 'tasks' | 'sources'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** One path of the REST side: its operation, how it reads the variables and how it answers. */
export interface RestRow {
  readonly method: Method
  readonly path: string
  readonly operation: Operation
  readonly bodies: Bodies
  /** True if the answer can be the events of its run: `answer` then has a record of an execution. */
  readonly followsRun?: boolean
  readVariables(request: RestRequest): Record<string, unknown>
  /** Returns the answer. `value` is the data of the operation's root field. */
  answer(value: unknown, request: RestRequest): RestAnswer
  /** Returns a map from the pointers in resolvers' errors to pointers into this body. */
  pointersInto(body: unknown): Readonly<Record<string, string>>
  /** Turns a failure into an error that only this row has. `renamed` is the same failure with REST field names. */
  toFailure?(failure: RostrumError, renamed: RostrumError): RostrumError
}
