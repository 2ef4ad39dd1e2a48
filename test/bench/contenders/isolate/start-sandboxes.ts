import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { BoundLog } from '../../../../src/bound-log.ts'
import { readConfig } from '../../../../src/config.ts'
import type { Caller } from '../../../../src/credentials/caller.ts'
import { makeCause } from '../../../../src/domain/scripts/run-cause.ts'
import { noRecorder } from '../../../../src/domain/scripts/run-record.ts'
import type { Script } from '../../../../src/domain/scripts/script.ts'
import { createScriptRunner } from '../../../../src/scripts/create-script-runner.ts'
import { createRunTokens } from '../../../../src/scripts/run/run-tokens.ts'
import { accountCode, sampleScript } from '../../figures/data.ts'
import type { SavedCaseJob } from '../postgres/postgres-case-saves.ts'

const caller: Caller = {
  accountCode,
  userId: 1,
  subject: null,
  email: null,
  displayName: null,
  scopes: new Set(),
}

/**
 * Starts the gateway's own sandboxes, as many as it gives to queued runs. Gives a function that runs the script with
 * the input of a job, and keeps nothing of it.
 */
export async function startSandboxes() {
  const config = readConfig({})
  const { warm, max } = config.sandboxes
  // The last free one is for another account.
  const sandboxes = { ...config.sandboxes, warm, max: Math.floor(max / 2) + 1 }
  const log = pino({ enabled: false })
  const tasks = createScriptRunner({
    config: { ...config, sandboxes },
    runTokens: createRunTokens(),
    executeGraphql: () => Promise.reject(new Error('The script makes no calls.')),
    recorder: noRecorder,
    log,
  })
  await tasks.start()
  while (!tasks.ready()) await sleep(5)

  return async function runScript({ payload, options }: SavedCaseJob) {
    const script: Script = {
      cause: makeCause({ trigger: 'hook', event: 'post-save' }),
      name: 'bench',
      sourceCode: sampleScript,
      payload: JSON.stringify(payload),
      options: JSON.stringify(options),
      caseTypeCode: options.case.case_type_code,
      rights: 'caller',
    }
    const { signal } = new AbortController()
    const execution = await tasks.run(script, {
      caller,
      parentRun: null,
      signal,
      log: new BoundLog(log),
      onRun: () => undefined,
    })
    if (execution.payload === null) throw new Error(`A job ended with \`${execution.outcome}\`.`)
    const logs = execution.logs.map(({ at, level, data }) => ({ at, level, data }))
    return { payload: JSON.parse(execution.payload.text) as unknown, logs }
  }
}
