interface Judged {
  readonly status: number
  readonly body: Buffer
  readonly isGraphql: boolean
  /** True if the request may have started a run. */
  readonly mayRun: boolean
  /** True if a run that the request started has an outcome. False if it starts none but those of hooks. */
  readonly hasRun: boolean
}

interface GraphqlBody {
  readonly data?: Readonly<Record<string, unknown>> | null
  readonly errors?: readonly { readonly extensions?: { readonly code?: string } }[]
}

const refusals = new Set([401, 403, 406, 429])

/**
 * Decides what a repeated request gets: after `final` the same answer again. `undone` means that nothing was changed,
 * so the request can be repeated. `unknown` means that this server failed and nobody knows what was done, or that a run
 * has ended whose script may have done something.
 */
export function judgeAnswer(answer: Judged): 'final' | 'undone' | 'unknown' {
  const { status, isGraphql, hasRun } = answer
  if (status >= 500) return 'unknown'
  if (refusals.has(status)) return hasRun ? 'unknown' : 'undone'
  return isGraphql ? judgeGraphql(answer) : 'final'
}

function judgeGraphql({ body, mayRun, hasRun }: Judged): 'final' | 'undone' | 'unknown' {
  if (!body.includes('"errors":')) return 'final'
  const { data, errors = [] } = JSON.parse(body.toString()) as GraphqlBody
  const codes = new Set(errors.map(({ extensions }) => extensions?.code))
  const isFailed = codes.has('INTERNAL') || codes.has('UNAVAILABLE')
  if (!isFailed && !codes.has('OVERLOADED')) return 'final'
  // An error beside a run must not make the run happen twice. With `data: null` a run may have happened too, because
  // one failed non-null field removes all others from the answer.
  const isSomeDone = data === null || Object.values(data ?? {}).some(value => value !== null)
  if (mayRun && isSomeDone) return 'final'
  return isFailed || hasRun ? 'unknown' : 'undone'
}
