import { createContext, runInContext } from 'node:vm'
import { expect, test } from 'vitest'
import { realmSource } from '../../src/sandbox/realm/realm-source.ts'
import { platformMethods } from '../../src/scripts/launch/platform-methods.ts'
import { runLimits } from '../scripts/launch/start-sandbox.ts'

type Enter = (kind: 'start', ...texts: string[]) => unknown

// The host disposes of an isolate that posts after its end, so an isolate could not serve a second run.
async function postsOf(sourceCode: string): Promise<unknown[]> {
  const context = createContext({})
  runInContext(realmSource({ limits: runLimits, isolation: 'account', platform: platformMethods }), context)
  const posts: unknown[] = []
  const enter: Enter = runInContext('takeRealm', context)((...parts: unknown[]) => posts.push(parts))
  const setup = {
    file: 'run',
    accountCode: 'a',
    requestContext: '{}',
    reusesIsolate: true,
    compilesOnly: false,
  }
  try {
    enter('start', sourceCode, '{}', '{}', JSON.stringify(setup))
  } catch {
    // The end of a run leaves the script by a throw.
  }
  await new Promise(resolve => setImmediate(resolve))
  return posts
}

test.each([
  ['at once', 'exit(1)'],
  ['later', 'await null; exit(1)'],
  ['after it was caught and thrown again', 'try { exit(1) } catch (ending) { throw ending }'],
])('a realm that leaves a script by a throw posts nothing after its end: %s', async (_, sourceCode) => {
  expect(await postsOf(sourceCode)).toEqual([['exit', '1', '']])
})

test('a script that goes on after its end is noticed by its posts', async () => {
  expect(await postsOf("try { exit(1) } catch { log('late') }")).toEqual([
    ['exit', '1', ''],
    ['log', 'info', '["late"]'],
  ])
})

// One character beyond would make V8 keep two bytes for each, in every isolate.
test('the text of the realm has Latin characters alone', () => {
  const source = realmSource({ limits: runLimits, isolation: 'run', platform: platformMethods })
  expect(/[^\0-\xff]/.exec(source)).toBeNull()
})
