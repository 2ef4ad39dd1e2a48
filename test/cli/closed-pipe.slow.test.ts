import { expect, test } from 'vitest'
import { useSignedIn } from './spawn-rostrum.ts'

const { server, place } = useSignedIn()

function runWithoutReader(args: readonly string[]) {
  const going = place.start(args)
  going.closeStdout()
  return going.ended
}

test('push saves all when the reader of its differences goes away', async () => {
  for (const name of ['a', 'b', 'c']) await place.write(`functions/_/${name}.js`, `exit('${name}')`)
  expect((await runWithoutReader(['push', '--yes'])).code).toBe(0)
  const { body } = await server.graphql('{ functions { nodes { name } } }')
  expect(body.data).toEqual({ functions: { nodes: [{ name: 'a' }, { name: 'b' }, { name: 'c' }] } })
  expect(Object.keys(JSON.parse(await place.read('rostrum.lock')).functions)).toEqual(['_/a', '_/b', '_/c'])
})

test('test exits with 1 for a failed case, and --update writes all, when nobody reads the report', async () => {
  await place.write('a.js', 'exit(1)')
  for (const name of ['a', 'b', 'c']) await place.write(`cases/${name}.json`, '{"script":"../a.js"}')
  expect(await runWithoutReader(['test'])).toMatchObject({ code: 1, stderr: '' })
  expect(await runWithoutReader(['test', '--update'])).toMatchObject({ code: 0, stderr: '' })
  for (const name of ['a', 'b', 'c'])
    expect(JSON.parse(await place.read(`cases/${name}.json`)).expect.payload).toBe(1)
})

test('logs --follow ends with its reader', async () => {
  await server.execute({ name: 'one', sourceCode: 'exit(1)' })
  await expect.poll(async () => (await place.run(['logs'])).stdout).toContain('one')
  expect(await runWithoutReader(['logs', '--follow'])).toMatchObject({ code: 0, stderr: '' })
})
