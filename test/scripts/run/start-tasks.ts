import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { BoundLog } from '../../../src/bound-log.ts'
import { readConfig } from '../../../src/config.ts'
import type { Caller } from '../../../src/credentials/caller.ts'
import type { ExecuteGraphql } from '../../../src/domain/scripts/graphql-call.ts'
import type { Execution, Run } from '../../../src/domain/scripts/run.ts'
import { makeCause } from '../../../src/domain/scripts/run-cause.ts'
import { noRecorder } from '../../../src/domain/scripts/run-record.ts'
import type { Script } from '../../../src/domain/scripts/script.ts'
import { createScriptRunner } from '../../../src/scripts/create-script-runner.ts'
import type { RunCounts } from '../../../src/scripts/run/execute-script.ts'
import { createRunTokens } from '../../../src/scripts/run/run-tokens.ts'
import { patience } from '../../server/processes/patience.ts'

export interface RunOptions {
  readonly account?: string
  readonly parentRun?: Run
  readonly signal?: AbortSignal
  readonly input?: Partial<Script>
}

export const silentLog = pino({ level: 'silent' })
export const silentBoundLog = new BoundLog(silentLog)

export function scriptOf(sourceCode: string, rest: Partial<Script> = {}): Script {
  const cause = makeCause({ trigger: 'endpoint' })
  const texts = { name: 'test', sourceCode, payload: '{}', options: '{}' }
  return { cause, ...texts, caseTypeCode: null, rights: 'caller', ...rest }
}

export function callerOf(accountCode: string): Caller {
  const scopes = new Set(['tasks:execute'] as const)
  return { accountCode, userId: 1, subject: null, email: null, displayName: null, scopes }
}

type Executed = ReturnType<ExecuteGraphql>

/** A stand-in for the engine that receives the parsed variables. */
export type TestGraphql = (
  call: Pick<Parameters<ExecuteGraphql>[0], 'query' | 'run' | 'log'> & {
    readonly variables: ReturnType<Parameters<ExecuteGraphql>[0]['readVariables']>
  },
) => Executed

/** A stand-in for the engine: `hang` is never answered, anything else with its own text. */
export const answerOrHang: TestGraphql = ({ query }) =>
  query.startsWith('hang')
    ? new Promise(() => undefined)
    : Promise.resolve({ status: 200, body: { data: query } })

/** The real task runner with real sandboxes, one by default. */
export async function startTasks(
  settings: Record<string, string> = {},
  answer: TestGraphql = answerOrHang,
  counts?: RunCounts,
) {
  const config = readConfig({ ...patience, ROSTRUM_SANDBOXES: '1', ...settings })
  const runTokens = createRunTokens()
  const executeGraphql: ExecuteGraphql = async ({ readVariables, ...call }) =>
    answer({ ...call, variables: readVariables() })
  const runner = createScriptRunner({
    config,
    runTokens,
    executeGraphql,
    recorder: noRecorder,
    log: silentLog,
    counts,
  })
  await runner.start()
  while (!runner.ready()) await sleep(5)

  async function run(
    sourceCode: string,
    { account = 'alpha', parentRun, signal, input }: RunOptions = {},
  ): Promise<ReadExecution> {
    const execution = await runner.run(scriptOf(sourceCode, input), {
      caller: callerOf(account),
      parentRun: parentRun ?? null,
      onRun: () => {},
      signal: signal ?? new AbortController().signal,
      log: silentBoundLog,
    })
    return readPayload(execution)
  }

  return { runner, runTokens, run, config }
}

/** An execution with its parsed payload. */
export type ReadExecution = Omit<Execution, 'payload'> & { readonly payload: unknown }

export function readPayload(execution: Execution): ReadExecution {
  const { payload } = execution
  return { ...execution, payload: payload === null ? null : JSON.parse(payload.text) }
}

export type TestTasks = Awaited<ReturnType<typeof startTasks>>

/** The outcome of a run, or the code of its error. */
export function wordOf({ outcome, error }: ReadExecution): string {
  return error?.code ?? outcome
}

/** The data of all log entries. */
export function logged({ logs }: ReadExecution): (readonly unknown[])[] {
  return logs.map(entry => entry.data)
}
