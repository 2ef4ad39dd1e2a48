import type { PlatformMethod } from '../../scripts/protocol.ts'
import type { Ask, makePlatformCalls, PlatformCalls } from './platform-calls.ts'
import type { RealmParts } from './realm-parts.ts'

/** The object and the name of a method. */
export type MethodName = readonly [object: string, method: string]

/**
 * Returns the `Platform` object of an account: each method is one operation. What a method sends and answers with is
 * described by JSON, which the host gives on the first call: most scripts make none. Runs inside the isolate as text.
 */
export function makePlatform(
  { language, json, state }: RealmParts,
  ask: Ask,
  makeCalls: typeof makePlatformCalls,
  names: readonly MethodName[],
) {
  const { freeze, shield, parse } = language
  let call: PlatformCalls | null = null

  const makeMethod = (index: number) => {
    let method: PlatformMethod | null = null
    return async (...given: unknown[]): Promise<unknown> => {
      call ??= makeCalls(language, json, ask)
      method ??= parse(state.post('method', index) as string) as PlatformMethod
      // Without `await`, the promise would be settled by a `then` that the script may have changed.
      return await call(method, given)
    }
  }

  const objects: Record<string, Record<string, unknown>> = {}
  for (let i = 0; i < names.length; i++) {
    const [name, method] = names[i] as MethodName
    const object = objects[name] ?? {}
    object[method] = makeMethod(i)
    objects[name] = object
  }
  for (const name in objects) shield(objects[name] ?? {})

  return (accountCode: string) => freeze({ accountCode, ...objects })
}
