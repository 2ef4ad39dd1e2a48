import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/**
 * A TCP port of loopback that was free a moment ago. It lies below those that systems give to connections, so that no
 * connection of another test takes it before the server does.
 */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_240, 32_768)
    if (await isFree(port)) return port
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
