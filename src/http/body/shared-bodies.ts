import type { FastifyRequest } from 'fastify'
import type { Reservation } from '../../fairness/reservation.ts'

interface SharedBody {
  readonly body: unknown
  readonly holding: Reservation | null
  requests: number
}

/** Bodies of requests with a key. Equal bodies of one account share one copy. */
export class SharedBodies {
  readonly #bodies = new Map<string, SharedBody>()

  /** Replaces the body of the request with that of an equal request, if there is one, until all of them are done. */
  share(fingerprint: Buffer, request: FastifyRequest): void {
    const { state } = request
    const id = `${state.checkedIdentity.caller.accountCode} ${fingerprint.toString('base64')}`
    const shared = this.#bodies.get(id) ?? this.#add(id, request)
    shared.requests++
    request.body = shared.body
    state.heldBody?.release()
    state.atEnd(() => this.#leave(id, shared))
  }

  #add(id: string, { body, state }: FastifyRequest): SharedBody {
    const shared = { body, holding: state.heldBody?.handOver() ?? null, requests: 0 }
    this.#bodies.set(id, shared)
    return shared
  }

  #leave(id: string, shared: SharedBody): void {
    shared.requests--
    if (shared.requests > 0) return
    this.#bodies.delete(id)
    shared.holding?.release()
  }
}
