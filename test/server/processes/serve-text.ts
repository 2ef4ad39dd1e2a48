import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Starts a server for the test files. It answers with a text, or with 500 and the error. */
export async function serveText(answer: (request: IncomingMessage) => Promise<string>) {
  // A file may compute for seconds between two requests. It would not notice meanwhile that its connection was closed,
  // and send the next request there. So the server closes none.
  const server = createServer({ keepAliveTimeout: 0 }, async (request, response) => {
    try {
      response.end(await answer(request))
    } catch (error) {
      response.writeHead(500).end(String(error))
    }
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  return { url, close: () => void server.close() }
}
