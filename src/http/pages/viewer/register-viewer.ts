import { hash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { loadOnce } from '../../../load-once.ts'
import type { BuiltFile } from '../build-site.ts'
import { writeContentPolicy } from '../content-policy.ts'
import { unloaded } from '../render-document.ts'
import type { SendFile } from '../send-file.ts'
import { toFile } from '../type-files.ts'

// The viewer draws its icons from data.
const policy = writeContentPolicy(
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
)

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>API · Rostrum</title>
<link rel="icon" href="/favicon.ico" type="image/svg+xml">
<link rel="stylesheet" href="/docs/api/swagger-ui.css">
<link rel="stylesheet" href="/docs/api/viewer.css">
<script defer src="/docs/api/swagger-ui-bundle.js"></script>
<script defer src="/docs/api/start-viewer.js"></script>
</head>
<body>
<header class="viewer-bar">
<a href="/">Rostrum</a><strong>API</strong>
<nav aria-label="Rostrum" hidden>
<a href="/playground">Playground</a><a href="/functions">Functions</a><a href="/runs">Runs</a>
<a href="/cases">Cases</a><a href="/members">Members</a><button type="button">Sign out</button>
</nav>
<a href="/docs">Docs</a><a href="/openapi.json">openapi.json</a>
</header>
<div id="viewer"><main><h1>API</h1><p role="status">Loading…</p>
${unloaded}</main></div>
<noscript>The viewer needs JavaScript. The document is at /openapi.json.</noscript>
</body>
</html>
`

/**
 * Registers the OpenAPI document and its viewer (contract, section 11). They need no credential, because they show no
 * data. Nothing of them is loaded before it is asked for.
 */
export function registerViewer(server: FastifyInstance, send: SendFile): void {
  const loadDocument = loadOnce(async () => {
    const { printDocument } = await import('../../../openapi/print-document.ts')
    const body = Buffer.from(printDocument())
    return { body, etag: `"${hash('sha256', body, 'base64url')}"` }
  })
  server.get('/openapi.json', async (request, reply) => {
    const { body, etag } = await loadDocument()
    reply.headers({ etag, 'cache-control': 'no-cache', 'x-content-type-options': 'nosniff' })
    const isKnown = String(request.headers['if-none-match'] ?? '')
      .split(',')
      .some(tag => [etag, '*'].includes(tag.trim().replace(/^W\//, '')))
    return isKnown ? reply.code(304).send() : reply.type('application/json; charset=utf-8').send(body)
  })

  const files: Readonly<Record<string, () => Promise<BuiltFile>>> = {
    'swagger-ui-bundle.js': loadOnce(() => readPackageFile('text/javascript', 'swagger-ui-bundle.js')),
    'swagger-ui.css': loadOnce(() => readPackageFile('text/css', 'swagger-ui.css')),
    'start-viewer.js': loadOnce(() => readOwnFile('text/javascript', 'start-viewer.js')),
    'viewer.css': loadOnce(() => readOwnFile('text/css', 'viewer.css')),
  }
  const loadPage = loadOnce(() => toFile('text/html', Buffer.from(page)))
  server.get('/docs/api', async (request, reply) =>
    send(request, reply.header('cache-control', 'no-cache'), { file: await loadPage(), policy }),
  )
  server.get('/docs/api/:file', async (request, reply) => {
    const { file: name = '' } = request.params as { readonly file?: string }
    const file = Object.hasOwn(files, name) ? await files[name]?.() : undefined
    return send(request, reply.header('cache-control', 'no-cache'), { file, policy: null })
  })
}

async function readPackageFile(type: string, name: string): Promise<BuiltFile> {
  const folder = createRequire(import.meta.url)
    .resolve('swagger-ui-dist/package.json')
    .replace(/package\.json$/, '')
  return toFile(type, await readFile(join(folder, name)))
}

async function readOwnFile(type: string, name: string): Promise<BuiltFile> {
  return toFile(type, await readFile(new URL(name, import.meta.url)))
}
