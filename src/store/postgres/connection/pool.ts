import pg from 'pg'
import type { ShareOwner } from '../../../fairness/share-owner.ts'
import { createAccountSlots } from './account-slots.ts'
import { type Client, createClient, type Send } from './client.ts'
import { connectionTo, maxSilentMs } from './connect.ts'
import { connectionBroke, explainNoConnection } from './explain-failure.ts'
import { endsConnection } from './sql-state.ts'

const maxConnections = 10
// Maximum number of connections that an account uses at once, so that its slow statements leave connections to others.
const maxConnectionsOfAccount = 5

/**
 * Connections to the database. They are opened on demand, and accounts get them in turn. A statement throws
 * `UNAVAILABLE` if it gets no connection or loses it, and the driver's `DatabaseError` if PostgreSQL refuses it.
 */
export interface Pool {
  /** Returns the client whose statements wait for the turn of this account or share. */
  of(owner: ShareOwner): PoolClient
  close(): Promise<void>
}

export interface PoolClient extends Client {
  /**
   * Runs `work` in a transaction, on a connection of its own. Commits if `work` resolves and `keep` allows the result.
   */
  begin<T>(work: (client: Client) => Promise<T>, keep?: (result: T) => boolean): Promise<T>
}

interface PoolOptions {
  readonly url: string
  /** Called with every statement that is sent, including `begin` and `commit`. */
  readonly onStatement: ((sql: string) => void) | undefined
}

export function createPool({ url, onStatement = () => {} }: PoolOptions): Pool {
  const pool = new pg.Pool({
    ...connectionTo(url),
    max: maxConnections,
    idleTimeoutMillis: 0,
    query_timeout: maxSilentMs,
  })
  // Ignored here: a statement that waits for an answer fails by itself, and the pool drops an unused connection.
  pool.on('error', () => {})
  pool.on('connect', connection => connection.on('error', () => {}))

  const withAccountSlot = createAccountSlots({
    total: maxConnections,
    each: maxConnectionsOfAccount,
    tooLate: 'The database gave no connection',
  })

  /** Runs `work` with a connection of its own. A lost connection is closed afterwards. */
  async function withClient<T>(work: (send: Send) => Promise<T>): Promise<T> {
    const connection = await pool.connect().catch((error: unknown) => {
      throw explainNoConnection(error)
    })
    let isLost = false
    let isOver = false
    const send: Send = async statement => {
      if (isOver) throw new Error('A statement came after the end of its transaction.')
      // Fails at once on a lost connection. Another statement would wait as long as the last one, which got no answer.
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

  return {
    of: owner => ({
      ...createClient(statement => withAccountSlot(owner, () => withClient(send => send(statement)))),
      begin: (work, keep = () => true) =>
        withAccountSlot(owner, () =>
          withClient(async send => {
            const sendBracket = (text: string) => send({ text, rowMode: 'array' })
            try {
              await sendBracket('begin')
              const result = await work(createClient(send))
              const end = keep(result) ? 'commit' : 'rollback'
              const { command } = await sendBracket(end)
              if (command.toLowerCase() !== end)
                throw new Error('A transaction that failed cannot be committed.')
              return result
            } catch (error) {
              // If the rollback fails, the connection is lost, and PostgreSQL undoes what was not committed.
              await sendBracket('rollback').catch(() => {})
              throw error
            }
          }),
        ),
    }),
    close: () => pool.end(),
  }
}
