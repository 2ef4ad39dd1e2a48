interface ProblemBody {
  readonly code?: string
  readonly detail?: string
  readonly title?: string
}

interface Refusal {
  readonly code: string
  readonly status: number
  /** What a `CONFLICT` is about, such as `RUNNING`. */
  readonly reason?: string | undefined
  /** The bound that was passed, such as `answerBytes`. */
  readonly bound?: string | undefined
  /** The run of the script that refused it. */
  readonly runId?: string | undefined
  /** The `Retry-After` of the answer, in milliseconds. */
  readonly retryAfterMs?: number | undefined
}

/** An answer of the gateway that is an error, in the gateway's own words. */
export class GatewayError extends Error {
  readonly code: string
  readonly status: number
  readonly reason: string | undefined
  readonly bound: string | undefined
  readonly runId: string | undefined
  readonly retryAfterMs: number | undefined

  constructor(message: string, { code, status, reason, bound, runId, retryAfterMs }: Refusal) {
    super(message)
    this.name = 'GatewayError'
    this.code = code
    this.status = status
    this.reason = reason
    this.bound = bound
    this.runId = runId
    this.retryAfterMs = retryAfterMs
  }
}

/** Returns the error of an answer with a problem document. */
export async function readProblem(answer: Response): Promise<GatewayError> {
  const { status } = answer
  const body = Object(await answer.json().catch(() => null)) as ProblemBody
  const message = [body.detail, body.title].find(text => typeof text === 'string')
  if (message === undefined) return notOfGateway({ status })
  return new GatewayError(message, { code: body.code ?? 'UNKNOWN', status })
}

/** Returns the error of an answer of another server, such as a proxy. `fact` says how that is seen. */
export function notOfGateway(
  answer: Pick<Refusal, 'status' | 'retryAfterMs'>,
  fact = 'does not come from a Rostrum gateway',
): GatewayError {
  const message = `The answer (status ${answer.status}) ${fact}. Try again later.`
  return new GatewayError(message, { ...answer, code: 'UNKNOWN' })
}

const otherSchema = /^(Cannot query field|Unknown (argument|type)) |; Field ".+" is not defined by type /

/**
 * True if a GraphQL error says that the gateway has another schema than the document was written for. An error with a
 * path comes from a resolver.
 */
export function isOfOtherSchema({
  message,
  path,
}: {
  readonly message: string
  readonly path?: unknown
}): boolean {
  return path === undefined && otherSchema.test(message)
}

/** Returns the error of a request without an answer. */
export function unreachable(): GatewayError {
  const message = 'The gateway cannot be reached. Check your connection, then try again.'
  return new GatewayError(message, { code: 'UNREACHABLE', status: 0 })
}

// A page that waits longer would seem to be stuck.
const maxRetryMs = 60_000

/** Returns the `Retry-After` of an answer in milliseconds; undefined without one, or if it is a date. */
export function readRetryAfter({ headers }: Response): number | undefined {
  const text = headers.get('retry-after') ?? ''
  return /^\d+$/.test(text) ? Number(text) * 1_000 : undefined
}

/** Returns after how long to ask again: as the gateway says, but at least `usualMs` and at most a minute. */
export function retryMs(error: unknown, usualMs: number): number {
  const givenMs = error instanceof GatewayError ? (error.retryAfterMs ?? 0) : 0
  return Math.max(usualMs, Math.min(givenMs, maxRetryMs))
}

/** True for an error of the gateway with this code. */
export function isCode(error: unknown, code: string): boolean {
  return error instanceof GatewayError && error.code === code
}

/** Returns what a person should read about any error. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
