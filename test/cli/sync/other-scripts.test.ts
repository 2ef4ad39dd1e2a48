import { expect, test } from 'vitest'
import { useSignedIn } from '../spawn-rostrum.ts'

const { place } = useSignedIn()

test('push names the scripts that it leaves out because of their names, and no other files', async () => {
  for (const name of ['notes.md', 'types.d.ts', 'incident/A.JS', '_/b.mjs']) {
    await place.write(`functions/${name}`, 'exit(1)')
  }
  const named =
    'functions/_/b.mjs is not pushed: the file of a function ends in `.js`.\n' +
    'functions/incident/A.JS is not pushed: the file of a function ends in `.js`.\n'
  const none = await place.runHere(['push', '--yes'])
  expect(none).toMatchObject({ code: 64, stderr: expect.stringContaining(`${named}There is no file in `) })
  await place.write('functions/_/c.js', 'exit(1)')
  const pushed = await place.runHere(['push', '--yes'])
  expect(pushed).toMatchObject({ code: 0, stderr: expect.stringContaining(`${named}pushed _/c `) })
  const stderr = `${named}There is nothing to push.\n`
  expect(await place.runHere(['push', '--yes'])).toEqual({ code: 0, stdout: '', stderr })
  expect(await place.runHere(['push', '--yes', 'c'])).toMatchObject({ stderr: 'There is nothing to push.\n' })
})
