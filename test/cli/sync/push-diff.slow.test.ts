import { expect, test } from 'vitest'
import { useSignedIn } from '../spawn-rostrum.ts'

const { place } = useSignedIn()

const lines = 3_000
const write = (name: string, end: string) => place.write(`functions/_/${name}.js`, `1${end}`.repeat(lines))

test('a diff of very many lines shows every line as replaced, soon', async () => {
  await write('a', '\n')
  await place.run(['push', '--yes'])
  await place.write('functions/_/a.js', `${'1\r\n'.repeat(lines)}2`)
  const { code, stdout } = await place.run(['push', '--dry-run'])
  expect(code).toBe(0)
  const shown = stdout.split('\n')
  expect(shown.slice(0, 4)).toEqual([
    '--- a/functions/_/a.js',
    '+++ b/functions/_/a.js',
    `@@ -1,${lines} +1,${lines + 1} @@`,
    '-1',
  ])
  expect(shown.slice(lines + 2, lines + 4)).toEqual(['-1', '+1\r'])
  expect(shown.slice(-3)).toEqual(['+2', '\\ No newline at end of file', ''])
})

test('Ctrl-C ends a push while it shows the differences, and nothing is saved', async () => {
  const names = Array.from({ length: 6 }, (_, index) => `f${index}`)
  for (const name of names) await write(name, '\n')
  await place.run(['push', '--yes'])
  for (const name of names) await write(name, '\r\n')
  const going = place.start(['push', '--yes'])
  await expect.poll(going.stdout, { timeout: 20_000 }).toContain('\n+1')
  going.interrupt()
  const { code, stderr } = await going.ended
  expect({ code, stderr }).toEqual({ code: 130, stderr: '' })
})
