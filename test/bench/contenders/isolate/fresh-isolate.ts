import { randomUUID } from 'node:crypto'
import Fastify from 'fastify'
import { announce } from '../announce.ts'
import { createAuthenticate, mayExecute } from '../authenticate.ts'
import { listen } from '../listen.ts'
import { openDatabase } from '../membership/open-database.ts'
import { runFresh } from './run-fresh.ts'

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
