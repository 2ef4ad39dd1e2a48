import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import { makeTempFolder } from '../../server/processes/temp-folder.ts'

const folder = makeTempFolder()
afterAll(folder.remove)
const library = new URL('../databases/embedded-postgres.ts', import.meta.url).href

// Otherwise a run whose tests failed would succeed.
test('a process that loads PostgreSQL ends with its own exit code', async () => {
  const program = `
    const { loadEmbeddedPostgres } = await import('${library}')
    await loadEmbeddedPostgres(process.argv[1])
    process.exitCode = 3`
  const ended = promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program, folder.path])
  await expect(ended).rejects.toMatchObject({ code: 3, stderr: '' })
})
