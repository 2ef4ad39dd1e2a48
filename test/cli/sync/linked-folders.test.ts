import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { useSignedIn } from '../spawn-rostrum.ts'

const { place } = useSignedIn()

const link = (target: string, name: string) => symlinkSync(target, join(place.path, name))

test('links to their own folder keep neither push nor pull, and a linked case type counts', async () => {
  await place.write('functions/a/x.js', 'exit(1)')
  for (const name of ['functions/a/s1', 'functions/a/s2']) link('.', name)
  link('a', 'functions/b')
  link('loop.js', 'functions/a/loop.js')
  expect(await place.runHere(['push', '--yes'])).toMatchObject({ code: 0 })
  expect(Object.keys(JSON.parse(await place.read('rostrum.lock')).functions)).toEqual(['a/x', 'b/x'])
  expect(await place.runHere(['pull'])).toMatchObject({ code: 0, stdout: '' })
})
