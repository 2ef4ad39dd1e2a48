import { Histogram } from './histogram.ts'

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
// The status of a request whose client went away before it got an answer, as proxies log it.
const goneStatus = 499

interface CountedRequests {
  readonly method: string
  readonly route: string
  readonly statuses: Map<number, number>
  readonly durations: Histogram
}

/** A run that has ended, with the words of the REST side. */
export interface CountedRun {
  readonly trigger: string
  readonly outcome: string
  readonly code: string
  readonly durationMs: number
}

export type StoreOperation = 'read' | 'write'

/**
 * What a gateway has done since its start (contract, section 11). No label holds an account, user, function, case type,
 * id or address. The routes and words are few, so the counts take a bounded memory.
 */
export class Counts {
  readonly requests = new Map<string, CountedRequests>()
  readonly runs = new Map<string, { readonly run: Omit<CountedRun, 'durationMs'>; count: number }>()
  readonly runDurations = new Map<string, Histogram>()
  readonly restarts = new Map<string, number>()
  readonly store: Readonly<Record<StoreOperation, Histogram>> = {
    read: new Histogram(),
    write: new Histogram(),
  }
  streams = 0
  readonly #routes: ReadonlySet<string>

  /** `routes` are the routes with a label of their own, as Fastify writes them. */
  constructor(routes: readonly string[]) {
    this.#routes = new Set(routes)
  }

  /** Counts a request. `route` is null without one; `status` is null if the client was gone before its answer. */
  countRequest(method: string, route: string | null, status: number | null, milliseconds: number): void {
    const key = `${method} ${route}`
    const { statuses, durations } = this.requests.get(key) ?? this.#begin(method, route)
    const known = status ?? goneStatus
    statuses.set(known, (statuses.get(known) ?? 0) + 1)
    durations.add(milliseconds)
  }

  countRun({ durationMs, ...run }: CountedRun): void {
    const key = `${run.trigger} ${run.outcome} ${run.code}`
    const counted = this.runs.getOrInsertComputed(key, () => ({ run, count: 0 }))
    counted.count++
    this.runDurations.getOrInsertComputed(run.trigger, () => new Histogram()).add(durationMs)
  }

  countRestart(cause: string): void {
    this.restarts.set(cause, (this.restarts.get(cause) ?? 0) + 1)
  }

  // Only methods and routes with a label of their own are kept by their names.
  #begin(method: string, route: string | null): CountedRequests {
    const labels = {
      method: methods.has(method) ? method : '_OTHER',
      route: route !== null && this.#routes.has(route) ? route.replace(/:(\w+)/g, '{$1}') : 'unmatched',
    }
    const same = [...this.requests.values()].find(
      each => each.method === labels.method && each.route === labels.route,
    )
    const counted = same ?? { ...labels, statuses: new Map(), durations: new Histogram() }
    const isBounded = labels.method !== '_OTHER'
    this.requests.set(isBounded ? `${method} ${route}` : `_OTHER ${labels.route}`, counted)
    return counted
  }
}
