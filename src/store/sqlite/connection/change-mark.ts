import { performance } from 'node:perf_hooks'
import type { Database } from 'better-sqlite3'

// Requests that come without a pause can make one turn of the event loop long.
const maxAgeMs = 1

const { nodeTiming } = performance

/** Whether another process may have changed the file, without reading what. */
export interface ChangeMark {
  /**
   * Returns a different number after a commit of another process. Asks SQLite once in each turn of the event loop,
   * since all requests of a turn came before it.
   */
  readOthers(): number
}

export function createChangeMark(client: Database): ChangeMark {
  // Leaves out the transactions of the connection that asks.
  const readVersion = client.prepare<[], number>('PRAGMA data_version').pluck()
  let others = 0
  let lastVersion: number | undefined
  let askedAt = 0
  let askedInTurn: number | undefined
  return {
    readOthers() {
      // Counted where the loop looks for new events. A `setImmediate` of another caller would end the turn only after
      // that.
      const turn = nodeTiming.uvMetricsInfo.loopCount
      if (turn === askedInTurn && performance.now() - askedAt < maxAgeMs) return others
      askedAt = performance.now()
      const version = readVersion.get()
      if (version !== lastVersion) others += 1
      lastVersion = version
      askedInTurn = turn
      return others
    },
  }
}
