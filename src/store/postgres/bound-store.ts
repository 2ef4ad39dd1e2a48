import type { Store } from '../../domain/store.ts'
import { RostrumError } from '../../errors.ts'
import { explainFailure, outcomeUnknown } from './explain-failure.ts'

interface Bounds {
  readonly mostMs: number
  readonly mostCalls: number
}

type Method = (...given: never[]) => Promise<unknown>

// They wait for nothing.
const immediate: ReadonlySet<string> = new Set(['changeMark', 'onChange', 'close'])

/**
 * The store with an end to every wait: a call is answered or told of its failure within `mostMs`, and refused at once while `mostCalls` of
 * them are unanswered. One that is given up may still be made, so it counts until the database has answered it.
 */
export function boundStore(store: Store, { mostMs, mostCalls }: Bounds): Store {
  let calls = 0
  return boundMembers(store)

  function boundMembers<T extends object>(part: T): T {
    const members = Object.entries(part).map(([name, member]) => [name, boundMember(name, member)])
    return Object.fromEntries(members)
  }

  function boundMember(name: string, member: object | Method): unknown {
    if (immediate.has(name)) return member
    if (typeof member !== 'function') return boundMembers(member)
    return (...given: never[]) => bound(() => member(...given))
  }

  async function bound(call: () => Promise<unknown>): Promise<unknown> {
    if (calls >= mostCalls) throw overloaded(calls)
    calls += 1
    const answer = call().finally(() => {
      calls -= 1
    })
    try {
      return await answerInTime(answer, mostMs)
    } catch (error) {
      throw explainFailure(error)
    }
  }
}

async function answerInTime(answer: Promise<unknown>, mostMs: number): Promise<unknown> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(outcomeUnknown('The database took too long')), mostMs)
  try {
    return await Promise.race([answer, late])
  } finally {
    clearTimeout(timer)
  }
}

function overloaded(calls: number): RostrumError {
  return new RostrumError(
    'OVERLOADED',
    `The database has ${calls} calls of this gateway to answer, the most there may be. Try again in 1 s.`,
    { retryAfterSeconds: 1 },
  )
}
