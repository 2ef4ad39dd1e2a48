import { performance } from 'node:perf_hooks'
import type { Database } from 'better-sqlite3'

// Requests that come without a pause can make one turn of the event loop long.
const mostAgeMs = 1

const { nodeTiming } = performance

/** Tells whether anything in the file may have changed, without reading what. */
export interface ChangeMark {
  /**
   * Another number than before once another process has committed a transaction since. Asked of SQLite once in a turn of the
   * event loop: the requests that are read in it have come before.
   */
  readOthers(): number
  /** The same for the transactions of any process, this one's included. */
  read(): number
  /** For a commit of this process. */
  advance(): void
}

export function createChangeMark(client: Database): ChangeMark {
  const readVersion = client.prepare<[], number>('PRAGMA data_version').pluck()
  let others = 0
  let own = 0
  let lastVersion: number | undefined
  let askedAt = 0
  let askedInTurn: number | undefined

  // SQLite's version leaves out the transactions of the connection that asks.
  function readOthers(): number {
    // Counted where the loop looks for what has come: `setImmediate`, asked for by another, would end the turn only behind that.
    const turn = nodeTiming.uvMetricsInfo.loopCount
    if (turn === askedInTurn && performance.now() - askedAt < mostAgeMs) return others
    askedAt = performance.now()
    const version = readVersion.get()
    if (version !== lastVersion) others += 1
    lastVersion = version
    askedInTurn = turn
    return others
  }

  return {
    readOthers,
    read: () => readOthers() + own,
    advance() {
      own += 1
    },
  }
}
