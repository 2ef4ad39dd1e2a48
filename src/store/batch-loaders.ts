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

/**
 * Fresh loaders for one operation of a caller of this account; the port says what they promise. After an answer with
 * many rows the operation waits for the account's turn: it may ask for dozens of pages of a thousand rows.
 */
export function createLoaders({ store, accountCode, waitForTurn, pace }: Dependencies): Loaders {
  const { memberships, users, teams, functions, cases, runs } = store
  // One batch for all pieces of an operation.
  const batchScheduleFn = (dispatch: () => void) => pace.whenDrained(dispatch)
  const made: { clearAll(): unknown }[] = []

  // Most operations need few of the loaders, so each is made on its first use.
  function batch<Key, Value>(load: (keys: readonly Key[]) => Promise<Value[]>) {
    let loader: DataLoader<Key, Value> | null = null
    return (key: Key): Promise<Value> => {
      if (loader === null) {
        loader = new DataLoader(load, { batchScheduleFn })
        made.push(loader)
      }
      return loader.load(key)
    }
  }

  function batchEach<Group, Key, Value>(
    nameOf: (group: Group) => string,
    load: (keys: readonly Key[], group: Group) => Promise<Value[]>,
  ) {
    let loaders: Map<string, (key: Key) => Promise<Value>> | null = null
    return (group: Group, key: Key): Promise<Value> => {
      loaders ??= new Map()
      const name = nameOf(group)
      const loadOne = loaders.get(name) ?? batch((keys: readonly Key[]) => load(keys, group))
      loaders.set(name, loadOne)
      return loadOne(key)
    }
  }

  async function inTurn<Row>(loading: Promise<Row[]>): Promise<Row[]> {
    const rows = await loading
    if (rows.length > maxRowsAtOnce) await waitForTurn()
    return rows
  }

  // A cached row needs no batch, and most operations need none at all.
  function createRowLoader<Row extends { readonly id: number }>(store: RowStore<Row>): RowLoader<Row> {
    const load = batch(async (ids: readonly number[]) =>
      arrange(ids, await inTurn(store.findByIds(accountCode, ids)), ({ id }) => id),
    )
    return { load: id => store.findCached?.(accountCode, id) ?? load(id) }
  }

  const triggerLoaders = new Map<QueuedTrigger, RowLoader<{ readonly id: number }>>()

  function findTriggerLoader<Trigger extends QueuedTrigger>(
    trigger: Trigger,
  ): RowLoader<TriggerRow<Trigger>> {
    const triggers: RowStore<{ readonly id: number }> = store[triggerKinds[trigger].savedIn]
    const loader = triggerLoaders.get(trigger) ?? createRowLoader(triggers)
    triggerLoaders.set(trigger, loader)
    return loader as RowLoader<TriggerRow<Trigger>>
  }

  // A batch for each distinct page, so that all parents asked for the same page share a statement.
  function createPageLoader<Parent extends string, Row extends Readonly<Record<Parent, number | null>>>(
    parent: Parent,
    pages: (accountCode: string, parentIds: readonly number[], page: Page) => Promise<Row[]>,
  ) {
    async function read(parentIds: readonly number[], page: Page): Promise<Row[]> {
      const rows = await inTurn(pages(accountCode, parentIds, page))
      if (rows.length < maxRowsOfPages || parentIds.length === 1) return rows
      const half = Math.ceil(parentIds.length / 2)
      return [...(await read(parentIds.slice(0, half), page)), ...(await read(parentIds.slice(half), page))]
    }
    async function loadPages(parentIds: readonly number[], page: Page): Promise<Row[][]> {
      const rows = await read(parentIds, page)
      const byParent = Map.groupBy(rows, (row): number | null => row[parent])
      return parentIds.map(id => byParent.get(id) ?? [])
    }
    const load = batchEach(nameOfPage, loadPages)
    return (parentId: number, page: Page) => load(page, parentId)
  }

  const loadChangedFields = batch(async (sequences: readonly number[]) => {
    const found = await cases.events.findChangedFields(accountCode, sequences)
    const events = arrange(sequences, found, ({ sequence }) => sequence)
    return events.map(event => event?.changedFields ?? new JsonText('{}'))
  })

  const loadLive = batch(async (functionIds: readonly number[]) =>
    arrange(
      functionIds,
      await functions.findLiveOf(accountCode, functionIds),
      ({ functionId }) => functionId,
    ),
  )

  const loadVersion = batch(async (names: readonly string[]) => {
    const named = names.map(name => JSON.parse(name) as [number, string])
    const found = await functions.findVersionsOf(
      accountCode,
      named.map(([functionId, hash]) => ({ functionId, hash })),
    )
    return arrange(names, found, ({ functionId, hash }) => JSON.stringify([functionId, hash]))
  })

  const loadRun = batch(async (runIds: readonly string[]) =>
    arrange(runIds, await runs.findByRunIds(accountCode, runIds), ({ runId }) => runId),
  )

  const loadText = batchEach(
    (kind: RunText) => kind,
    async (ids: readonly number[], kind) => {
      const rows = arrange(ids, await inTurn(runs.findTexts(accountCode, kind, ids)), ({ id }) => id)
      return rows.map(row => row?.text ?? null)
    },
  )

  return {
    membership: createRowLoader(memberships),
    user: createRowLoader(users),
    team: createRowLoader(teams),
    function: createRowLoader(functions),
    removedFunction: createRowLoader(functions.removed),
    functionVersion: createRowLoader(functions.versions),
    functionSource: createRowLoader(functions.sources),
    versionOf: ({ functionId, hash }) => loadVersion(JSON.stringify([functionId, hash])),
    liveVersionOf: loadLive,
    membershipsOfUser: createPageLoader('userId', memberships.pageByUsers),
    membershipsOfTeam: createPageLoader('teamId', memberships.pageByTeams),
    versionsOfFunction: createPageLoader('functionId', functions.pageVersions),
    case: createRowLoader(cases),
    eventsOfCase: createPageLoader('caseId', cases.events.pageByCases),
    changedFields: loadChangedFields,
    runsOfFunction: createPageLoader('functionId', runs.pageByFunctions),
    runsOfCase: createPageLoader('caseId', runs.pageByCases),
    trigger: findTriggerLoader,
    attemptsOf: createPageLoader('queuedRunId', runs.pageByQueuedRuns),
    run: loadRun,
    runText: loadText,
    clear() {
      for (const loader of made) loader.clearAll()
    },
  }
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
