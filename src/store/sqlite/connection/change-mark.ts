import { performance } from 'node:perf_hooks'
import type { Database } from 'better-sqlite3'

// Maximum age of the mark. One turn of the event loop can be long when requests come without a pause.
const maxAgeMs = 1

const { nodeTiming } = performance

/** Detects that the file has changed, without reading the changes. */
export interface ChangeMark {
  /**
   * Returns a number that changes after a commit of another process. Asks SQLite only once in each turn of the event
   * loop, because all requests of a turn came before it.
   */
  readOthers(): number
}

export function createChangeMark(client: Database): ChangeMark {
  // Returns SQLite's number. It ignores commits of this connection.
  const readVersion = client.prepare<[], number>('PRAGMA data_version').pluck()
  let others = 0
  let lastVersion: number | undefined
  let askedAt = 0
  let askedInTurn: number | undefined

  function readOthers(): number {
    // Counts turns where the loop looks for new events. A turn counted by `setImmediate` would end later.
    const turn = nodeTiming.uvMetricsInfo.loopCount
    if (turn === askedInTurn && performance.now() - askedAt < maxAgeMs) return others
    askedAt = performance.now()
    const version = readVersion.get()
    if (version !== lastVersion) others += 1
    lastVersion = version
    askedInTurn = turn
    return others
  }

  return { readOthers }
}
