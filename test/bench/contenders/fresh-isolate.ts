import { randomUUID } from 'node:crypto'
import Fastify from 'fastify'
import ivm from 'isolated-vm'
import { announce } from './announce.ts'
import { createAuthenticate, mayExecute } from './authenticate.ts'
import { prelude, wrap } from './isolate-prelude.ts'
import { listen } from './listen.ts'
import { openDatabase } from './open-database.ts'

// What Directus and Budibase do: an isolate in the server's own process, made for the request and disposed after it.

const authenticate = createAuthenticate(openDatabase())

interface Task {
  readonly name: string
  readonly sourceCode: string
  readonly inputDocument: unknown
}

const app = Fastify({ logger: false })
app.post<{ Body: Task }>('/api/1/endpoint/execute', async (request, reply) => {
  const caller = authenticate(request.headers.authorization)
  if (caller === null || !mayExecute(caller)) return reply.code(caller === null ? 401 : 403).send()
  const { name, sourceCode, inputDocument } = request.body
  const started = performance.now()
  const { payload, logs } = await runFresh(sourceCode, inputDocument)
  const at = new Date().toISOString()
  return {
    task_execution: {
      id: randomUUID(),
      name,
      outcome: 'exit',
      payload,
      message: null,
      error: null,
      logs,
      request_context: { txnID: randomUUID(), txnSource: `endpoint|-/${name}|${at}` },
      duration_ms: Math.round((performance.now() - started) * 10) / 10,
    },
  }
})
announce(await listen(app))

async function runFresh(sourceCode: string, input: unknown) {
  const logs: { at: string; level: string; data: unknown }[] = []
  let result: string | null = null
  const isolate = new ivm.Isolate({ memoryLimit: 64 })
  try {
    const context = await isolate.createContext()
    const end = new ivm.Callback((text: string) => {
      result ??= text
    })
    const write = new ivm.Callback((text: string) => {
      logs.push({ at: new Date().toISOString(), level: 'info', data: JSON.parse(text) })
    })
    await context.evalClosure(prelude, [end, write, JSON.stringify(input)])
    await context.eval(wrap(sourceCode), { promise: true, timeout: 1_000 })
    return { payload: JSON.parse(result ?? 'null') as unknown, logs }
  } finally {
    isolate.dispose()
  }
}
