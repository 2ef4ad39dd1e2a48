import pg from 'pg'
import { expect, onTestFinished, test, vi } from 'vitest'
import { connectionTo } from '../../../src/store/postgres/connection/connect.ts'
import { keepListening } from '../../../src/store/postgres/connection/keep-listening.ts'
import { startProxy } from '../../faults/replicas/start-proxy.ts'
import { openClient } from '../databases/ask-postgres.ts'
import { createEmptyDatabase } from '../databases/create-database.ts'

test('a gateway that hangs while it reads a large answer loses its locks', async () => {
  const url = await createEmptyDatabase()
  const other = await openClient(url)
  const hung = new pg.Client(connectionTo(url))
  hung.on('error', () => {})
  onTestFinished(async () => {
    hung.connection.stream.destroy()
    await other.end()
  })
  await hung.connect()
  await hung.query('create table held (id integer); insert into held values (1)')
  await hung.query('begin; update held set id = 2')
  // Many times what the buffers of a connection take.
  const reading = hung.query("select repeat('x', 50_000_000)").then(
    () => 'read',
    () => 'failed',
  )
  hung.connection.stream.pause()
  await other.query("set lock_timeout = '20s'")
  expect((await other.query('select id from held for update')).rows).toEqual([{ id: 1 }])
  hung.connection.stream.resume()
  expect(await reading).toBe('failed')
})

test('a connection that listens is replaced if a proxy keeps it open and stays silent', async () => {
  const url = new URL(await createEmptyDatabase())
  const proxy = await startProxy(Number(url.port))
  url.port = String(proxy.port)
  const onListening = vi.fn(() => proxy.setWeather({ kind: 'silent', from: 'select 1' }))
  const stop = keepListening({ url: url.href, channels: ['a'], onListening, onNotification: () => undefined })
  onTestFinished(async () => {
    stop()
    await proxy.stop()
  })
  await expect.poll(() => onListening.mock.calls.length, { timeout: 20_000 }).toBe(1)
  // The first check is lost, and everything after it on this connection.
  await expect.poll(() => onListening.mock.calls.length, { timeout: 60_000 }).toBe(2)
})
