import Fastify from 'fastify'
import pg from 'pg'
import { type Job, PgBoss } from 'pg-boss'
import postgres from 'postgres'
import { announce } from '../announce.ts'
import { maySaveCases } from '../authenticate.ts'
import { startSandboxes } from '../isolate/start-sandboxes.ts'
import { listen } from '../listen.ts'
import { toId } from '../membership/graphql-schema.ts'
import { caseAnswer } from '../membership/membership-answers.ts'
import { createPostgresAuthenticate } from './authenticate-postgres.ts'
import { createQueuedSaves, type SavedCaseJob } from './postgres-case-saves.ts'

// Saves cases and sends a job in the same transaction. Its workers are set up for throughput: NOTIFY wakes them, and a
// full batch is followed by the next one at once. They run the script in sandboxes like those of the gateway.

const connectionString = process.env.BENCH_DATABASE ?? ''
const queueName = 'case-saved'

const runScript = await startSandboxes()
const boss = new PgBoss({ connectionString, useListenNotify: true })
boss.on('error', error => {
  throw error
})
await boss.start()
await boss.createQueue(queueName, { notify: true })
await boss.work(
  queueName,
  { batchSize: 16, burstWhenBatchFull: true, localConcurrency: 2, perJobResults: true },
  (jobs: Job<SavedCaseJob>[]) => Promise.all(jobs.map(runJob)),
)

async function runJob({ id, data }: Job<SavedCaseJob>) {
  return { id, status: 'completed', output: await runScript(data) } as const
}

const authenticate = createPostgresAuthenticate(postgres(connectionString, { max: 1, fetch_types: false }))
const saveCase = createQueuedSaves(new pg.Pool({ connectionString, max: 10 }), {
  send: (data, count, db) =>
    count === 1
      ? boss.send(queueName, data, { db })
      : boss.insert(queueName, Array(count).fill({ data }), { db }),
})

const app = Fastify({ logger: false })
app.put<{ Params: { id: string }; Body: { case: { data: object } } }>(
  '/platform/cases/:id',
  { schema: { response: { 200: caseAnswer } } },
  async (request, reply) => {
    const caller = await authenticate(request.headers.authorization)
    if (caller === null || !maySaveCases(caller)) return reply.code(caller === null ? 401 : 403).send()
    const row = await saveCase(caller, toId(request.params.id), request.body.case.data)
    if (row === null) return reply.code(404).send()
    return reply.header('etag', `"${row.version}"`).send({ case: row })
  },
)

announce(await listen(app))
