import type { Logger } from 'pino'
import { BoundLog } from '../bound-log.ts'
import type { Config } from '../config.ts'
import type { ExecuteGraphql } from '../domain/scripts/graphql-call.ts'
import type { QueuedCapacity } from '../domain/scripts/queued-capacity.ts'
import type { RunRecorder } from '../domain/scripts/run-record.ts'
import { type ScriptLines, ScriptLogShare } from '../fairness/script-log-share.ts'
import { createCallAnswerer, type StandIn } from './calls/answer-call.ts'
import { createOutbound } from './outbound/outbound.ts'
import { OutboundWaits } from './outbound/outbound-waits.ts'
import { createAdmission, createPool } from './pool/create-pool.ts'
import type { SandboxPool } from './pool/sandbox-pool.ts'
import { compileSource } from './run/compile-source.ts'
import { executeScript, type RunCounts } from './run/execute-script.ts'
import type { RunTokens } from './run/run-tokens.ts'
import type { ScriptRunner } from './script-runner.ts'

// How often to report the log lines that were left out. A report is at most this late.
const reportEveryMs = 5_000

export interface ScriptRunnerOptions {
  readonly config: Config
  readonly runTokens: RunTokens
  /** Executes the `graphql()` calls of scripts. */
  readonly executeGraphql: ExecuteGraphql
  /** Answers calls of scripts in their place, for tests of scripts. */
  readonly standIn?: StandIn | undefined
  /** Sandboxes that were started before, for these settings. They are closed with the runner. */
  readonly pool?: SandboxPool | undefined
  readonly recorder: RunRecorder
  readonly counts?: RunCounts | undefined
  readonly log: Logger
}

export interface ServingScriptRunner extends ScriptRunner {
  readonly queuedCapacity: QueuedCapacity
  /** Returns a writer of lines that count toward the account's share of the system log. */
  linesOf(accountCode: string): ScriptLines
  /** Starts the sandboxes without waiting for them. */
  start(): Promise<void>
  /** True if a sandbox has booted. */
  ready(): boolean
  /** Kills every sandbox. Resolves when the processes are gone. */
  close(): Promise<void>
  /** Process ids of the current sandboxes. */
  pids(): number[]
  /** The runs that wait, and the sandboxes in each state, at this moment. */
  gauges(): {
    readonly runsWaiting: number
    readonly sandboxes: Readonly<Record<'idle' | 'busy' | 'starting', number>>
  }
}

/** Connects the parts that run scripts: admission, sandboxes, `graphql()` calls, answers (contract, section 4). */
export function createScriptRunner(options: ScriptRunnerOptions): ServingScriptRunner {
  const { config, runTokens, executeGraphql, recorder, log } = options
  const { runLimits: limits } = config
  const onReplaced = options.counts?.countRestart.bind(options.counts)
  const pool = options.pool ?? createPool({ config, log, onReplaced })
  const scriptLogShare = new ScriptLogShare({ log: new BoundLog(log), maxBytes: config.scriptLogBytes })
  const reporting = setInterval(() => scriptLogShare.report(), reportEveryMs)
  reporting.unref()
  const outboundWaits = new OutboundWaits()
  const admission = createAdmission({ config, pool, outboundWaits })
  const outbound = createOutbound({
    hosts: config.graphqlHosts,
    maxBytes: limits.graphqlAnswerBytes,
    scriptLogShare,
  })
  const answerCall = createCallAnswerer({
    executeGraphql,
    outbound,
    outboundWaits,
    limits,
    standIn: options.standIn,
  })
  const parts = { limits, admission, runTokens, answerCall, scriptLogShare, counts: options.counts }
  return {
    run: (script, asking, settings) =>
      executeScript(parts, { script, asking, settings: { recorder, ...settings } }),
    compile: request => compileSource(parts, request),
    reserveSlot: accountCode => admission.reserveSlot(accountCode),
    queuedCapacity: admission.forQueued,
    linesOf: accountCode => scriptLogShare.linesOf(accountCode),
    start: async () => pool.start(),
    ready: () => pool.isReady,
    pids: () => pool.pids,
    gauges: () => ({ runsWaiting: admission.waiting, sandboxes: pool.states }),
    async close() {
      admission.close()
      outbound.close()
      await pool.close()
      clearInterval(reporting)
      scriptLogShare.reportAll()
    },
  }
}
