import DataLoader from 'dataloader'
import type { FunctionVersion } from '../domain/functions/function-store.ts'
import type { Loaders, RowLoader, TriggerRow } from '../domain/loaders.ts'
import { maxRowsOfPages, type Page, type RowStore } from '../domain/port.ts'
import type { RunText, StoredRun } from '../domain/runs/run-store.ts'
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
  let loaders: Map<string, DataLoader<never, unknown>> | null = null

  function batch<Value, Key = number>(
    name: string,
    load: (keys: readonly Key[]) => Promise<Value[]>,
    cacheKeyFn: (key: Key) => unknown = key => key,
  ) {
    loaders ??= new Map()
    const loader =
      loaders.get(name) ?? new DataLoader<Key, unknown, unknown>(load, { batchScheduleFn, cacheKeyFn })
    loaders.set(name, loader)
    return loader as DataLoader<Key, Value>
  }

  async function inTurn<Row>(loading: Promise<Row[]>): Promise<Row[]> {
    const rows = await loading
    if (rows.length > maxRowsAtOnce) await waitForTurn()
    return rows
  }

  // A cached row needs no batch, and most operations need none at all.
  function createRowLoader<Row extends { readonly id: number }>(
    name: string,
    store: RowStore<Row>,
  ): RowLoader<Row> {
    async function load(ids: readonly number[]): Promise<(Row | null)[]> {
      const rows = await inTurn(store.findByIds(accountCode, ids))
      const found = new Map(rows.map(row => [row.id, row]))
      return ids.map(id => found.get(id) ?? null)
    }
    return { load: id => store.findCached?.(accountCode, id) ?? batch(name, load).load(id) }
  }

  function createTriggerLoader<Trigger extends QueuedTrigger>(trigger: Trigger) {
    const triggers: RowStore<unknown> = store[triggerKinds[trigger].savedIn]
    return createRowLoader(trigger, triggers as RowStore<TriggerRow<Trigger>>)
  }

  // A batch for each distinct page, so that all parents asked for the same page share a statement.
  function createPageLoader<Parent extends string, Row extends Readonly<Record<Parent, number | null>>>(
    parent: Parent,
    pages: (accountCode: string, parentIds: readonly number[], page: Page) => Promise<Row[]>,
    name: string = parent,
  ) {
    return (parentId: number, page: Page): Promise<Row[]> => {
      async function read(parentIds: readonly number[]): Promise<Row[]> {
        const rows = await inTurn(pages(accountCode, parentIds, page))
        if (rows.length < maxRowsOfPages || parentIds.length === 1) return rows
        const half = Math.ceil(parentIds.length / 2)
        return [...(await read(parentIds.slice(0, half))), ...(await read(parentIds.slice(half)))]
      }
      async function load(parentIds: readonly number[]): Promise<Row[][]> {
        const rows = await read(parentIds)
        const byParent = Map.groupBy(rows, (row): number | null => row[parent])
        return parentIds.map(id => byParent.get(id) ?? [])
      }
      const key = [name, page.after, page.before, page.limit, page.fromEnd].join()
      return batch(key, load).load(parentId)
    }
  }

  async function loadChangedFields(sequences: readonly number[]): Promise<JsonText[]> {
    const found = await cases.events.findChangedFields(accountCode, sequences)
    const bySequence = new Map(found.map(({ sequence, changedFields }) => [sequence, changedFields]))
    return sequences.map(sequence => bySequence.get(sequence) ?? new JsonText('{}'))
  }

  async function loadLive(functionIds: readonly number[]): Promise<(FunctionVersion | null)[]> {
    const found = await functions.findLiveOf(accountCode, functionIds)
    const versions = new Map(found.map(version => [version.functionId, version]))
    return functionIds.map(id => versions.get(id) ?? null)
  }

  async function loadRuns(runIds: readonly string[]): Promise<(StoredRun | null)[]> {
    const found = new Map((await runs.findByRunIds(accountCode, runIds)).map(run => [run.runId, run]))
    return runIds.map(runId => found.get(runId) ?? null)
  }

  async function loadTexts(kind: RunText, ids: readonly number[]): Promise<(string | null)[]> {
    const rows = await inTurn(runs.findTexts(accountCode, kind, ids))
    const texts = new Map(rows.map(({ id, text }) => [id, text]))
    return ids.map(id => texts.get(id) ?? null)
  }

  return {
    membership: createRowLoader('membership', memberships),
    user: createRowLoader('user', users),
    team: createRowLoader('team', teams),
    function: createRowLoader('function', functions),
    removedFunction: createRowLoader('removed function', functions.removed),
    functionVersion: createRowLoader('version', functions.versions),
    functionSource: createRowLoader('source', functions.sources),
    liveVersionOf: functionId => batch('live version', loadLive).load(functionId),
    membershipsOfUser: createPageLoader('userId', memberships.pageByUsers),
    membershipsOfTeam: createPageLoader('teamId', memberships.pageByTeams),
    versionsOfFunction: createPageLoader('functionId', functions.pageVersions, 'versions'),
    case: createRowLoader('case', cases),
    eventsOfCase: createPageLoader('caseId', cases.events.pageByCases),
    changedFields: sequence => batch('changed fields', loadChangedFields).load(sequence),
    runsOfFunction: createPageLoader('functionId', runs.pageByFunctions, 'runs'),
    runsOfCase: createPageLoader('caseId', runs.pageByCases, 'runs of case'),
    trigger: createTriggerLoader,
    attemptsOf: createPageLoader('queuedRunId', runs.pageByQueuedRuns, 'attempts'),
    run: runId => batch('run', loadRuns).load(runId),
    runText: (kind, id) => batch(`run ${kind}`, ids => loadTexts(kind, ids)).load(id),
    clear() {
      loaders = null
    },
  }
}
