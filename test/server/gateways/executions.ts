// To be imported before anything imports `graphql`: its other modules take `execute` from here once, when they are
// loaded. What the engine executes by a plan is counted by the module that stands in for the plan's.

import { createRequire, registerHooks } from 'node:module'

type Execute = (...parts: unknown[]) => unknown

const module: { execute: Execute } = createRequire(import.meta.url)('graphql/execution/execute.js')
const execute = module.execute

let begun = 0
let going = 0
let maxAtOnce = 0

module.execute = (...parts) => countExecution(execute(...parts))

const countedPlans = new URL('./counted-plans.ts', import.meta.url).href

// The gateway resolves its own imports without asking other hooks, so this one changes the text of the engine.
registerHooks({
  load(url, context, next) {
    const loaded = next(url, context)
    if (!url.endsWith('/src/graphql/engine.ts')) return loaded
    return {
      ...loaded,
      source: String(loaded.source).replace("'./plan/execute-plan.ts'", `'${countedPlans}'`),
    }
  },
})

/** Counts what gives this result, or will. */
export function countExecution<Result>(result: Result): Result {
  begun++
  going++
  maxAtOnce = Math.max(maxAtOnce, going)
  void Promise.resolve(result).then(end, end)
  return result
}

function end(): void {
  going--
}

/** Executions of documents since the start, and the most at once since the last look. */
export function lookAtExecutions(): { executions: number; maxExecutionsAtOnce: number } {
  const seen = { executions: begun, maxExecutionsAtOnce: maxAtOnce }
  maxAtOnce = going
  return seen
}
