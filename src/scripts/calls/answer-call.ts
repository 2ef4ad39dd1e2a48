import type { RunLimits } from '../../config.ts'
import type { ExecuteGraphql, GraphqlCall } from '../../domain/scripts/graphql-call.ts'
import { RostrumError } from '../../errors.ts'
import { writeJson } from '../../json/json-text.ts'
import type { Outbound } from '../outbound/outbound.ts'
import { OutboundRefusal } from '../outbound/outbound-address.ts'
import type { OutboundWaits } from '../outbound/outbound-waits.ts'
import type { CallVariables, Variables } from './call-variables.ts'

/** A call to this gateway or, with a URL, to another host. */
export interface RunCall extends Omit<GraphqlCall, 'readVariables'> {
  readonly variables: CallVariables
  readonly url: string | null
  /** Called with the message of a refusal: the first error of an answer, or the error of a call that rejects. */
  onRefused(message: string): void
}

/** Answers one `graphql()` call with a JSON text. If it rejects, its message is for the script. */
export type AnswerRunCall = (call: RunCall) => Promise<string>

/** Answers a call in place of this gateway and of other hosts. If it rejects, its message is for the script. */
export type StandIn = (call: {
  readonly query: string
  readonly variables: Variables
}) => Promise<{ readonly answer: unknown } | null>

export interface CallAnswererOptions {
  /** The call is made if this is absent or returns null. */
  readonly standIn?: StandIn | undefined
  readonly executeGraphql: ExecuteGraphql
  readonly outbound: Outbound
  readonly outboundWaits: OutboundWaits
  readonly limits: RunLimits
}

/**
 * Creates the function that answers `graphql(query, variables, url?)` (contract, section 4). An answer with GraphQL
 * errors resolves; a status other than 2xx rejects.
 */
export function createCallAnswerer({
  executeGraphql,
  outbound,
  outboundWaits,
  limits: { graphqlAnswerBytes: maxBytes },
  standIn,
}: CallAnswererOptions): AnswerRunCall {
  async function answer(call: RunCall): Promise<string> {
    const { query, variables, url, untilRead, run, log, onRunBegun, onRefused } = call
    const stood = await standIn?.({ query, variables: variables.parse() })
    if (stood != null) return writeJson(stood.answer)
    if (url !== null) {
      if (run.dryRun) throw new RostrumError('FORBIDDEN', 'graphql: a dry run calls no other host')
      const { accountCode } = run.caller
      return outboundWaits.during(run, signal =>
        outbound.post({ accountCode, query, variables: variables.toText(), url, signal }),
      )
    }
    const readVariables = () => variables.parse()
    const asked = { query, readVariables, untilRead, run, onRunBegun, log }
    const { status, body } = await executeGraphql(asked).catch((error: unknown) => {
      if (error instanceof RostrumError) throw error
      log.error({ err: error }, 'a script call failed in the gateway')
      throw new Error('graphql: something went wrong in the gateway')
    })
    const refusal = firstError(body)
    if (refusal !== null) onRefused(refusal.message)
    if (status < 200 || status > 299) throw new RefusedCall(status, refusal)
    const text = writeJson(body)
    const bytes = Buffer.byteLength(text)
    if (bytes > maxBytes)
      throw new Error(`graphql: the answer has ${bytes} bytes; at most ${maxBytes} are allowed`)
    return text
  }

  return call =>
    answer(call).catch((error: unknown) => {
      if (isRefusal(error)) call.onRefused(error.message)
      throw error
    })
}

function isRefusal(error: unknown): error is Error {
  return error instanceof RostrumError || (error as Error).cause instanceof OutboundRefusal
}

interface FirstError {
  readonly message: string
  readonly code: string | null
}

/** A call that the gateway answered with a status other than 2xx. The code is that of the refusal. */
export class RefusedCall extends Error {
  readonly code: string | null

  constructor(status: number, refusal: FirstError | null) {
    // `Platform` cuts off the words before the message of the refusal (`sandbox/realm/platform-calls.ts`).
    super(`graphql: the gateway answered ${status}: ${refusal?.message ?? 'no reason given'}`)
    this.code = refusal?.code ?? null
  }
}

function firstError(body: unknown): FirstError | null {
  const errors = (body as { errors?: { message?: unknown; extensions?: { code?: unknown } }[] } | null)
    ?.errors
  if (errors === undefined) return null
  const { message = 'no reason given', extensions } = errors[0] ?? {}
  return { message: String(message), code: typeof extensions?.code === 'string' ? extensions.code : null }
}
