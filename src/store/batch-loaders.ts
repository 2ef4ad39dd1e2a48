import DataLoader from 'dataloader'
import type { Loaders, RowLoader, TriggerRow } from '../domain/loaders.ts'
import { maxRowsOfPages, type Page, type RowStore } from '../domain/port.ts'
import type { RunText } from '../domain/runs/run-store.ts'
import { type QueuedTrigger, triggerKinds } from '../domain/scripts/trigger-kinds.ts'
import type { Store } from '../domain/store.ts'
import type { Pace } from '../fairness/pace.ts'
import { JsonText } from '../json/json-text.ts'

// Maximum number of rows in a batch. More rows take over 0.5 ms of the event loop.
const maxRowsAtOnce = 100

interface Dependencies {
  readonly store: Store
  readonly accountCode: string
  /** Resolves when it is the account's turn. */
  readonly waitForTurn: () => Promise<void>
  readonly pace: Pick<Pace, 'whenDrained'>
}

type Load<Key, Value> = (key: Key) => Promise<Value>

/** What makes the loaders of one operation. */
class LoaderMaker {
  readonly #dependencies: Dependencies
  readonly #made: { clearAll(): unknown }[] = []

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies
  }

  get store(): Store {
    return this.#dependencies.store
  }

  get accountCode(): string {
    return this.#dependencies.accountCode
  }

  batch<Key, Value>(load: (keys: readonly Key[]) => Promise<Value[]>): Load<Key, Value> {
    const { pace } = this.#dependencies
    // One batch for all pieces of an operation.
    const batchScheduleFn = (dispatch: () => void) => pace.whenDrained(dispatch)
    const loader = new DataLoader(load, { batchScheduleFn })
    this.#made.push(loader)
    return key => loader.load(key)
  }

  batchEach<Group, Key, Value>(
    nameOf: (group: Group) => string,
    load: (keys: readonly Key[], group: Group) => Promise<Value[]>,
  ): (group: Group, key: Key) => Promise<Value> {
    const loaders = new Map<string, Load<Key, Value>>()
    return (group, key) => {
      const make = () => this.batch((keys: readonly Key[]) => load(keys, group))
      return loaders.getOrInsertComputed(nameOf(group), make)(key)
    }
  }

  // A cached row needs no batch, and most operations need none at all.
  rows<Row extends { readonly id: number }>(store: RowStore<Row>): RowLoader<Row> {
    const { accountCode } = this
    let load: Load<number, Row | null> | null = null
    const loadAll = async (ids: readonly number[]) =>
      arrange(ids, await this.waitAfterLong(store.findByIds(accountCode, ids)), ({ id }) => id)
    const loadOne = (id: number) => {
      load ??= this.batch(loadAll)
      return load(id)
    }
    return { load: id => store.findCached?.(accountCode, id) ?? loadOne(id) }
  }

  // A batch for each distinct page, so that all parents asked for the same page share a statement.
  pages<Parent extends string, Row extends Readonly<Record<Parent, number | null>>>(
    parent: Parent,
    pages: (accountCode: string, parentIds: readonly number[], page: Page) => Promise<Row[]>,
  ): (parentId: number, page: Page) => Promise<Row[]> {
    const read = async (parentIds: readonly number[], page: Page): Promise<Row[]> => {
      const rows = await this.waitAfterLong(pages(this.accountCode, parentIds, page))
      if (rows.length < maxRowsOfPages || parentIds.length === 1) return rows
      const half = Math.ceil(parentIds.length / 2)
      return [...(await read(parentIds.slice(0, half), page)), ...(await read(parentIds.slice(half), page))]
    }
    const loadPages = async (parentIds: readonly number[], page: Page) => {
      const rows = await read(parentIds, page)
      const byParent = Map.groupBy(rows, (row): number | null => row[parent])
      return parentIds.map(id => byParent.get(id) ?? [])
    }
    const load = this.batchEach(nameOfPage, loadPages)
    return (parentId, page) => load(page, parentId)
  }

  /** Waits for the next turn of the account if there are many rows, and then returns them. */
  async waitAfterLong<Row>(loading: Promise<Row[]>): Promise<Row[]> {
    const rows = await loading
    if (rows.length > maxRowsAtOnce) await this.#dependencies.waitForTurn()
    return rows
  }

  clear(): void {
    for (const loader of this.#made) loader.clearAll()
  }
}

