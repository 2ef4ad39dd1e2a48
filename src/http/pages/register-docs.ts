import { existsSync, readFileSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'

const docsFolder = new URL('../../../docs/', import.meta.url)

// The text loads nothing and runs nothing.
const contentSecurityPolicy = [
  "default-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** The pages of `docs/`, in reading order. */
export const docsPages = [
  'quickstart',
  'scripts',
  'follow-runs',
  'memberships',
  'cases',
  'functions',
  'hooks-and-tasks',
  'webhooks',
  'webhook-senders',
  'durable-work',
  'graphql',
  'rest',
  'idempotency',
  'events',
  'settings',
  'deploy',
  'operate',
  'security',
  'performance',
  'contributing',
] as const

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
  const file = new URL(`${name}.md`, docsFolder)
  if (!existsSync(file)) return null
  return { path: `/docs/${name}.md`, body: readFileSync(file) }
}
