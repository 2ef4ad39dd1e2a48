import { join } from 'node:path'
import SqliteDatabase from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { readMigrations } from '../../../src/store/migrations.ts'
import { openStore } from '../../../src/store/open-store.ts'
import { spawnCommand } from '../../server/processes/spawn-command.ts'
import { makeTempFolder } from '../../server/processes/temp-folder.ts'
import { until } from '../../server/processes/until.ts'

const index = 'runs_by_replayed'

test('the log says that a SQLite store is migrated before that holds up all else', async () => {
  const folder = makeTempFolder()
  onTestFinished(() => folder.remove())
  const path = join(folder.path, 'old.db')
  await (await openStore({ url: `sqlite:${path}` })).close()
  const made = readMigrations('sqlite').find(({ sql }) => sql.join().includes(index))
  const other = new SqliteDatabase(path)
  onTestFinished(() => void other.close())
  other.exec(`drop index ${index}; delete from rostrum_migrations where hash = '${made?.hash}'`)
  // The migration waits for this lock.
  other.exec('begin immediate')
  const gateway = spawnCommand([], { DATABASE_URL: `sqlite:${path}`, PORT: '0', LOG_FORMAT: 'json' })
  onTestFinished(() => void gateway.process.kill('SIGKILL'))
  await until(() => gateway.stdout().includes('migrates the database') || gateway.process.exitCode !== null)
  other.exec('rollback')
  await until(() => gateway.stdout().includes('"msg":"serving"') || gateway.process.exitCode !== null)
  expect(gateway.stderr()).toContain('Rostrum serves on ')
  gateway.process.kill('SIGTERM')
  expect(await gateway.ended).toBe(0)
})