const makers: { readonly [Name in keyof Omit<Loaders, 'clear'>]: (maker: LoaderMaker) => Loaders[Name] } = {
  membership: maker => maker.rows(maker.store.memberships),
  user: maker => maker.rows(maker.store.users),
  team: maker => maker.rows(maker.store.teams),
  function: maker => maker.rows(maker.store.functions),
  removedFunction: maker => maker.rows(maker.store.functions.removed),
  functionVersion: maker => maker.rows(maker.store.functions.versions),
  functionSource: maker => maker.rows(maker.store.functions.sources),
  versionOf: makeVersionOf,
  liveVersionOf: maker =>
    maker.batch(async (functionIds: readonly number[]) => {
      const found = await maker.store.functions.findLiveOf(maker.accountCode, functionIds)
      return arrange(functionIds, found, ({ functionId }) => functionId)
    }),
  membershipsOfUser: maker => maker.pages('userId', maker.store.memberships.pageByUsers),
  membershipsOfTeam: maker => maker.pages('teamId', maker.store.memberships.pageByTeams),
  versionsOfFunction: maker => maker.pages('functionId', maker.store.functions.pageVersions),
  case: maker => maker.rows(maker.store.cases),
  eventsOfCase: maker => maker.pages('caseId', maker.store.cases.events.pageByCases),
  changedFields: maker =>
    maker.batch(async (sequences: readonly number[]) => {
      const found = await maker.store.cases.events.findChangedFields(maker.accountCode, sequences)
      const events = arrange(sequences, found, ({ sequence }) => sequence)
      return events.map(event => event?.changedFields ?? new JsonText('{}'))
    }),
  runsOfFunction: maker => maker.pages('functionId', maker.store.runs.pageByFunctions),
  runsOfCase: maker => maker.pages('caseId', maker.store.runs.pageByCases),
  trigger: makeTrigger,
  attemptsOf: maker => maker.pages('queuedRunId', maker.store.runs.pageByQueuedRuns),
  run: maker =>
    maker.batch(async (runIds: readonly string[]) => {
      const found = await maker.store.runs.findByRunIds(maker.accountCode, runIds)
      return arrange(runIds, found, ({ runId }) => runId)
    }),
  runText: maker =>
    maker.batchEach(
      (kind: RunText) => kind,
      async (ids: readonly number[], kind) => {
        const found = await maker.waitAfterLong(maker.store.runs.findTexts(maker.accountCode, kind, ids))
        return arrange(ids, found, ({ id }) => id).map(row => row?.text ?? null)
      },
    ),
}

function makeVersionOf(maker: LoaderMaker): Loaders['versionOf'] {
  const load = maker.batch(async (names: readonly string[]) => {
    const named = names.map(name => JSON.parse(name) as [number, string])
    const found = await maker.store.functions.findVersionsOf(
      maker.accountCode,
      named.map(([functionId, hash]) => ({ functionId, hash })),
    )
    return arrange(names, found, ({ functionId, hash }) => JSON.stringify([functionId, hash]))
  })
  return ({ functionId, hash }) => load(JSON.stringify([functionId, hash]))
}

function makeTrigger(maker: LoaderMaker): Loaders['trigger'] {
  const loaders = new Map<QueuedTrigger, RowLoader<{ readonly id: number }>>()
  return <Trigger extends QueuedTrigger>(trigger: Trigger) => {
    const make = () => maker.rows<{ readonly id: number }>(maker.store[triggerKinds[trigger].savedIn])
    return loaders.getOrInsertComputed(trigger, make) as RowLoader<TriggerRow<Trigger>>
  }
}

// Most operations need few of the loaders, so each is made on its first use.
class OperationLoaders {
  readonly maker: LoaderMaker
  readonly made: Partial<Record<keyof typeof makers, unknown>> = {}

  constructor(dependencies: Dependencies) {
    this.maker = new LoaderMaker(dependencies)
  }

  clear(): void {
    this.maker.clear()
  }
}

for (const [name, make] of Object.entries(makers) as [
  keyof typeof makers,
  (maker: LoaderMaker) => unknown,
][]) {
  Object.defineProperty(OperationLoaders.prototype, name, {
    get(this: OperationLoaders) {
      this.made[name] ??= make(this.maker)
      return this.made[name]
    },
  })
}

/**
 * Fresh loaders for one operation of a caller of this account; the port says what they promise. After an answer with
 * many rows the operation waits for the account's turn: it may ask for dozens of pages of a thousand rows.
 */
export function createLoaders(dependencies: Dependencies): Loaders {
  return new OperationLoaders(dependencies) as OperationLoaders & Loaders
}

const nameOfPage = ({ after, before, limit, fromEnd }: Page) => [after, before, limit, fromEnd].join()

/** The row of each key, in the order of the keys; null for those without one. */
function arrange<Key, Row>(
  keys: readonly Key[],
  rows: readonly Row[],
  keyOf: (row: Row) => Key,
): (Row | null)[] {
  const found = new Map(rows.map(row => [keyOf(row), row]))
  return keys.map(key => found.get(key) ?? null)
}
