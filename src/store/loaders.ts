import DataLoader from 'dataloader'
import type { Loaders, RowLoader } from '../domain/loaders.ts'
import type { Membership, Page, RowStore, Store } from '../domain/store.ts'
import type { Pace } from '../limits/pace.ts'

// Some 0.5 ms of the event loop.
const maxRowsAtOnce = 100

interface Dependencies {
  readonly store: Store
  readonly accountCode: string
  /** Resolves when it is the account's turn. */
  readonly waitForTurn: () => Promise<void>
  readonly pace: Pick<Pace, 'whenDrained'>
}

/**
 * Fresh loaders for one operation of a caller of this account; see the port for what they promise. Whatever a store answers with many
 * rows waits for the account's turn before the operation goes on with them: an operation may ask for dozens of pages of a thousand.
 */
export function createLoaders({ store, accountCode, waitForTurn, pace }: Dependencies): Loaders {
  const { memberships, users, teams } = store
  async function inTurn<Row>(loading: Promise<Row[]>): Promise<Row[]> {
    const rows = await loading
    if (rows.length > maxRowsAtOnce) await waitForTurn()
    return rows
  }
  // One batch for all pieces of an operation.
  const batching = { batchScheduleFn: (dispatch: () => void) => pace.whenDrained(dispatch) }
  const createRows = <Row extends { readonly id: number }>(rows: RowStore<Row>) =>
    createRowLoader({
      findCached: id => rows.findCached?.(accountCode, id),
      findByIds: ids => inTurn(rows.findByIds(accountCode, ids)),
      batching,
    })
  const membership = createRows(memberships)
  const user = createRows(users)
  const team = createRows(teams)
  const ofUser = createPageLoader({
    load: (ids, page) => inTurn(memberships.pageByUsers(accountCode, ids, page)),
    parentOf: row => row.userId,
    batching,
  })
  const ofTeam = createPageLoader({
    load: (ids, page) => inTurn(memberships.pageByTeams(accountCode, ids, page)),
    parentOf: row => row.teamId,
    batching,
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

interface Batching {
  readonly batchScheduleFn: (dispatch: () => void) => void
}

interface AccountRows<Row> {
  readonly batching: Batching
  findCached(id: number): Row | undefined
  findByIds(ids: readonly number[]): Promise<Row[]>
}

interface ClearedLoader {
  clear(): void
}

// What the store has at hand needs no batch, and most operations need none at all.
function createRowLoader<Row extends { readonly id: number }>({
  findCached,
  findByIds,
  batching,
}: AccountRows<Row>): RowLoader<Row> & ClearedLoader {
  let batched: DataLoader<number, Row | null> | null = null
  return {
    load(id) {
      const cached = findCached(id)
      if (cached !== undefined) return cached
      batched ??= new DataLoader(async ids => {
        const found = new Map((await findByIds(ids)).map(row => [row.id, row]))
        return ids.map(each => found.get(each) ?? null)
      }, batching)
      return batched.load(id)
    },
    clear() {
      batched = null
    },
  }
}

interface PageLoader {
  readonly batching: Batching
  readonly load: (parentIds: readonly number[], page: Page) => Promise<Membership[]>
  readonly parentOf: (membership: Membership) => number
}

// A loader for each distinct page, so that all parents asked for the same page share a statement.
function createPageLoader({ load, parentOf, batching }: PageLoader) {
  let loaders: Map<string, DataLoader<number, Membership[]>> | null = null
  function loadPage(parentId: number, page: Page): Promise<Membership[]> {
    const key = [page.after, page.before, page.limit, page.fromEnd].join()
    loaders ??= new Map()
    let loader = loaders.get(key)
    if (loader === undefined) {
      loader = new DataLoader(async parentIds => {
        const rows = Map.groupBy(await load(parentIds, page), parentOf)
        return parentIds.map(id => rows.get(id) ?? [])
      }, batching)
      loaders.set(key, loader)
    }
    return loader.load(parentId)
  }
  const clear = () => {
    loaders = null
  }
  return { load: loadPage, clear }
}
