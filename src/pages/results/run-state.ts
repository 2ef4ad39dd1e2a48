import type { Call, Execution, LogEntry } from './execution.ts'
import { formatMs } from './print.ts'

/** One run as the page shows it, while it goes on and afterwards. */
export interface RunState {
  /** A run is lost if its connection broke, and refused if it never began. */
  readonly phase: 'idle' | 'running' | 'ended' | 'stopped' | 'lost' | 'refused'
  readonly execution: Execution | null
  readonly logs: readonly LogEntry[]
  readonly calls: readonly Call[]
  /** The input document of the run, as text. */
  readonly input: string
  /** Why there is no execution. */
  readonly error: unknown
  /** From the start to the end, as this page saw it. */
  readonly durationMs: number
  /** True if another script was opened while the run went on. */
  readonly isOfOther: boolean
}

/** Before the first run. */
export const idleRun: RunState = {
  phase: 'idle',
  execution: null,
  logs: [],
  calls: [],
  input: '',
  error: null,
  durationMs: 0,
  isOfOther: false,
}

/** Adds a call, or replaces it when it has ended. A call keeps the time when it began. */
export function withCall(calls: readonly Call[], call: Call): readonly Call[] {
  const index = calls.findIndex(({ id }) => id === call.id)
  const begun = calls[index]
  return begun === undefined ? [...calls, call] : calls.with(index, { ...call, at: begun.at })
}

const words = {
  idle: '',
  running: 'running',
  ended: '',
  stopped: 'stopped',
  lost: 'no answer',
  refused: 'not run',
}

/** Says how the run stands: `running`, `exit 4.2 ms`, `error TIMEOUT 1.2 s`, `stopped 0.3 s`. */
export function describeRun({ phase, execution, durationMs }: RunState): string {
  if (phase === 'idle' || phase === 'running' || phase === 'refused') return words[phase]
  const code = execution?.error?.code
  return [execution?.outcome ?? words[phase], code, formatMs(durationMs)]
    .filter(part => part !== undefined)
    .join(' ')
}
