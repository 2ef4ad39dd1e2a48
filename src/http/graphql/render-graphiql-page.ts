import { parentPort } from 'node:worker_threads'
import { gzipSync } from 'node:zlib'
import { renderGraphiQL } from '@graphql-yoga/render-graphiql'

/** GraphiQL with everything inlined, plain and compressed. */
export interface GraphiqlPage {
  readonly plain: Uint8Array<ArrayBuffer>
  readonly gzipped: Uint8Array<ArrayBuffer>
}

// The main function of a worker thread: it posts one `GraphiqlPage` and ends.
const html = renderGraphiQL({
  title: 'Rostrum',
  headers: JSON.stringify({ Authorization: 'Bearer <token>' }, null, 2),
  shouldPersistHeaders: true,
  defaultQuery: '{\n  viewer {\n    accountCode\n    scopes\n  }\n}\n',
})
const plain = new TextEncoder().encode(html)
const gzipped = new Uint8Array(gzipSync(plain))
const page: GraphiqlPage = { plain, gzipped }
parentPort?.postMessage(page, [plain.buffer, gzipped.buffer])
