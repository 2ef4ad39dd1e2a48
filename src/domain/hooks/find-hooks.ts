import { LRUCache } from 'lru-cache'
import type { CaseType } from '../cases/case-store.ts'
import type { HookStore, LiveHook } from './hook-store.ts'

const maxTypes = 10_000

/** The hooks of a change, each in the order in which they run. */
export interface HooksOfChange {
  readonly before: readonly LiveHook[]
  readonly after: readonly LiveHook[]
}

/** Gives the hooks of a case type for a save or a delete. Null is a type without a case or hook. */
export type FindHooks = (
  accountCode: string,
  type: Pick<CaseType, 'code' | 'revision'> | null,
  change: 'save' | 'delete',
) => Promise<HooksOfChange>

const none: HooksOfChange = { before: [], after: [] }

/**
 * Reads hooks. For a type without hooks it remembers that by the type's revision, which every change of its hooks
 * raises, so that a save without hooks costs no statement.
 */
export function createFindHooks(store: Pick<HookStore, 'findLive'>): FindHooks {
  const without = new LRUCache<string, number>({ max: maxTypes })
  return async (accountCode, type, change) => {
    if (type === null) return none
    const { code, revision } = type
    const key = `${change} ${code} ${accountCode}`
    if (without.get(key) === revision) return none
    const hooks = await store.findLive(accountCode, code, [`pre-${change}`, `post-${change}`])
    if (hooks.length === 0) without.set(key, revision)
    const [before = [], after = []] = ['pre', 'post'].map(when =>
      hooks.filter(({ event }) => event === `${when}-${change}`),
    )
    return { before, after }
  }
}
