import { expect, test } from 'vitest'
import { useSignedIn } from '../spawn-rostrum.ts'

const { server, place } = useSignedIn()

test('push says how to create a function again that was removed while its file changed', async () => {
  await place.write('functions/_/f.js', 'exit(1)')
  await place.runHere(['push', '--yes'])
  await server.rest('DELETE', '/platform/functions/f')
  await place.write('functions/_/f.js', 'exit(2)')
  expect(await place.runHere(['push', '--yes'])).toEqual({
    code: 3,
    stdout: '',
    stderr:
      '_/f was removed since the last `rostrum pull`. Nothing was pushed. Run `rostrum pull`, which keeps files ' +
      'that changed, and push again, which creates what was removed.\n',
  })
  expect((await place.runHere(['pull'])).code).toBe(0)
  expect(await place.read('functions/_/f.js')).toBe('exit(2)')
  expect((await place.runHere(['push', '--yes'])).code).toBe(0)
})
