interface Judged {
  readonly status: number
  readonly body: Buffer
  readonly isGraphql: boolean
  /** The request may have started a run. */
  readonly mayRun: boolean
}

interface GraphqlBody {
  readonly data?: Readonly<Record<string, unknown>> | null
  readonly errors?: readonly { readonly extensions?: { readonly code?: string } }[]
}

const refusals = new Set([401, 403, 406, 429])

/**
 * Judges an answer for a repeated request: `final` is sent again; `undone` means that nothing was changed; `unknown`
 * means that this server failed.
 */
export function judgeAnswer(answer: Judged): 'final' | 'undone' | 'unknown' {
  const { status, isGraphql } = answer
  if (status >= 500) return 'unknown'
  if (refusals.has(status)) return 'undone'
  return isGraphql ? judgeGraphql(answer) : 'final'
}

function judgeGraphql({ body, mayRun }: Judged): 'final' | 'undone' | 'unknown' {
  if (!body.includes('"errors":')) return 'final'
  const { data, errors = [] } = JSON.parse(body.toString()) as GraphqlBody
  const codes = new Set(errors.map(({ extensions }) => extensions?.code))
  const isFailed = codes.has('INTERNAL') || codes.has('UNAVAILABLE')
  if (!isFailed && !codes.has('OVERLOADED')) return 'final'
  // A run is not repeated because of an error beside it. `data: null` does not say what was done: one failed field
  // that must not be null removes all others.
  const isSomeDone = data === null || Object.values(data ?? {}).some(value => value !== null)
  if (mayRun && isSomeDone) return 'final'
  return isFailed ? 'unknown' : 'undone'
}
