import type { SpanParent } from './span.ts'

export type DatabaseSystem = 'sqlite' | 'postgresql'

// Members of a store that send no statement.
const untraced = new Set<string | symbol>(['findCached', 'changeMark', 'onChange', 'onQueued'])

// What a call mainly does, by the first word of its name. Any other call is a transaction of several statements.
const operations: readonly (readonly [RegExp, string])[] = [
  [/^(find|list|page|look|count|newest|is|next)/, 'SELECT'],
  [/^(add|create|enqueue|ensure)/, 'INSERT'],
  [/^(move|makeLive|renew)/, 'UPDATE'],
  [/^(remove|delete|drop)/, 'DELETE'],
]

type Call = (...values: unknown[]) => unknown

/**
 * Returns the store, or a part of it, with a span for each call that is asked for by `parent`. The span lasts until the
 * caller has its answer, waiting for a connection or a shared commit included.
 */
export function traceStore<Part extends object>(
  part: Part,
  parent: SpanParent,
  system: DatabaseSystem,
): Part {
  return new Proxy(part, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name)
      if (untraced.has(name) || typeof name === 'symbol') return value
      if (typeof value === 'function') return traceCall({ call: value.bind(target), name, parent, system })
      return typeof value === 'object' && value !== null ? traceStore(value, parent, system) : value
    },
  })
}

interface TracedCall {
  readonly call: Call
  readonly name: string
  readonly parent: SpanParent
  readonly system: DatabaseSystem
}

function traceCall({ call, name, parent, system }: TracedCall): Call {
  const operation = operations.find(([names]) => names.test(name))?.[1] ?? null
  return (...values) => {
    const span = parent.begin(operation ?? 'db', 'client', {
      'db.system.name': system,
      'db.operation.name': operation ?? 'TRANSACTION',
    })
    const end = () => span.end()
    const answer = call(...values)
    if (answer instanceof Promise) answer.then(end, end)
    return answer
  }
}
