import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ProblemBody } from '../../server/clients/wire-shapes.ts'
import { createHistory, type History, type Outcome } from './history.ts'
import type { Request } from './operation.ts'
import { sendOperation } from './send-operation.ts'

interface Load {
  /** Gateways of one service, each as good as the others. */
  readonly baseUrls: readonly string[]
  readonly token: string
  readonly clients: number
  /** Whether what was not answered is sent again, to the next gateway, under its idempotency key. */
  readonly isKeyed: boolean
}

export interface RunningLoad {
  readonly isKeyed: boolean
  readonly history: History
  /** Answers that were neither what was asked for nor of the contract's refusals with a detail. */
  readonly unclear: readonly unknown[]
  /** Rows with one half moved and the other not. */
  halfMoves(): number
  /** How often a client sent again, under the same key, what was not answered. */
  retries(): number
  /** The longest that a client waited for one answer or refusal. */
  longestMs(): number
  stop(): Promise<void>
}

// All pairs that are ever asked for: so that half of a move is not one of them, and none is asked for twice.
const teamOf = (userId: number) => userId + 1_000_000
const maxShared = 60

/**
 * Clients that add, move, remove and read memberships they share, each one request after the other, until they are
 * stopped.
 */
export function startLoad({ baseUrls, token, clients, isKeyed }: Load): RunningLoad {
  const history = createHistory()
  const shared: { readonly id: number; version: number }[] = []
  const unclear: unknown[] = []
  let lastUserId = 0
  let halfMoves = 0
  let retries = 0
  let longestMs = 0
  let isOver = false

  function freshPair() {
    lastUserId += 1
    return { userId: lastUserId, teamId: teamOf(lastUserId) }
  }

  function onRefusal(problem: ProblemBody): void {
    if (!problem?.code || !problem.detail || problem.code === 'INTERNAL') unclear.push(problem)
  }

  async function ask(client: number, id: number | null, request: Request): Promise<Outcome> {
    const start = performance.now()
    const outcome = await history.record(id, request, () =>
      sendOperation({
        baseUrls: baseUrls.map((_, index) => baseUrls[(index + client) % baseUrls.length] ?? ''),
        token,
        id,
        request,
        key: isKeyed ? randomUUID() : null,
        giveUpMs: 20_000,
        onRefusal,
        onRetry: () => {
          retries += 1
        },
      }),
    )
    longestMs = Math.max(longestMs, performance.now() - start)
    if (outcome.kind === 'answered' && outcome.answer.kind === 'row') {
      const { userId, teamId } = outcome.answer.row.pair
      if (teamId !== teamOf(userId)) halfMoves += 1
    }
    // A gateway that is gone refuses as fast as it can be asked.
    if (outcome.kind !== 'answered') await sleep(100)
    return outcome
  }

  async function addOne(client: number): Promise<void> {
    const outcome = await ask(client, null, { kind: 'add', pair: freshPair() })
    if (outcome.kind === 'answered') shared.push({ id: outcome.id, version: 1 })
  }

  async function useOne(client: number): Promise<void> {
    const index = Math.floor(Math.random() * shared.length)
    const one = shared[index]
    if (one === undefined) return
    const { id, version } = one
    const dice = Math.random()
    if (dice < 0.1 || shared.length > maxShared) {
      shared.splice(index, 1)
      await ask(client, id, { kind: 'remove' })
    } else if (dice < 0.4) {
      const outcome = await ask(client, id, { kind: 'read' })
      if (outcome.kind === 'answered' && outcome.answer.kind === 'row')
        one.version = outcome.answer.row.version
    } else {
      const ifVersion = dice < 0.6 ? version : null
      await ask(client, id, { kind: 'move', change: freshPair(), ifVersion })
    }
  }

  async function run(client: number): Promise<void> {
    while (!isOver) {
      if (shared.length < 8 || Math.random() < 0.15) await addOne(client)
      else await useOne(client)
    }
  }

  const running = Promise.all(Array.from({ length: clients }, (_, client) => run(client)))
  return {
    isKeyed,
    history,
    unclear,
    halfMoves: () => halfMoves,
    retries: () => retries,
    longestMs: () => longestMs,
    async stop() {
      isOver = true
      await running
    },
  }
}
