import pg from 'pg'
import type { ShareOwner } from '../../../fairness/share-owner.ts'
import { maxSilentMs } from '../silence.ts'
import { createAccountSlots } from './account-slots.ts'
import { type Client, createClient, type Send } from './client.ts'
import { connectionTo } from './connect.ts'
import { connectionBroke, explainNoConnection } from './explain-failure.ts'
import { createLongAnswers } from './long-answers.ts'
import { endsConnection } from './sql-state.ts'

const maxConnections = 10
// Maximum number of connections that an account uses at once, so that its slow statements leave connections to others.
const maxConnectionsOfAccount = 5

// Time that a statement of a transaction waits for a lock. Then PostgreSQL undoes the transaction, and it runs again.
// If a gateway hangs in a transaction, this ends its other transactions before they can get the same lock and keep it.
// Two of these times are shorter than a transaction may be idle, because a waiter may wait twice: a second time when
// PostgreSQL has undone the one before it in the queue.
const maxLockWaitMs = 600
const begin = `begin; set local lock_timeout = ${maxLockWaitMs}`

/**
 * Connections to the database. They are opened on demand, and accounts get them in turn. A statement throws
 * `UNAVAILABLE` if it gets no connection or loses it, and the driver's `DatabaseError` if PostgreSQL refuses it.
 */
export interface Pool {
  /** Returns the client whose statements wait for the turn of this account or share. */
  of(owner: ShareOwner): PoolClient
  close(): Promise<void>
}

/** The statements of a transaction. */
export interface Transaction extends Client {
  /**
   * Sends a statement and resolves at once, without rows. The next statement follows in the same round trip. If one of
   * these fails, the transaction fails with its error.
   */
  readonly unread: Client
}

export interface PoolClient extends Client {
  /**
   * Runs `work` in a transaction, on a connection of its own. Commits if `work` resolves and `keep` allows the result.
   */
  begin<T>(work: (transaction: Transaction) => Promise<T>, keep?: (result: T) => boolean): Promise<T>
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
    // Sends a statement while earlier ones of its transaction have no answer yet.
    pipeline: true,
  })
  // Ignored here: a statement that waits for an answer fails by itself, and the pool drops an unused connection.
  pool.on('error', () => {})
  pool.on('connect', connection => connection.on('error', () => {}))

  const withAccountSlot = createAccountSlots({
    total: maxConnections,
    each: maxConnectionsOfAccount,
    tooLate: 'The database gave no connection',
  })

  const sendInTurn = createLongAnswers(withAccountSlot)

  /** Runs `work` with a connection of its own. A connection that is lost, or that `lose` gives up, is closed. */
  async function withClient<T>(work: (send: Send, lose: () => void) => Promise<T>): Promise<T> {
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
      return await work(send, () => {
        isLost = true
      })
    } finally {
      isOver = true
      connection.release(isLost)
    }
  }

  return {
    of: owner => ({
      ...createClient(statement =>
        sendInTurn(owner, statement.text, () => withClient(send => send(statement))),
      ),
      begin: (work, keep = () => true) =>
        withAccountSlot(owner, () =>
          withClient(async (send, lose) => {
            const sendBracket = (text: string) => send({ text, rowMode: 'array' })
            const client = createClient(send)
            const unread = collectUnread(client)
            const beginning = sendBracket(begin)
            unread.add(beginning)
            try {
              const result = await work({ ...client, unread })
              const end = keep(result) ? 'commit' : 'rollback'
              const ending = sendBracket(end)
              unread.add(ending)
              await unread.succeed()
              if ((await ending).command.toLowerCase() !== end)
                throw new Error('A transaction that failed cannot be committed.')
              return result
            } catch (error) {
              // An unread statement that failed makes all later ones fail, so its error is the cause.
              const cause = await unread.succeed().then(
                () => error,
                first => first,
              )
              // Statements that followed a failed `begin` at once were transactions of their own.
              await beginning.catch((failed: unknown) => {
                lose()
                throw connectionBroke(failed)
              })
              // If the rollback fails, the connection is lost, and PostgreSQL undoes what was not committed.
              await sendBracket('rollback').catch(() => {})
              throw cause
            }
          }),
        ),
    }),
    close: () => pool.end(),
  }
}

// Sends statements whose answers nobody waits for until the end.
function collectUnread(client: Client) {
  const answers: Promise<unknown>[] = []
  function add(answer: Promise<unknown>): void {
    // Its failure is reported by `succeed`.
    answer.catch(() => {})
    answers.push(answer)
  }
  return {
    add,
    async query(...statement: Parameters<Client['query']>) {
      add(client.query(...statement))
      return []
    },
    /** Waits for all answers. Throws the error of the first statement that failed. */
    async succeed(): Promise<void> {
      for (const answer of answers) await answer
    },
  }
}
