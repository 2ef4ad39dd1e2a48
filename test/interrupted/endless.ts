import { test } from 'vitest'
import { shareServer } from '../server/gateways/share-server.ts'
import { startServer } from '../server/gateways/start-server.ts'
import { createDatabase } from '../store/databases/create-database.ts'

// `no-process.slow.test.ts` interrupts it once the gateways and PostgreSQL run.
test('a test does not end', async () => {
  const [url] = await Promise.all([createDatabase(), shareServer()])
  await startServer({ DATABASE_URL: url })
  console.log(`started by ${process.pid}.`)
  await new Promise(resolve => setInterval(resolve, 2 ** 30))
})
