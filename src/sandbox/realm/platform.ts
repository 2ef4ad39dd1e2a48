import type { Ask, MakePlatformCalls, PlatformCalls } from './platform-calls.ts'
import type { RealmParts } from './realm-parts.ts'

/** The object and the name of a method. */
export type MethodName = readonly [object: string, method: string]

/**
 * Returns the `Platform` object of an account: each method is one operation. What the methods do is the text of
 * `platformCallsSource`, which the host gives on the first call: most scripts make none, and in the snapshot it would
 * make each isolate dearer to create. Runs inside the isolate as text.
 */
export function makePlatform(
  { language, json, state }: RealmParts,
  askGateway: Ask,
  names: readonly MethodName[],
) {
  const { freeze, shield, Function } = language
  let call: PlatformCalls | null = null

  const makeMethod = (index: number) => {
    return async (...given: unknown[]): Promise<unknown> => {
      if (call === null) {
        const makeCalls = new Function('language', 'json', 'askGateway', state.post('platform') as string)
        call = (makeCalls as MakePlatformCalls)(language, json, askGateway)
      }
      // Without `await`, the promise would be settled by a `then` that the script may have changed.
      return await call(index, given)
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
