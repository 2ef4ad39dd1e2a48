import DataLoader from 'dataloader'
import type { Loaders, RowLoader } from '../domain/loaders.ts'
import type { Membership, Page, RowStore, Store } from '../domain/store.ts'

/** Fresh loaders for one operation of a caller of this account; see the port for what they promise. */
export function createLoaders({ memberships, users, teams }: Store, accountCode: string): Loaders {
  const membership = createRowLoader(memberships, accountCode)
  const user = createRowLoader(users, accountCode)
  const team = createRowLoader(teams, accountCode)
  const ofUser = createPageLoader({
    load: (ids, page) => memberships.pageByUsers(accountCode, ids, page),
    parentOf: row => row.userId,
  })
  const ofTeam = createPageLoader({
    load: (ids, page) => memberships.pageByTeams(accountCode, ids, page),
    parentOf: row => row.teamId,
  })
  return {
    membership,
    user,
    team,
    membershipsOfUser: ofUser.load,
    membershipsOfTeam: ofTeam.load,
    clear() {
      for (const loader of [membership, user, team, ofUser, ofTeam]) loader.clear()
    },
  }
}

interface ClearedLoader {
  clear(): void
}

// What the store has at hand needs no batch, and most operations need none at all.
function createRowLoader<Row extends { readonly id: number }>(
  rows: RowStore<Row>,
  accountCode: string,
): RowLoader<Row> & ClearedLoader {
  let batched: DataLoader<number, Row | null> | null = null
  return {
    load(id) {
      const kept = rows.findKept?.(accountCode, id)
      if (kept !== undefined) return kept
      batched ??= new DataLoader(async ids => {
        const found = new Map((await rows.findByIds(accountCode, ids)).map(row => [row.id, row]))
        return ids.map(each => found.get(each) ?? null)
      })
      return batched.load(id)
    },
    clear() {
      batched = null
    },
  }
}

interface PageLoader {
  readonly load: (parentIds: readonly number[], page: Page) => Promise<Membership[]>
  readonly parentOf: (membership: Membership) => number
}

// A loader for each distinct page, so that all parents asked for the same page share a statement.
function createPageLoader({ load, parentOf }: PageLoader) {
  let loaders: Map<string, DataLoader<number, Membership[]>> | null = null
  function loadPage(parentId: number, page: Page): Promise<Membership[]> {
    const key = [page.after, page.before, page.limit, page.fromEnd].join()
    loaders ??= new Map()
    let loader = loaders.get(key)
    if (loader === undefined) {
      loader = new DataLoader(async parentIds => {
        const rows = Map.groupBy(await load(parentIds, page), parentOf)
        return parentIds.map(id => rows.get(id) ?? [])
      })
      loaders.set(key, loader)
    }
    return loader.load(parentId)
  }
  const clear = () => {
    loaders = null
  }
  return { load: loadPage, clear }
}
