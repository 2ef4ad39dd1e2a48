import { existsSync, readFileSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'
import { writeContentPolicy } from '../content-policy.ts'
import { docsPages, fileOfDocsPage } from './docs-list.ts'

// The text loads nothing and runs nothing.
const contentSecurityPolicy = writeContentPolicy()

interface Page {
  readonly path: string
  readonly body: Buffer
}

/**
 * Registers the pages of `docs/` as plain text. They need no credential, because they show no data. All are read once,
 * at the start.
 */
export function registerDocs(server: FastifyInstance): void {
  for (const { path, body } of docsPages.map(readDocsPage).filter(page => page !== null)) {
    server.get(path, async (_request, reply) =>
      reply
        .type('text/plain; charset=utf-8')
        .headers({
          'content-security-policy': contentSecurityPolicy,
          'x-content-type-options': 'nosniff',
          'referrer-policy': 'no-referrer',
        })
        .send(body),
    )
  }
}

// Null if the installation has no `docs/` folder.
function readDocsPage(name: string): Page | null {
  const file = fileOfDocsPage(name)
  if (!existsSync(file)) return null
  return { path: `/docs/${name}.md`, body: readFileSync(file) }
}
