import { rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { createPool, type Pool, type PoolClient } from '../../../src/store/postgres/connection/pool.ts'
import { startProxy } from '../../faults/replicas/start-proxy.ts'
import { askPostgres, openClient } from '../databases/ask-postgres.ts'
import { createDatabase } from '../databases/create-database.ts'

let url: string
let pool: Pool
let client: PoolClient
beforeAll(async () => {
  url = await createDatabase()
})
beforeEach(() => {
  pool = createPool({ url, onStatement: undefined })
  client = pool.of('a')
  onTestFinished(() => pool.close())
})

const readPid = async () => Number((await client.query('select pg_backend_pid()'))[0]?.[0])
const terminate = (pid: number) => askPostgres(url, `select pg_terminate_backend(${pid}, 5000)`)

test('a connection is used again after a refused statement, and not after its end', async () => {
  const pid = await readPid()
  await expect(client.query('select 1 / $1::int', [0])).rejects.toMatchObject({ code: '22012' })
  expect(await readPid()).toBe(pid)
  await terminate(pid)
  expect(await readPid()).not.toBe(pid)
})

test('statements and transactions on a connection that ends say that their outcome is unknown', async () => {
  for (const work of [
    () => client.query('select pg_terminate_backend(pg_backend_pid())'),
    () => client.begin(transaction => transaction.query('select pg_terminate_backend(pg_backend_pid())')),
    () =>
      client.begin(async transaction => {
        const [row] = await transaction.query('select pg_backend_pid()')
        await terminate(Number(row?.[0]))
      }),
  ])
    await expect(work()).rejects.toThrow(/terminating connection|may have been made or not/)
  expect(await client.query('select 1 as one')).toEqual([[1]])
})

test('a transaction that failed is not reported as committed, even if its work caught the failure', async () => {
  await client.query('create table if not exists notes (text text)')
  const made = client.begin(async transaction => {
    await transaction.query(`insert into notes values ('lost')`)
    await transaction.query('select 1 / $1::int', [0]).catch(() => {})
  })
  await expect(made).rejects.toThrow(/that failed cannot be committed/)
  expect(await client.query('select from notes')).toEqual([])
})

test('a statement that comes after the end of its transaction is refused', async () => {
  let late: Promise<unknown> = Promise.resolve()
  await client.begin(async transaction => {
    late = sleep(50).then(() => transaction.query('select 1'))
    late.catch(() => {})
  })
  await expect(late).rejects.toThrow(/after the end of its transaction/)
})

test('a transaction whose begin fails says that its outcome is unknown, and its connection is closed', async () => {
  await client.query('create table if not exists alone (text text)')
  const proxy = await startProxy(Number(new URL(url).port))
  const misheard = createPool({ url: url.replace(/:\d+\//, `:${proxy.port}/`), onStatement: undefined })
  onTestFinished(async () => {
    await misheard.close()
    await proxy.stop()
  })
  const ofA = misheard.of('a')
  const readMisheardPid = async () => Number((await ofA.query('select pg_backend_pid()'))[0]?.[0])
  const pid = await readMisheardPid()
  proxy.setWeather({ kind: 'misheard', text: 'begin', as: 'bogus' })
  const made = ofA.begin(transaction => transaction.query(`insert into alone values ('kept')`))
  await expect(made).rejects.toThrow(/may have been made or not/)
  proxy.setWeather({ kind: 'fair' })
  // The next statement was a transaction of its own.
  expect(await client.query('select text from alone')).toEqual([['kept']])
  expect(await readMisheardPid()).not.toBe(pid)
})

test('a transaction on a silent connection ends with its first unanswered statement', async () => {
  const proxy = await startProxy(Number(new URL(url).port))
  const silenced = createPool({ url: url.replace(/:\d+\//, `:${proxy.port}/`), onStatement: undefined })
  onTestFinished(async () => {
    await silenced.close()
    await proxy.stop()
  })
  const made = silenced.of('a').begin(async transaction => {
    proxy.setWeather({ kind: 'silent' })
    await transaction.query('select 1')
  })
  await expect(made).rejects.toThrow(/may have been made or not/)
  proxy.setWeather({ kind: 'fair' })
  expect(await silenced.of('a').query('select 1 as one')).toEqual([[1]])
})

test('connections open after the file of their certificate authority is gone', async () => {
  const file = join(tmpdir(), `rostrum-authority-${process.pid}.pem`)
  await writeFile(file, '')
  const named = createPool({ url: `${url}?sslmode=disable&sslrootcert=${file}`, onStatement: undefined })
  onTestFinished(() => named.close())
  await rm(file)
  const askAll = () => Promise.all(Array.from({ length: 30 }, () => named.of('a').query('select 1 as one')))
  expect(await askAll()).toHaveLength(30)
})

test('with twenty times as many calls as connections, each call gets its own answer', async () => {
  const numbers = Array.from({ length: 200 }, (_, index) => index)
  const answers = await Promise.all(
    numbers.map(number =>
      number % 2 === 0
        ? client.query('select $1::bigint as number', [number])
        : client.begin(transaction => transaction.query('select $1::bigint as number', [number])),
    ),
  )
  expect(answers).toEqual(numbers.map(number => [[number]]))
})

test('an account that wants every connection gets half of them, and others get theirs in turn', async () => {
  const sent: string[] = []
  const watched = createPool({ url, onStatement: statement => sent.push(statement.slice(-1)) })
  onTestFinished(() => watched.close())
  const rival = await openClient(url)
  await rival.query('select pg_advisory_lock(1)')
  const waitAs = (owner: string) =>
    watched.of(owner).query(`select pg_advisory_xact_lock_shared(1) as ${owner}`)
  const countWaiting = async () => {
    const query = `select from pg_stat_activity where datname = current_database() and wait_event = 'advisory'`
    return (await askPostgres(url, query)).length
  }
  const ofA = Array.from({ length: 20 }, () => waitAs('a'))
  await expect.poll(countWaiting).toBe(5)
  expect(await watched.of('b').query('select 1 as d')).toEqual([[1]])
  expect(sent.join('')).toBe('aaaaad')
  const ofC = Array.from({ length: 20 }, () => waitAs('c'))
  const ofB = waitAs('b')
  await expect.poll(countWaiting).toBe(10)
  await rival.end()
  await Promise.all([...ofA, ofB, ...ofC])
  // It came last of 41, but each of the other two had its turn only once before it: ten statements were sent already.
  expect(sent.filter(owner => owner !== 'd').indexOf('b')).toBeLessThanOrEqual(12)
})
