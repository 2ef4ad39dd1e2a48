import type { Connection } from './connection.ts'

const mebibyte = 2 ** 20
const lookEveryMs = 250

/** How many connections there may be, and what they may have sent of requests that are not whole yet. */
export interface PlaceLimits {
  readonly connections: number
  /** Of those without a good credential. */
  readonly withoutCredential: number
  readonly headBytes: number
}

// Node keeps 15 KiB for a connection, and a head may have 128 KiB: all of it together less than 400 MB.
const defaultLimits: PlaceLimits = { connections: 8_192, withoutCredential: 2_048, headBytes: 64 * mebibyte }

/**
 * The places of connections, each by the account of its latest credential, or by none. Where there are too many, the one that has
 * been there longest gives way: of those without a credential, or of the account that has most.
 */
export class ConnectionPlaces {
  readonly #limits: PlaceLimits
  /** By account; null for none. Within one, in the order in which they came. */
  readonly #byAccount = new Map<string | null, Set<Connection>>()
  #count = 0
  #looking: NodeJS.Timeout | null = null

  constructor(limits: PlaceLimits = defaultLimits) {
    this.#limits = limits
  }

  /** Gives a connection its place, or another place than it has. */
  enter(connection: Connection, accountCode: string | null): void {
    this.leave(connection)
    connection.accountCode = accountCode
    const others = this.#byAccount.get(accountCode)
    if (others === undefined) this.#byAccount.set(accountCode, new Set([connection]))
    else others.add(connection)
    this.#count++
    if (this.#of(null).size > this.#limits.withoutCredential) cutOldest(this.#of(null))
    else if (this.#count > this.#limits.connections) cutOldest(this.#largest())
    this.#looking ??= setInterval(() => this.#lookAtHeads(), lookEveryMs).unref()
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

  // The longest are cut first.
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
      connection.socket.destroy()
      if (total <= this.#limits.headBytes) return
    }
  }
}

// One that waits for nothing, where there is one.
function cutOldest(connections: ReadonlySet<Connection>): void {
  const [oldest] = connections
  const idle = connections.values().find(({ answer }) => answer === null)
  const connection = idle ?? oldest
  connection?.socket.destroy()
}
