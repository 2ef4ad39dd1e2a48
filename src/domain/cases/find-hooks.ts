import { LRUCache } from 'lru-cache'
import type { HookStore, HooksToQueue, LiveHook } from '../triggers/trigger-store.ts'
import type { CaseType } from './case-store.ts'

const maxTypes = 10_000
// Maximum characters of the sources of cached hooks.
const maxCharacters = 16 * 2 ** 20

/** The hooks of a change: those before it and those after it, each list in the order in which the hooks run. */
export interface HooksOfChange {
  readonly before: readonly LiveHook[]
  readonly after: HooksToQueue['hooks']
}

interface HooksOfRevision {
  readonly revision: number
  readonly hooks: HooksOfChange
}

/** Returns the hooks of a case type for a save or a delete. A null type has neither cases nor hooks. */
export type FindHooks = (
  accountCode: string,
  type: Pick<CaseType, 'code' | 'revision'> | null,
  change: 'save' | 'delete',
) => Promise<HooksOfChange>

/** The hooks of case types by their last known revision. */
export type HookCache = LRUCache<string, HooksOfRevision>

export function createHookCache(): HookCache {
  return new LRUCache({ max: maxTypes, maxSize: maxCharacters, sizeCalculation: measure })
}

function measure({ hooks }: HooksOfRevision): number {
  return hooks.before.reduce((sum, { sourceCode }) => sum + sourceCode.length, 1)
}

const none: HooksOfChange = { before: [], after: [] }

/**
 * Caches a type's hooks until its revision changes, so that most saves need no statement for them. The revision also
 * grows when the function of a hook before the change gets another live version.
 */
export function createFindHooks(store: Pick<HookStore, 'findLive'>, known: HookCache): FindHooks {
  return async (accountCode, type, change) => {
    if (type === null) return none
    const { code, revision } = type
    const key = `${change} ${code} ${accountCode}`
    const last = known.get(key)
    if (last?.revision === revision) return last.hooks
    const found = await store.findLive(accountCode, code, [`pre-${change}`, `post-${change}`])
    const before = found.filter(({ event }) => event === `pre-${change}`)
    const after = found.filter(({ event }) => event === `post-${change}`).map(withoutSource)
    const hooks = { before, after }
    known.set(key, { revision, hooks })
    return hooks
  }
}

function withoutSource({ id, functionId, functionName, scopes }: LiveHook): HooksToQueue['hooks'][number] {
  return { id, functionId, functionName, scopes }
}
