import type { Database } from 'better-sqlite3'

// Requests that come without a pause can make one turn of the event loop long.
const mostAgeMs = 1

/** Tells whether anything in the file may have changed, without reading what. */
export interface ChangeMark {
  /**
   * Another number than before once a transaction was committed since, by whichever process. Asked of SQLite once in a turn
   * of the event loop: what is read in it has come before.
   */
  read(): number
  /** For a commit of this connection: SQLite counts those of others alone. */
  advance(): void
}

export function createChangeMark(client: Database): ChangeMark {
  const readVersion = client.prepare<[], number>('PRAGMA data_version').pluck()
  let mark = 0
  let lastVersion: number | undefined
  let askedAt = 0
  let isOfThisTurn = false
  const endTurn = () => {
    isOfThisTurn = false
  }
  return {
    read() {
      if (isOfThisTurn && performance.now() - askedAt < mostAgeMs) return mark
      askedAt = performance.now()
      const version = readVersion.get()
      if (version !== lastVersion) mark += 1
      lastVersion = version
      if (!isOfThisTurn) setImmediate(endTurn)
      isOfThisTurn = true
      return mark
    },
    advance() {
      mark += 1
    },
  }
}
