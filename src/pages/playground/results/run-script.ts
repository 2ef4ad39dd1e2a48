import { readProblem } from '../../gateway/gateway-error.ts'
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
  const answer = await sendRequest('/api/1/endpoint/execute', { token, body, accept, signal })
  if (!answer.ok || answer.body === null) throw await readProblem(answer)
  try {
    for await (const { event, data } of readEvents(answer.body)) {
      if (event === 'log') options.onLog(JSON.parse(data) as LogEntry)
      if (event === 'call') options.onCall(toCall(JSON.parse(data) as CallEvent))
      if (event === 'end') return (JSON.parse(data) as { readonly task_execution: Execution }).task_execution
    }
  } catch {
    // What the browser says of a broken stream helps nobody.
    signal.throwIfAborted()
  }
  throw new Error(
    'The connection to the gateway broke before the run ended. Your draft is safe. ' +
      'Run it again, or look for this run on the page "Runs".',
  )
}

function toCall({ id, name, at, duration_ms, error, run_id }: CallEvent): Call {
  const text =
    error === null || error === undefined ? null : typeof error === 'string' ? error : JSON.stringify(error)
  return { id, name, at, durationMs: duration_ms ?? null, error: text, runId: run_id ?? null }
}
