import { fileURLToPath } from 'node:url'
import { readConfig } from '../../../src/config.ts'
import { noRecorder } from '../../../src/domain/scripts/run-record.ts'
import { ScriptLogShare } from '../../../src/fairness/script-log-share.ts'
import type { AnswerRunCall } from '../../../src/scripts/calls/answer-call.ts'
import type { SandboxCommand } from '../../../src/scripts/launch/sandbox-command.ts'
import { OutboundWaits } from '../../../src/scripts/outbound/outbound-waits.ts'
import { Admission } from '../../../src/scripts/pool/admission.ts'
import { SandboxPool } from '../../../src/scripts/pool/sandbox-pool.ts'
import { compileSource } from '../../../src/scripts/run/compile-source.ts'
import { executeScript } from '../../../src/scripts/run/execute-script.ts'
import { createRunTokens } from '../../../src/scripts/run/run-tokens.ts'
import { patience } from '../../server/processes/patience.ts'
import { callerOf, scriptOf, silentBoundLog, silentLog } from './start-tasks.ts'

const file = fileURLToPath(new URL('../launch/spoken-child.js', import.meta.url))

export type Chunk =
  | string
  | [text: string, times: number]
  | { error: string; times?: number }
  | { close: number }
  | { fork: true }
  | { exit: number }
  | { exitOnce: string }
  | { wait: number }
  | { work: number }
  | { block: true }
  | { hold: string }

/** The chunks that a compromised sandbox sends; see spoken-child.js. */
export interface Speech {
  readonly atStart?: Chunk[]
  readonly onRun?: Chunk[]
  readonly onAnswer?: Chunk[]
  readonly reads?: boolean
}

export const ready = '{"type":"ready"}\n'

export function line(message: object): string {
  return `${JSON.stringify(message)}\n`
}

/** The message of a run that ended with `exit(1)`. */
export function exitLine(run = '<run>', payload = '1'): string {
  return line({ type: 'end', run, ending: { kind: 'exit', payload } })
}

export function logLine(data: string, run = '<run>'): string {
  return line({ type: 'log', run, level: 'info', data })
}

export function callLine(call: number, run = '<run>'): string {
  return line({ type: 'graphql', run, call, query: 'q', variables: '{}', url: null })
}

export function speakingCommand(speech: Speech): SandboxCommand {
  return { file: process.execPath, args: [file, JSON.stringify(speech)], env: {}, firstLine: '{}' }
}

export interface SpokenTasks {
  readonly speech: Speech
  readonly settings?: Record<string, string>
  readonly maxRuns?: number
  readonly answerCall?: AnswerRunCall
}

/** The gateway's side of tasks over compromised sandboxes. */
export function startSpokenTasks({ speech, settings = {}, maxRuns, answerCall }: SpokenTasks) {
  const config = readConfig({ ...patience, ROSTRUM_SANDBOXES: '1', ...settings })
  const pool = new SandboxPool({
    command: speakingCommand(speech),
    maxFrameBytes: 1_000_000,
    maxUnreadBytes: 1_000_000,
    warm: config.sandboxes.warm,
    max: config.sandboxes.max,
    maxRuns,
    log: silentLog,
  })
  const limits = { ...config.queue, sandboxes: config.sandboxes.max }
  const admission = new Admission({ pool, outboundWaits: new OutboundWaits(), limits })
  const parts = {
    limits: config.runLimits,
    admission,
    runTokens: createRunTokens(),
    scriptLogShare: new ScriptLogShare({ log: silentBoundLog, maxBytes: 0 }),
    answerCall: answerCall ?? (async ({ variables }) => variables.toText()),
  }
  pool.start()
  return {
    pool,
    compile: (sourceCode = 'exit(1)') =>
      compileSource(parts, {
        sourceCode,
        accountCode: 'alpha',
        parentRun: null,
        signal: new AbortController().signal,
      }),
    run: (account = 'alpha') =>
      executeScript(parts, {
        script: scriptOf('exit(1)'),
        asking: {
          caller: callerOf(account),
          parentRun: null,
          onRun: () => {},
          signal: new AbortController().signal,
          log: silentBoundLog,
        },
        settings: { recorder: noRecorder },
      }),
  }
}
