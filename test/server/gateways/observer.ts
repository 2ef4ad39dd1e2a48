// Preloaded into a real gateway's process. It answers any IPC message with an `Observation`.

// biome-ignore assist/source/organizeImports: it must come before whatever imports `graphql`.
import { lookAtExecutions } from './executions.ts'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { defaultFieldResolver, isObjectType } from 'graphql'
import { schema } from '../../../src/schema/index.ts'

/** What was seen inside the gateway since its start. */
export interface Observation {
  /**
   * Calls of resolvers that an execution made, of introspection's own too; `__typename` has none. Calls without a
   * context are not counted: the bound on introspection makes them.
   */
  readonly resolverCalls: number
  /**
   * Documents executed, and how many at once since the last look: a script's calls, and the operation that ran the
   * script.
   */
  readonly executions: number
  readonly maxExecutionsAtOnce: number
  /** Own keys of the language's prototypes that were not there at the start. */
  readonly newPrototypeKeys: readonly string[]
  readonly residentBytes: number
  readonly processorMs: number
  /** The longest time for which the event loop stood still since the last look. */
  readonly longestPauseMs: number
  /**
   * The most processor time of this thread that a turn of the event loop took since the last look: what others that run
   * on the machine take is not in it.
   */
  readonly longestTurnMs: number
}

let resolverCalls = 0

for (const type of Object.values(schema.getTypeMap())) {
  if (!isObjectType(type)) continue
  for (const field of Object.values(type.getFields())) {
    const resolve = field.resolve ?? defaultFieldResolver
    field.resolve = (...parts) => {
      if (parts[2] !== undefined) resolverCalls++
      return resolve(...parts)
    }
  }
}

const watched = { Object: Object.prototype, Array: Array.prototype, Function: Function.prototype }

function keysOfWatched(): string[] {
  return Object.entries(watched).flatMap(([name, object]) =>
    Reflect.ownKeys(object).map(key => `${name}.${String(key)}`),
  )
}

const keysAtStart = new Set(keysOfWatched())
let longestTurnMs = 0
let threadMs = 0

function lookAtTurn(): void {
  const { user, system } = process.threadCpuUsage()
  const now = (user + system) / 1000
  longestTurnMs = Math.max(longestTurnMs, now - threadMs)
  threadMs = now
}

lookAtTurn()
longestTurnMs = 0
setInterval(lookAtTurn, 1).unref()

const delay = monitorEventLoopDelay({ resolution: 1 })
delay.enable()

function observe(): Observation {
  const { user, system } = process.cpuUsage()
  const longestPauseMs = delay.max / 1e6
  delay.reset()
  lookAtTurn()
  const longest = longestTurnMs
  longestTurnMs = 0
  return {
    resolverCalls,
    ...lookAtExecutions(),
    newPrototypeKeys: keysOfWatched().filter(key => !keysAtStart.has(key)),
    residentBytes: process.memoryUsage.rss(),
    processorMs: (user + system) / 1000,
    longestPauseMs,
    longestTurnMs: longest,
  }
}

process.on('message', () => process.send?.(observe()))
// The gateway must still end by itself.
process.channel?.unref()
