import type { Connection } from './connection.ts'

const mebibyte = 2 ** 20
const pollEveryMs = 250

/** Maximum number of open connections, and of bytes in their incomplete heads. */
export interface ConnectionLimits {
  readonly connections: number
  /** Maximum number of connections without a valid credential. */
  readonly withoutCredential: number
  readonly headBytes: number
}

/** The limits together take less than 400 MB: Node takes 15 KiB for a connection, and a head may have 128 KiB. */
export const usualLimits: ConnectionLimits = {
  connections: 8_192,
  withoutCredential: 2_048,
  headBytes: 64 * mebibyte,
}

/**
 * Keeps the list of open connections, grouped by the account of their latest credential, or by none. Past a limit it
 * closes one connection: of those without a credential, or of the account with the most connections. It prefers an idle
 * one, then the oldest.
 */
export class ConnectionPlaces {
  readonly #limits: ConnectionLimits
  /** Connections by account, in order of arrival. The key null stands for no account. */
  readonly #byAccount = new Map<string | null, Set<Connection>>()
  #count = 0
  #looking: NodeJS.Timeout | null = null

  constructor(limits: ConnectionLimits = usualLimits) {
    this.#limits = limits
  }

  /** Adds a connection, or moves it to another account. One that is closed is only removed. */
  enter(connection: Connection, accountCode: string | null): void {
    this.leave(connection)
    // A request can get its answer after its client has disconnected.
    if (connection.socket.destroyed) return
    connection.accountCode = accountCode
    const others = this.#byAccount.get(accountCode)
    if (others === undefined) this.#byAccount.set(accountCode, new Set([connection]))
    else others.add(connection)
    this.#count++
    if (this.#of(null).size > this.#limits.withoutCredential) this.#cutOldest(this.#of(null))
    else if (this.#count > this.#limits.connections) this.#cutOldest(this.#largest())
    this.#looking ??= setInterval(() => this.#lookAtHeads(), pollEveryMs).unref()
  }

  leave(connection: Connection): void {
    const others = this.#byAccount.get(connection.accountCode)
    if (!others?.delete(connection)) return
    this.#count--
    if (others.size === 0) this.#byAccount.delete(connection.accountCode)
  }

  #of(accountCode: string | null): ReadonlySet<Connection> {
    return this.#byAccount.get(accountCode) ?? new Set()
  }

  #largest(): ReadonlySet<Connection> {
    return [...this.#byAccount.values()].reduce((largest, next) =>
      next.size > largest.size ? next : largest,
    )
  }

  // Closes the oldest idle connection; if none is idle, the oldest one.
  #cutOldest(connections: ReadonlySet<Connection>): void {
    const [oldest] = connections
    const idle = connections.values().find(({ answer }) => answer === null)
    const cut = idle ?? oldest
    if (cut !== undefined) this.#cut(cut)
  }

  // It leaves at once, because its socket says that it is closed only later, and another connection may have come by
  // then.
  #cut(connection: Connection): void {
    this.leave(connection)
    connection.socket.destroy()
  }

  // If incomplete heads take too many bytes, closes the connections with the largest heads first.
  #lookAtHeads(): void {
    if (this.#count === 0) {
      clearInterval(this.#looking ?? undefined)
      this.#looking = null
    }
    const heads = [...this.#byAccount.values()].flatMap(connections => [...connections])
    let total = heads.reduce((sum, { headBytes }) => sum + headBytes, 0)
    if (total <= this.#limits.headBytes) return
    for (const connection of heads.toSorted((a, b) => b.headBytes - a.headBytes)) {
      total -= connection.headBytes
      this.#cut(connection)
      if (total <= this.#limits.headBytes) return
    }
  }
}
