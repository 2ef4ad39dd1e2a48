import type { SpanParent } from './span.ts'

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
 * Returns the store, or a part of it, with a span for each call, below the span of what asks. The span lasts until the
 * caller has its answer, waiting for a connection or a shared commit included. Without a parent it returns the part.
 */
export function traceStore<Part extends object>(part: Part, parent: SpanParent | null): Part {
  if (parent === null) return part
  return new Proxy(part, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name)
      if (untraced.has(name) || typeof name === 'symbol') return value
      if (typeof value === 'function') return traceCall(value.bind(target), name, parent)
      return typeof value === 'object' && value !== null ? traceStore(value, parent) : value
    },
  })
}

function traceCall(call: Call, name: string, parent: SpanParent): Call {
  const { title, operation } = describe(name)
  return (...values) => {
    const span = parent.begin(title, 'client', {
      'db.system.name': parent.databaseSystem,
      'db.operation.name': operation,
    })
    const end = () => span.end()
    const answer = call(...values)
    if (answer instanceof Promise) answer.then(end, end)
    return answer
  }
}

interface Description {
  readonly title: string
  readonly operation: string
}

const descriptions = new Map<string, Description>()

// Describes each call of the store once, because a request makes several.
function describe(name: string): Description {
  const known = descriptions.get(name)
  if (known !== undefined) return known
  const operation = operations.find(([names]) => names.test(name))?.[1] ?? null
  const description = { title: operation ?? 'db', operation: operation ?? 'TRANSACTION' }
  descriptions.set(name, description)
  return description
}
