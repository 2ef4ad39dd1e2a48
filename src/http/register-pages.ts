import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'
import { graphqlPath } from './paths.ts'

const docsFolder = new URL('../../docs/', import.meta.url)

const style =
  ':root{color-scheme:light dark}body{max-width:40rem;margin:3rem auto;padding:0 1rem;font:1rem/1.5 system-ui}'

// Forbids the page to load or run anything.
const contentSecurityPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** The pages of `docs/`, in reading order. */
export const docsPages = [
  'quickstart',
  'scripts',
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
  readonly type: string
  readonly body: Buffer
}

/**
 * Registers `GET /`, a page for people who open the gateway in a browser, and the pages of `docs/` as plain text. They
 * need no credential, because they show no data. All are read from disk once, at the start.
 */
export function registerPages(server: FastifyInstance): void {
  const docs = docsPages.map(readDocsPage).filter(page => page !== null)
  for (const { path, type, body } of [writeFrontPage(docs), ...docs]) {
    server.get(path, async (_request, reply) =>
      reply
        .type(`${type}; charset=utf-8`)
        .headers({
          'content-security-policy': contentSecurityPolicy,
          'x-content-type-options': 'nosniff',
          'referrer-policy': 'no-referrer',
        })
        .send(body),
    )
  }
}

// Returns a page of `docs/`; null if the installation has no such folder.
function readDocsPage(name: string): Page | null {
  const file = new URL(`${name}.md`, docsFolder)
  if (!existsSync(file)) return null
  return { path: `/docs/${name}.md`, type: 'text/plain', body: readFileSync(file) }
}

function writeFrontPage(docs: readonly Page[]): Page {
  const links = docs.map(
    ({ path }) => `<li><a href="${path}">${path.slice('/docs/'.length, -'.md'.length)}</a></li>`,
  )
  const body = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Rostrum</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>Rostrum</h1>
<p>Rostrum keeps your customers' teams and cases and runs their JavaScript safely, over GraphQL, REST and webhooks.</p>
<p><a href="${graphqlPath}">Open GraphiQL</a> to try queries. You need a token: <code>npm start</code> prints one on the
first start.</p>
<h2>Docs</h2>
<ul>
${links.join('\n')}
</ul>
</main>
</body>
</html>
`
  return { path: '/', type: 'text/html', body: Buffer.from(body) }
}
