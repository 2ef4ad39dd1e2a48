import { expect, test } from 'vitest'
import { useSignedIn } from '../spawn-rostrum.ts'

const { place } = useSignedIn()

test.each(['x.js', '_/x.js', 'x.js.js', 'functions/_/x.js.js'])(
  'push %s finds the function `x.js`',
  async name => {
    await place.write('functions/_/x.js.js', 'exit(1)')
    const pushed = await place.runHere(['push', '--yes', name])
    expect(pushed).toMatchObject({ code: 0, stderr: expect.stringMatching(/^pushed _\/x\.js /) })
  },
)

test('a name that ends in `.js` is the file of that path, if there is one', async () => {
  await place.write('functions/_/x.js', 'exit(1)')
  await place.write('functions/_/x.js.js', 'exit(2)')
  const pushed = await place.runHere(['push', '--yes', 'functions/_/x.js'])
  expect(pushed).toMatchObject({ code: 0, stderr: expect.stringMatching(/^pushed _\/x [0-9a-f]+\n$/) })
})
