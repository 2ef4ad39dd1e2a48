import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { OutboundWaits } from './outbound/outbound-waits.ts'
import { createAdmission, createPool } from './pool/create-pool.ts'
import { compileSource } from './run/compile-source.ts'
import type { ScriptRunner } from './script-runner.ts'

export interface Compiler {
  /** Compiles a source as `ScriptRunner.compile` does. */
  compile(sourceCode: string, signal: AbortSignal): ReturnType<ScriptRunner['compile']>
  close(): Promise<void>
}

// The sources have no account, so all of them count to this one.
const accountCode = 'local'

/** Starts sandboxes that only compile. It loads few of the modules that running a script needs. */
export function createCompiler({ config, log }: { config: Config; log: Logger }): Compiler {
  const pool = createPool({ config, log })
  const admission = createAdmission({ config, pool, outboundWaits: new OutboundWaits() })
  const parts = { limits: config.runLimits, admission }
  pool.start()
  return {
    compile: (sourceCode, signal) =>
      compileSource(parts, { sourceCode, accountCode, parentRun: null, signal }),
    async close() {
      admission.close()
      await pool.close()
    },
  }
}
