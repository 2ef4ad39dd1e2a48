import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A host that scripts may call. It passes their requests on to other servers of this machine. */
export interface Forwarder {
  readonly url: string
  /** As it goes into the allow-list. */
  readonly host: string
  close(): void
}

/** Starts a forwarder. The path of a request begins with the port of the server that gets it, as in `/8080/graphql`. */
export async function startForwarder(): Promise<Forwarder> {
  const server = createServer((incoming, response) => {
    const { method, headers, url = '' } = incoming
    const [, port, path] = /^\/(\d+)(\/.*)$/.exec(url) ?? []
    const forwarded = request({ host: '127.0.0.1', port, path, method, headers, agent: false }, answer => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
      answer.on('close', () => answer.complete || response.destroy())
    })
    // A connection that closes on one side is closed on the other one.
    forwarded.on('error', () => response.destroy())
    response.on('close', () => forwarded.destroy())
    incoming.pipe(forwarded)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: `http://${host}`,
    host,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}
