import { showControls } from '../../show-controls.ts'
import type { Terminal } from '../frame/terminal.ts'
import type { LogEntry, ScriptError } from '../gateway/execution.ts'
import { formatJson, formatLog } from '../run/print-outcome.ts'

/** The fields of a run that are shown. */
export const runFields = `
  id name trigger outcome message state startedAt durationMs caseId txnID txnSource
  function { name caseTypeCode }
  error { code message line column }
  logs { at level data }`

export interface ShownRun {
  readonly id: string
  readonly name: string
  readonly trigger: string
  readonly outcome: string | null
  readonly message: string | null
  readonly state: string
  readonly startedAt: string
  readonly durationMs: number | null
  readonly caseId: string | null
  readonly txnID: string
  readonly txnSource: string
  readonly function: { readonly name: string; readonly caseTypeCode: string | null } | null
  readonly error: ScriptError | null
  readonly logs: readonly LogEntry[]
}

/** What each of them is like. */
export const likeRun = {
  id: '',
  name: '',
  trigger: '',
  state: '',
  startedAt: '',
  logs: [{ level: '', data: [] as unknown[] }],
}

const colours = { exit: 'green', fail: 'yellow', error: 'red' } as const

/** Prints a run as a line, and its log entries below it. */
export function showRun(run: ShownRun, terminal: Terminal): void {
  const { style, write } = terminal
  const outcome = (run.outcome ?? run.state).toLowerCase()
  const coloured = style(colours[outcome as keyof typeof colours] ?? 'gray', outcome.padEnd(5))
  const { error, durationMs } = run
  const place = error?.line == null ? '' : ` (line ${error.line})`
  const said = error === null ? run.message : `${error.code} ${error.message}${place}`
  const parts = [
    style('gray', run.startedAt),
    run.trigger.toLowerCase().padEnd(8),
    nameOf(run),
    coloured,
    durationMs === null ? '-' : `${durationMs} ms`,
    ...(said === null ? [] : [showControls(said)]),
  ]
  write(`${parts.join('  ')}\n`)
  for (const entry of run.logs) {
    const level = entry.level.toLowerCase()
    write(`    ${formatLog({ ...entry, level }, terminal, 'stdout')}\n`)
  }
}

/** Prints a run as one line of JSON, with the names and words of the REST side. */
export function showRunJson(run: ShownRun, { write }: Terminal): void {
  const {
    id,
    name,
    trigger,
    outcome,
    message,
    error,
    logs,
    startedAt,
    durationMs,
    caseId,
    txnID,
    txnSource,
  } = run
  const shown = {
    id,
    name,
    function: run.function === null ? null : nameOf(run),
    trigger: trigger.toLowerCase(),
    outcome: outcome?.toLowerCase() ?? null,
    message,
    error,
    logs: logs.map(({ at, level, data }) => ({ at, level: level.toLowerCase(), data })),
    started_at: startedAt,
    duration_ms: durationMs,
    case_id: caseId === null ? null : Number(caseId),
    request_context: { txnID, txnSource },
  }
  write(formatJson(shown, { hasReader: false }))
}

function nameOf({ function: named, name }: ShownRun): string {
  if (named === null) return showControls(name)
  return named.caseTypeCode === null ? named.name : `${named.caseTypeCode}/${named.name}`
}
