import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { startServer } from '../server/gateways/start-server.ts'
import { startCollector } from './start-collector.ts'

test.each([
  ['does not answer', true],
  ['is not there', false],
])('a collector that %s costs no request, and the gateway stops', async (_, isThere) => {
  const collector = await startCollector({ isSilent: true })
  if (!isThere) await collector.close()
  const gateway = await startServer({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_BSP_SCHEDULE_DELAY: '1',
    OTEL_BSP_MAX_QUEUE_SIZE: '8',
    OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '8',
  })
  const answers = await Promise.all(Array.from({ length: 20 }, () => gateway.execute('exit(1)')))
  await sleep(50)
  answers.push(await gateway.execute('exit(1)'))
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
  expect(gateway.stdout()).not.toContain('unhandled')
  expect(await gateway.stop()).toBe(0)
  expect(gateway.stdout()).toContain('the collector took longer than 3000 ms')
  if (isThere) await collector.close()
})
