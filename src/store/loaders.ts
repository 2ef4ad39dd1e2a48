import DataLoader from 'dataloader'
import type { Loaders } from '../domain/loaders.ts'
import type { Membership, Page, Store } from '../domain/store.ts'

/** Fresh loaders for one operation of a caller of this account; see the port for what they promise. */
export function createLoaders(store: Store, accountCode: string): Loaders {
  const { memberships, users, teams } = store
  const membership = createRowLoader(ids => memberships.findByIds(accountCode, ids))
  const user = createRowLoader(ids => users.findByIds(accountCode, ids))
  const team = createRowLoader(ids => teams.findByIds(accountCode, ids))
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
      for (const loader of [membership, user, team]) loader.clearAll()
      ofUser.clear()
      ofTeam.clear()
    },
  }
}

function createRowLoader<Row extends { readonly id: number }>(
  load: (ids: readonly number[]) => Promise<Row[]>,
): DataLoader<number, Row | null> {
  return new DataLoader(async ids => {
    const rows = new Map((await load(ids)).map(row => [row.id, row]))
    return ids.map(id => rows.get(id) ?? null)
  })
}

interface PageLoader {
  readonly load: (parentIds: readonly number[], page: Page) => Promise<Membership[]>
  readonly parentOf: (membership: Membership) => number
}

// A loader for each distinct page, so that all parents asked for the same page share a statement.
function createPageLoader({ load, parentOf }: PageLoader) {
  const loaders = new Map<string, DataLoader<number, Membership[]>>()
  function loadPage(parentId: number, page: Page): Promise<Membership[]> {
    const key = [page.after, page.before, page.limit, page.fromEnd].join()
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
  return { load: loadPage, clear: () => loaders.clear() }
}
