import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { FastifyInstance } from 'fastify'
import { loadOnce } from '../../load-once.ts'
import { isForPerson } from '../request/negotiate-accept.ts'
import type { BuiltFile, BuiltSite } from './build-site.ts'
import { pageList } from './page-list.ts'
import { createSender } from './send-file.ts'
import { readLanguageTypes, readScriptTypes, readTypeScript } from './type-files.ts'
import { registerViewer } from './viewer/register-viewer.ts'

/**
 * Registers the pages, their files at `/assets/<version>/`, and the types of the script API. They need no credential,
 * because they show no data. The first request for a page builds them all in a thread; nothing is read before.
 */
export function registerPages(server: FastifyInstance): void {
  const loadSite = loadOnce(buildSite)
  const largeFiles: Readonly<Record<string, () => Promise<BuiltFile>>> = {
    'typescript.js': loadOnce(readTypeScript),
    'language-types.json': loadOnce(readLanguageTypes),
  }
  const send = createSender()

  registerViewer(server, send)
  for (const { path } of pageList) {
    server.get(path, async (request, reply) => {
      const { documents, policy } = await loadSite()
      return send(request, reply.header('cache-control', 'no-cache'), { file: documents[path], policy })
    })
  }

  for (const path of ['/docs', '/docs/:page']) {
    server.get(path, async (request, reply) => {
      const { documents, missingDocument, policy } = await loadSite()
      const { page } = request.params as { readonly page?: string }
      const name = page === undefined ? path : `/docs/${page}`
      reply.header('cache-control', 'no-cache')
      if (Object.hasOwn(documents, name)) return send(request, reply, { file: documents[name], policy })
      const file = isForPerson(request) ? missingDocument : undefined
      return send(request, reply.code(404), { file, policy })
    })
  }

  server.get('/assets/:version/*', async (request, reply) => {
    const { version, '*': path } = request.params as { readonly version: string; readonly '*': string }
    const { assets, policy, ...site } = await loadSite()
    if (version !== site.version) return send(request, reply, { file: undefined, policy: null })
    const file = Object.hasOwn(assets, path) ? assets[path] : await findLarge(largeFiles, path)
    if (file !== undefined) reply.header('cache-control', 'public, max-age=31536000, immutable')
    // A worker has the policy of its own file, and every other file that of the page that loads it.
    return send(request, reply, { file, policy: path.endsWith('-worker.ts') ? policy : null })
  })

  server.get('/favicon.ico', async (request, reply) => {
    const { assets } = await loadSite()
    const file = assets['pages/favicon.svg']
    return send(request, reply.header('cache-control', 'no-cache'), { file, policy: null })
  })

  const loadScriptTypes = loadOnce(readScriptTypes)
  server.get('/rostrum.d.ts', async (request, reply) => {
    const file = await loadScriptTypes()
    return send(request, reply.header('cache-control', 'no-cache'), { file, policy: null })
  })
}

async function findLarge(
  files: Readonly<Record<string, () => Promise<BuiltFile>>>,
  path: string,
): Promise<BuiltFile | undefined> {
  return Object.hasOwn(files, path) ? files[path]?.() : undefined
}

async function buildSite(): Promise<BuiltSite> {
  const worker = new Worker(new URL('./build-site.ts', import.meta.url))
  const [site] = (await once(worker, 'message')) as [BuiltSite]
  return site
}
