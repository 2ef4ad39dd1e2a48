import { callAfter } from '../../gateway/answer-in-time.ts'
import { GatewayError, readProblem, unreachable } from '../../gateway/gateway-error.ts'
import { readEvents } from '../../gateway/read-events.ts'
import { sendRequest } from '../../gateway/send-request.ts'
import { currentSession } from '../../gateway/session.ts'
import type { Call, Execution, LogEntry } from '../../results/execution.ts'
import type { Fields } from '../draft/link.ts'

interface CallEvent {
  readonly id: number
  readonly name: string
  readonly state: 'begun' | 'ended'
  readonly at: string
  readonly duration_ms?: number
  readonly error?: unknown
  readonly run_id?: string
}

/** What a run says while it goes on. */
export interface RunListener {
  readonly onLog: (entry: LogEntry) => void
  readonly onCall: (call: Call) => void
}

interface RunOptions extends RunListener {
  readonly fields: Fields
  readonly name: string
  readonly caseTypeCode: string | null
  /** Ends the run. */
  readonly signal: AbortSignal
}

// The gateway sends nothing while a run waits for a sandbox, which its settings limit to 10 minutes.
const maxQueueMs = 610_000
// The gateway sends a comment every 15 s while a run goes on.
const maxSilenceMs = 90_000

/** Runs a script and returns how it ended (contract, section 10). Throws a `GatewayError` if it is refused. */
export async function runScript(options: RunOptions): Promise<Execution> {
  const { fields, name, caseTypeCode, signal } = options
  const body = {
    name,
    sourceCode: fields.script,
    inputDocument: fields.input,
    options: fields.options,
    ...(caseTypeCode === null ? {} : { metadata: { case_type_code: caseTypeCode } }),
  }
  const { token } = currentSession()
  const accept = 'text/event-stream'
  const silence = watchSilence()
  const ends = AbortSignal.any([signal, silence.signal])
  try {
    silence.wait(maxQueueMs)
    const answer = await sendRequest('/api/1/endpoint/execute', { token, body, accept, signal: ends })
    const isStream = answer.headers.get('content-type')?.startsWith(accept)
    if (!answer.ok || !isStream || answer.body === null) throw explain(await readProblem(answer))
    return await readRun(answer.body, options, silence)
  } finally {
    silence.wait(null)
  }
}

function explain(error: GatewayError): GatewayError {
  const { code, status } = error
  if (code !== 'UNKNOWN' || (status >= 400 && status < 500)) return error
  const message =
    `The answer (status ${status}) does not come from the gateway, so the script may have run. ` +
    'Your draft is safe. Look for this run on the page “Runs”, or run it again.'
  return new GatewayError(message, { code, status })
}

async function readRun(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  options: RunOptions,
  silence: Silence,
): Promise<Execution> {
  try {
    for await (const { event, data } of readEvents(body, () => silence.wait(maxSilenceMs))) {
      if (event === 'log') options.onLog(JSON.parse(data) as LogEntry)
      if (event === 'call') options.onCall(toCall(JSON.parse(data) as CallEvent))
      if (event === 'end') return (JSON.parse(data) as { readonly task_execution: Execution }).task_execution
    }
  } catch {
    // What the browser says of a broken stream helps nobody.
    options.signal.throwIfAborted()
  }
  throw new Error(
    'The connection to the gateway broke before the run ended. Your draft is safe. ' +
      'Run it again, or look for this run on the page “Runs”.',
  )
}

interface Silence {
  /** Aborted once nothing came for the time of the last `wait`. */
  readonly signal: AbortSignal
  /** Begins to wait again; null waits no more. */
  readonly wait: (ms: number | null) => void
}

function watchSilence(): Silence {
  const abort = new AbortController()
  let forget = (): void => {}
  const wait = (ms: number | null): void => {
    forget()
    if (ms !== null) forget = callAfter(() => abort.abort(unreachable()), ms)
  }
  return { signal: abort.signal, wait }
}

function toCall({ id, name, at, duration_ms, error, run_id }: CallEvent): Call {
  const text =
    error === null || error === undefined ? null : typeof error === 'string' ? error : JSON.stringify(error)
  return { id, name, at, durationMs: duration_ms ?? null, error: text, runId: run_id ?? null }
}
