import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { endWithParent } from '../../server/processes/end-with-parent.ts'
import type { LoadReply, LoadResult, Plan } from './plan.ts'

/** A load generator; it runs one plan at a time. */
export interface Generator {
  run(plan: Plan): Promise<LoadResult>
  stop(): void
}

/** `maxConnections` bounds the connections of each plan. */
export function startGenerator(maxConnections = Number.POSITIVE_INFINITY): Generator {
  const child = fork(fileURLToPath(new URL('./main.ts', import.meta.url)))
  endWithParent(child)
  return {
    run: plan =>
      new Promise((resolve, reject) => {
        const onExit = (code: number | null) => reject(new Error(`The load generator ended (${code}).`))
        child.once('exit', onExit)
        child.once('message', message => {
          child.off('exit', onExit)
          const reply = message as LoadReply
          if ('result' in reply) resolve(reply.result)
          else reject(new Error(`A load of ${plan.traffic} failed: ${reply.failure}`))
        })
        const bounded = { ...plan, connections: Math.min(maxConnections, plan.connections) }
        child.send(bounded, error => error && reject(error))
      }),
    stop: () => void child.kill(),
  }
}
