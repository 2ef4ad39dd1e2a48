import { forget, keep, ownerOf, readKept, type Session } from '../gateway/session.ts'

// The tabs hold queries and variables, and no headers. Everything else, such as the history, can hold headers.
const keptKeys = new Set(['tabState', 'query', 'variables', 'operationName', 'visiblePlugin', 'theme'])

/**
 * Returns what GraphiQL uses in place of `localStorage`. The open queries stay in this browser tab, for the person who
 * typed them. The rest is kept in memory.
 */
export function createStorage(session: Session | null) {
  const prefix = `rostrum.graphiql.${session === null ? '' : ownerOf(session)}.`
  const memory = new Map<string, string>()
  const isKept = (key: string): boolean => keptKeys.has(key.replace(/^graphiql:/, ''))
  return {
    get length() {
      return memory.size
    },
    getItem(key: string): string | null {
      if (!isKept(key)) return memory.get(key) ?? null
      const text = readKept(prefix + key)
      return key === 'graphiql:query' && text === null
        ? readOpenQuery(readKept(`${prefix}graphiql:tabState`))
        : text
    },
    setItem(key: string, value: string) {
      if (isKept(key)) keep(prefix + key, value)
      else memory.set(key, value)
    },
    removeItem(key: string) {
      if (isKept(key)) forget(prefix + key)
      else memory.delete(key)
    },
    clear() {
      memory.clear()
      for (const key of keptKeys) forget(`${prefix}graphiql:${key}`)
    },
  }
}

interface TabState {
  readonly tabs: readonly { readonly query: string | null }[]
  readonly activeTabIndex: number
}

// GraphiQL writes a query after its first change only. It opens an empty tab if it cannot read the one that was open.
function readOpenQuery(tabState: string | null): string | null {
  if (tabState === null) return null
  try {
    const { tabs, activeTabIndex } = JSON.parse(tabState) as TabState
    return tabs[activeTabIndex]?.query ?? null
  } catch {
    return null
  }
}
