import type { SpanParent } from './span.ts'

// Members of a store that send no statement.
const untraced = new Set<string>(['findCached', 'changeMark', 'onChange', 'onQueued'])

// What a call mainly does, by the first word of its name. Any other call is a transaction of several statements.
const operations: readonly (readonly [RegExp, string])[] = [
  [/^(find|list|page|look|count|newest|is|next)/, 'SELECT'],
  [/^(add|create|enqueue|ensure)/, 'INSERT'],
  [/^(move|makeLive|renew)/, 'UPDATE'],
  [/^(remove|delete|drop)/, 'DELETE'],
]

type Call = (...values: unknown[]) => unknown
type Traced = new (parent: SpanParent) => object

// The class of each traced part of a store. A request makes its own view of a part, so that must be cheap.
const classes = new WeakMap<object, Traced>()

/**
 * Returns a view of the store, or of a part of it, with a span for each call, below the span of what asks. The span
 * lasts until the caller has its answer, waiting for a connection or a shared commit included. Without a parent it
 * returns the part. The view has the members of the part, but not as its own: it cannot be spread.
 */
export function traceStore<Part extends object>(part: Part, parent: SpanParent | null): Part {
  if (parent === null) return part
  let view = classes.get(part)
  if (view === undefined) {
    view = createView(part)
    classes.set(part, view)
  }
  return new view(parent) as Part
}

function createView(part: object): Traced {
  class View {
    readonly parent: SpanParent

    constructor(parent: SpanParent) {
      this.parent = parent
    }
  }
  for (const name of findNames(part)) {
    const read = createRead(part, name)
    Object.defineProperty(View.prototype, name, {
      get(this: View) {
        return read(this.parent)
      },
    })
  }
  return View
}

function createRead(part: object, name: string): (parent: SpanParent) => unknown {
  const value: unknown = Reflect.get(part, name)
  if (typeof value === 'object' && value !== null) return parent => traceStore(value, parent)
  if (typeof value !== 'function' || untraced.has(name)) return () => Reflect.get(part, name)
  const call = value.bind(part) as Call
  const description = describe(name)
  return parent => traceCall(call, description, parent)
}

// The names of an object's members, inherited ones included.
function findNames(part: object): Set<string> {
  const names = new Set<string>()
  for (let owner = part; owner !== Object.prototype && owner !== null; owner = Object.getPrototypeOf(owner)) {
    for (const name of Object.getOwnPropertyNames(owner)) names.add(name)
  }
  return names
}

function traceCall(call: Call, { title, operation }: Description, parent: SpanParent): Call {
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

function describe(name: string): Description {
  const operation = operations.find(([names]) => names.test(name))?.[1] ?? null
  return { title: operation ?? 'db', operation: operation ?? 'TRANSACTION' }
}
