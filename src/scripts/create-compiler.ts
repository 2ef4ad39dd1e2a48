import type { Logger } from 'pino'
import { BoundLog } from '../bound-log.ts'
import type { Config } from '../config.ts'
import { ScriptLogShare } from '../fairness/script-log-share.ts'
import { OutboundWaits } from './outbound/outbound-waits.ts'
import { Admission } from './pool/admission.ts'
import { createPool } from './pool/create-pool.ts'
import { compileSource } from './run/compile-source.ts'
import type { ScriptRunner } from './script-runner.ts'

export interface Compiler {
  /** Compiles a source as `ScriptRunner.compile` does. */
  compile(sourceCode: string, signal: AbortSignal): ReturnType<ScriptRunner['compile']>
  close(): Promise<void>
}

// The sources have no account, so all of them count to this one.
const accountCode = 'local'

/** Starts sandboxes that only compile. It loads a tenth of the modules that running a script needs. */
export function createCompiler({ config, log: system }: { config: Config; log: Logger }): Compiler {
  const { queue, sandboxes, runLimits: limits, scriptLogBytes: maxBytes } = config
  const pool = createPool({ config, log: system })
  const admission = new Admission({
    pool,
    outboundWaits: new OutboundWaits(),
    limits: { ...queue, sandboxes: sandboxes.max },
  })
  const log = new BoundLog(system)
  const parts = { limits, admission, scriptLogShare: new ScriptLogShare({ log, maxBytes }) }
  pool.start()
  return {
    compile: (sourceCode, signal) =>
      compileSource(parts, { sourceCode, accountCode, parentRun: null, signal, log }),
    async close() {
      admission.close()
      await pool.close()
    },
  }
}
