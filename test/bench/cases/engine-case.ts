import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { EngineMode, EngineReply } from '../contenders/isolate/bare-engine.ts'
import type { Case } from '../figures/rounds.ts'

/** Runs of the engine alone, in a process of their own, with no server. */
export function startEngine(): { caseOf(name: string, mode: EngineMode): Case; stop(): void } {
  const path = fileURLToPath(new URL('../contenders/isolate/bare-engine.ts', import.meta.url))
  // isolated-vm asks for the flag where its isolates share a process with Node's own snapshot.
  const child = fork(path, { execArgv: ['--no-node-snapshot'] })
  const run = (mode: EngineMode, seconds: number) =>
    new Promise<EngineReply>((resolve, reject) => {
      const onExit = (code: number | null) => reject(new Error(`The bare engine ended (${code}).`))
      child.once('exit', onExit)
      child.once('message', message => {
        child.off('exit', onExit)
        resolve(message as EngineReply)
      })
      child.send({ mode, seconds })
    })
  return {
    caseOf: (name, mode) => ({
      name,
      async measure(forSeconds) {
        const { runs, seconds, microseconds } = await run(mode, forSeconds)
        const eachMs = (seconds * 1000) / runs
        const none = { generatorShare: 0 }
        return {
          microseconds: microseconds / runs,
          perSecond: runs / seconds,
          p50Ms: eachMs,
          p99Ms: Number.NaN,
          ...none,
        }
      },
    }),
    stop: () => void child.kill(),
  }
}
