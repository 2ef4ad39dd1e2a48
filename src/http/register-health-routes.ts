import type { FastifyInstance } from 'fastify'
import type { Gateway } from './gateway.ts'

/** `/health` while the process lives, `/ready` while it can serve (contract, section 5); neither needs a credential. */
export function registerHealthRoutes(server: FastifyInstance, { findUnready }: Gateway): void {
  server.get('/health', async () => ({ status: 'ok' }))
  server.get('/ready', async (_request, reply) => {
    const waitingFor = await findUnready()
    if (waitingFor.length === 0) return { status: 'ready' }
    return reply.code(503).send({ status: 'not ready', waiting_for: waitingFor })
  })
}
