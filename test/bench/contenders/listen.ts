import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** Listens on a free port of loopback and gives the port. */
export async function listen(app: FastifyInstance | Server): Promise<number> {
  if ('server' in app) {
    await app.listen({ host: '127.0.0.1', port: 0 })
    return (app.server.address() as AddressInfo).port
  }
  await new Promise<void>(resolve => app.listen(0, '127.0.0.1', resolve))
  return (app.address() as AddressInfo).port
}
