// To be imported before anything imports `graphql`: its other modules take `execute` from here once, when they are loaded.

import { createRequire } from 'node:module'

type Execute = (...parts: unknown[]) => unknown

const module: { execute: Execute } = createRequire(import.meta.url)('graphql/execution/execute.js')
const execute = module.execute

let begun = 0
let going = 0
let mostAtOnce = 0

module.execute = (...parts) => {
  begun++
  going++
  mostAtOnce = Math.max(mostAtOnce, going)
  const result = execute(...parts)
  void Promise.resolve(result).then(end, end)
  return result
}

function end(): void {
  going--
}

/** Executions of documents since the start, and the most at once since the last look. */
export function lookAtExecutions(): { executions: number; mostExecutionsAtOnce: number } {
  const seen = { executions: begun, mostExecutionsAtOnce: mostAtOnce }
  mostAtOnce = going
  return seen
}
