import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const library = new URL('../databases/embedded-postgres.ts', import.meta.url).href

// Otherwise a run whose tests failed would succeed.
test('a process that loads PostgreSQL ends with its own exit code', async () => {
  const program = `
    const { loadEmbeddedPostgres } = await import('${library}')
    await loadEmbeddedPostgres(process.cwd())
    process.exitCode = 3`
  const ended = promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program])
  await expect(ended).rejects.toMatchObject({ code: 3, stderr: '' })
})
