import pg from 'pg'
import { createAccountTurns } from './account-turns.ts'
import { type Client, createClient, type Send } from './client.ts'
import { connectionTo, mostSilentMs } from './connect.ts'
import { connectionBroke, explainNoConnection } from './explain-failure.ts'
import { endsConnection } from './sql-state.ts'

const maxConnections = 10
// So that one account with statements that take long leaves connections that others have at once.
const maxConnectionsOfAccount = 5

/**
 * Connections to the database, opened as they are needed and given to accounts in turn. Where there is none, or one is lost, a statement
 * is `UNAVAILABLE`; what PostgreSQL refuses is the driver's `DatabaseError`.
 */
export interface Pool {
  /** The client whose statements wait for the turn of this account or share. */
  of(owner: string): PoolClient
  close(): Promise<void>
}

export interface PoolClient extends Client {
  /** Runs `work` in a transaction, on a connection of its own: committed when it resolves, undone when it rejects. */
  begin<T>(work: (client: Client) => Promise<T>): Promise<T>
}

interface PoolOptions {
  readonly url: string
  /** Told of every statement that is sent, those around transactions included. */
  readonly onStatement: ((sql: string) => void) | undefined
}

export function createPool({ url, onStatement = () => {} }: PoolOptions): Pool {
  const pool = new pg.Pool({
    ...connectionTo(url),
    max: maxConnections,
    idleTimeoutMillis: 0,
    query_timeout: mostSilentMs,
  })
  // A lost connection is told to whoever waits for its answer; the pool leaves one that nobody uses.
  pool.on('error', () => {})
  pool.on('connect', connection => connection.on('error', () => {}))

  const inTurn = createAccountTurns({
    total: maxConnections,
    account: maxConnectionsOfAccount,
    tooLate: 'The database gave no connection',
  })

  async function take(): Promise<pg.PoolClient> {
    try {
      return await pool.connect()
    } catch (error) {
      throw explainNoConnection(error)
    }
  }

  /** Runs `work` with a connection of its own, which is closed behind it where it was lost. */
  async function hold<T>(work: (send: Send) => Promise<T>): Promise<T> {
    const connection = await take()
    let isLost = false
    let isOver = false
    const send: Send = async statement => {
      if (isOver) throw new Error('A statement came behind the end of its transaction.')
      // Else it would wait as long as the one that was not answered.
      if (isLost) throw connectionBroke(undefined)
      onStatement(statement.text)
      try {
        return await connection.query(statement)
      } catch (error) {
        isLost ||= endsConnection(error)
        throw error instanceof pg.DatabaseError ? error : connectionBroke(error)
      }
    }
    try {
      return await work(send)
    } finally {
      isOver = true
      connection.release(isLost)
    }
  }

  function begin<T>(owner: string, work: (client: Client) => Promise<T>): Promise<T> {
    return inTurn(owner, () => hold(send => transact(send, work)))
  }

  return {
    of: owner => ({
      ...createClient(statement => inTurn(owner, () => hold(send => send(statement)))),
      begin: work => begin(owner, work),
    }),
    close: () => pool.end(),
  }
}

async function transact<T>(send: Send, work: (client: Client) => Promise<T>): Promise<T> {
  try {
    await send({ text: 'begin' })
    const result = await work(createClient(send))
    const { command } = await send({ text: 'commit' })
    if (command !== 'COMMIT') throw new Error('A transaction was to be committed that had failed.')
    return result
  } catch (error) {
    // Where this fails the connection is lost, and PostgreSQL undoes what was not committed.
    await send({ text: 'rollback' }).catch(() => {})
    throw error
  }
}
