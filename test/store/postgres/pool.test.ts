import { rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { createPool, type Pool } from '../../../src/store/postgres/pool.ts'
import { startProxy } from '../../faults/start-proxy.ts'
import { askPostgres } from '../ask-postgres.ts'
import { createDatabase } from '../create-database.ts'

let url: string
let pool: Pool
beforeAll(async () => {
  url = await createDatabase()
})
beforeEach(() => {
  pool = createPool({ url, onStatement: undefined })
  onTestFinished(() => pool.close())
})

const readPid = async () => Number((await pool.query('select pg_backend_pid() as pid'))[0]?.pid)
const terminate = (pid: number) => askPostgres(url, `select pg_terminate_backend(${pid}, 5000)`)

test('a connection whose statement was refused is used again, and one that was ended is not', async () => {
  const pid = await readPid()
  await expect(pool.query('select 1 / $1::int', [0])).rejects.toMatchObject({ code: '22012' })
  expect(await readPid()).toBe(pid)
  await terminate(pid)
  expect(await readPid()).not.toBe(pid)
})

test('statements and transactions on a connection that is ended say that nobody knows what became of them', async () => {
  for (const work of [
    () => pool.query('select pg_terminate_backend(pg_backend_pid())'),
    () => pool.begin(client => client.query('select pg_terminate_backend(pg_backend_pid())')),
    () =>
      pool.begin(async client => {
        const [row] = await client.query('select pg_backend_pid() as pid')
        await terminate(Number(row?.pid))
      }),
  ])
    await expect(work()).rejects.toThrow(/terminating connection|may have been made or not/)
  expect(await pool.query('select 1 as one')).toEqual([{ one: 1 }])
})

test('a transaction that has failed is not taken for one that was committed, whoever caught the failure', async () => {
  await pool.query('create table if not exists notes (text text)')
  const made = pool.begin(async client => {
    await client.query(`insert into notes values ('lost')`)
    await client.query('select 1 / $1::int', [0]).catch(() => {})
  })
  await expect(made).rejects.toThrow(/was to be committed that had failed/)
  expect(await pool.query('select from notes')).toEqual([])
})

test('a statement that comes behind the end of its transaction is refused', async () => {
  let late: Promise<unknown> = Promise.resolve()
  await pool.begin(async client => {
    late = sleep(50).then(() => client.query('select 1'))
    late.catch(() => {})
  })
  await expect(late).rejects.toThrow(/behind the end of its transaction/)
})

test('a transaction whose connection falls silent ends with its first statement that is not answered', async () => {
  const proxy = await startProxy(Number(new URL(url).port))
  const silenced = createPool({ url: url.replace(/:\d+\//, `:${proxy.port}/`), onStatement: undefined })
  onTestFinished(async () => {
    await silenced.close()
    await proxy.stop()
  })
  const made = silenced.begin(async client => {
    proxy.setWeather({ kind: 'silent' })
    await client.query('select 1')
  })
  await expect(made).rejects.toThrow(/may have been made or not/)
  proxy.setWeather({ kind: 'fair' })
  expect(await silenced.query('select 1 as one')).toEqual([{ one: 1 }])
})

test('connections are opened again though the file of their authority is gone by then', async () => {
  const file = join(tmpdir(), `rostrum-authority-${process.pid}.pem`)
  await writeFile(file, '')
  const named = createPool({ url: `${url}?sslmode=disable&sslrootcert=${file}`, onStatement: undefined })
  onTestFinished(() => named.close())
  await rm(file)
  const askAll = () => Promise.all(Array.from({ length: 30 }, () => named.query('select 1 as one')))
  expect(await askAll()).toHaveLength(30)
})

test('twenty times as many calls as there are connections have each its own answer', async () => {
  const numbers = Array.from({ length: 200 }, (_, index) => index)
  const answers = await Promise.all(
    numbers.map(number =>
      number % 2 === 0
        ? pool.query('select $1::bigint as number', [number])
        : pool.begin(client => client.query('select $1::bigint as number', [number])),
    ),
  )
  expect(answers).toEqual(numbers.map(number => [{ number }]))
})
