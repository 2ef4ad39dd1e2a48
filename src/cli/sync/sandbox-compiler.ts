import { pino } from 'pino'
import { BoundLog } from '../../bound-log.ts'
import { ScriptLogShare } from '../../fairness/script-log-share.ts'
import { OutboundWaits } from '../../scripts/outbound/outbound-waits.ts'
import { Admission } from '../../scripts/pool/admission.ts'
import { createPool } from '../../scripts/pool/create-pool.ts'
import { compileSource } from '../../scripts/run/compile-source.ts'
import type { ScriptRunner } from '../../scripts/script-runner.ts'
import type { CommandCall } from '../frame/command.ts'
import { pickLimits, readScratchConfig } from '../run/scratch-gateway.ts'

// A busy machine boots a sandbox slowly.
const maxBootMs = '20000'

/** Compiles a source. Returns its error or null, and rejects with `PAYLOAD_TOO_LARGE` or `OVERLOADED`. */
export type CompileOne = (sourceCode: string) => ReturnType<ScriptRunner['compile']>

/** Starts a sandbox that compiles sources one after the other, until the end of the call. */
export function startSandboxCompiler({
  environment,
  atEnd,
  signal,
}: Pick<CommandCall, 'environment' | 'atEnd' | 'signal'>): CompileOne {
  const settings = { ...pickLimits(environment), ROSTRUM_WARM_SANDBOXES: '1', ROSTRUM_SANDBOXES: '1' }
  const config = readScratchConfig({ ...settings, ROSTRUM_QUEUE_WAIT_MS: maxBootMs })
  const silent = pino({ level: 'silent' })
  const pool = createPool({ config, log: silent })
  const { queue, sandboxes, runLimits: limits, scriptLogBytes: maxBytes } = config
  const admission = new Admission({
    pool,
    outboundWaits: new OutboundWaits(),
    limits: { ...queue, sandboxes: sandboxes.max },
  })
  const log = new BoundLog(silent)
  const parts = { limits, admission, scriptLogShare: new ScriptLogShare({ log, maxBytes }) }
  atEnd(() => {
    admission.close()
    return pool.close()
  })
  pool.start()
  return sourceCode => compileSource(parts, { sourceCode, accountCode: 'demo', parentRun: null, signal, log })
}
