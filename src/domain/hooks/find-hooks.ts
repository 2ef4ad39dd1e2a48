import { LRUCache } from 'lru-cache'
import type { CaseType } from '../cases/case-store.ts'
import type { RunHookEvent } from '../runs/run-record.ts'
import type { HookStore, LiveHook } from './hook-store.ts'

const maxTypes = 10_000

/** The hooks of an event of a case type, in the order in which they run. Null is a type without a case or hook. */
export type FindHooks = (
  accountCode: string,
  type: Pick<CaseType, 'code' | 'revision'> | null,
  event: RunHookEvent,
) => Promise<readonly LiveHook[]>

/**
 * Reads hooks. For a type without hooks it remembers that by the type's revision, which every change of its hooks
 * raises, so that a save without hooks costs no statement.
 */
export function createFindHooks(store: Pick<HookStore, 'findLive'>): FindHooks {
  const without = new LRUCache<string, number>({ max: maxTypes })
  return async (accountCode, type, event) => {
    if (type === null) return []
    const { code, revision } = type
    const key = `${event} ${code} ${accountCode}`
    if (without.get(key) === revision) return []
    const hooks = await store.findLive(accountCode, code, event)
    if (hooks.length === 0) without.set(key, revision)
    return hooks
  }
}
