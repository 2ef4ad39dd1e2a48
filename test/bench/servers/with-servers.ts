import type { ServerProcess } from './server-process.ts'

/** Starts the servers one after the other, uses them, and stops them whatever happens. */
export async function withServers<T>(
  starts: readonly (() => Promise<ServerProcess>)[],
  use: (servers: ServerProcess[]) => Promise<T>,
): Promise<T> {
  const servers: ServerProcess[] = []
  try {
    for (const start of starts) servers.push(await start())
    return await use(servers)
  } finally {
    await Promise.all(servers.map(server => server.stop()))
  }
}
