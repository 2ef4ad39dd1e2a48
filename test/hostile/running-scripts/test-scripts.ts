// Attacks of our own, each a file of `test/hostile/scripts/` that is run by the real server. The first line of a script
// names the attack, then come header lines, and the script logs 'before' before it attacks:
//
//   // ends: TIMEOUT MEMORY    how the run may end: `exit`, `fail`, an error's code or an HTTP status
//   // result: {"a":1}         what it exits with
//   // message: "no"           what it fails with
//   // error: ^TypeError       what the error's message matches
//   // place: 3:7              line and column of the error
//   // logs: [["a"],["b"]]     all that it logs; without this line the first entry is ["before"]
//   // calls: 0                documents that it has the gateway execute
//   // payload: {"a":1}        its payload; {} without this line
//   // options: {"x":1}        options beside `params`. The params are `hanging`, a url that may be asked and never
//                              answers; `port` of the gateway; `membershipOfB` and `userOfB`, ids of another account
//   // source: '('.repeat(9)   an expression that makes the source instead of the file
//   // next: exit(typeof leak) what another account runs next
//   // nextResult: "undefined" what that run exits with
//
// `HOSTILE_SETTINGS='ROSTRUM_ISOLATION=account ROSTRUM_JIT=1'` runs them under other settings. The nightly run does so,
// and sends each script to both ways in.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { startUpstream, type Upstream } from '../../server/gateways/start-upstream.ts'
import { findDescendants, findSurvivors } from '../../server/processes/child-processes.ts'
import { type Door, doorsOf, type ScriptAnswer, type ScriptInput } from './script-doors.ts'
import { readScriptFiles, type ScriptFile } from './script-files.ts'
import { type ScriptStage, startScriptStage } from './script-stage.ts'

const timeoutMs = 3_000
// Within these a machine that has other tests to run must have answered.
const maxMs = timeoutMs + 4_000
const deadly = ['TIMEOUT', 'MEMORY', 'CRASHED']

let hanging: Upstream
let stage: ScriptStage

async function start(): Promise<void> {
  hanging = await startUpstream(() => undefined)
  stage = await startScriptStage({
    ROSTRUM_TASK_TIMEOUT_MS: String(timeoutMs),
    ROSTRUM_TASK_CPU_MS: '150',
    ROSTRUM_TASK_MEMORY_MB: '32',
    ROSTRUM_QUEUE_WAIT_MS: '10000',
    ROSTRUM_SANDBOXES: '1',
    ROSTRUM_GRAPHQL_HOSTS: hanging.host,
    ...readSettings(process.env.HOSTILE_SETTINGS ?? ''),
  })
}

async function stop(): Promise<void> {
  await stage.stop()
  await hanging.close()
}

function readSettings(text: string): Record<string, string> {
  return Object.fromEntries([...text.matchAll(/(\w+)=(\S+)/g)].map(([, name, value]) => [name, value]))
}

function run(script: ScriptFile, door: Door): Promise<ScriptAnswer> {
  const { ID_OF_ACCOUNT_B, ID_OF_ACCOUNT_B_USER, GATEWAY_PORT } = stage.placeholders
  const foreign = { membershipOfB: Number(ID_OF_ACCOUNT_B), userOfB: Number(ID_OF_ACCOUNT_B_USER) }
  const params = { hanging: hanging.url, port: GATEWAY_PORT, ...foreign }
  const options = { ...script.options, params }
  const input = { name: script.file, sourceCode: script.source, inputDocument: script.payload }
  return stage.run(door, 'A', { ...input, options: JSON.stringify(options) })
}

/** Defines the tests of one part of the scripts. Each part is a test file, so that the parts run beside each other. */
export function testScripts(part: number, parts: number): void {
  beforeAll(start)
  afterAll(stop)
  test.each(casesOf(part, parts))('$file: $attack ($door)', runAndJudge)
  test('nothing of the scripts is left in the gateway', async () => {
    expect((await stage.server.observe()).newPrototypeKeys).toEqual([])
    expect(stage.server.stderr()).toBe('')
  })
}

function casesOf(part: number, parts: number) {
  const cases = readScriptFiles().flatMap((script, index) =>
    doorsOf(index).map(door => ({ ...script, door })),
  )
  const size = Math.ceil(cases.length / parts)
  return cases.slice(part * size, (part + 1) * size)
}

async function runAndJudge({ door, ...script }: ScriptFile & { readonly door: Door }): Promise<void> {
  const sandboxes = findDescendants(stage.server.pid)
  const { result: answer, happenings } = await stage.watch(() => run(script, door))
  const word = answer.outcome.replace(/^(error|http)\//, '')
  expect(script.ends, answer.text.slice(0, 500)).toContain(word)
  expect(answer.tookMs).toBeLessThan(maxMs)
  expect(answer.text).not.toMatch(/rostrum:realm|isolated-vm|node_modules|\.ts\b|file:/)
  if (answer.execution !== null) expectAsWritten(script, answer)
  if (script.calls !== undefined)
    expect(happenings.after.executions - happenings.before.executions - 1).toBe(script.calls)
  if (deadly.includes(word)) expect(await findSurvivors(sandboxes, 1_000)).toEqual([])

  const sourceCode = script.next ?? 'exit("next")'
  const input: ScriptInput = { name: 'next', sourceCode, inputDocument: '{}', options: '{}' }
  const next = await stage.run(door, 'B', input)
  expect(next.execution?.error).toBeNull()
  expect(next.execution?.payload).toEqual(script.next === undefined ? 'next' : script.nextResult)
  expect(next.tookMs).toBeLessThan(maxMs)
}

function expectAsWritten(script: ScriptFile, { execution }: ScriptAnswer): void {
  const { outcome, payload, message, error, logs = [] } = execution ?? {}
  const data = logs.map(entry => entry.data)
  if ('logs' in script) expect(data).toEqual(script.logs)
  else expect(data[0]).toEqual(['before'])
  if ('result' in script && outcome === 'exit') expect(payload).toStrictEqual(script.result)
  if ('message' in script && outcome === 'fail') expect(message).toBe(script.message)
  if (outcome !== 'error') return
  expect({ payload, message }).toEqual({ payload: null, message: null })
  if (script.error !== undefined) expect(error?.message).toMatch(script.error)
  if (script.place !== undefined) expect([error?.line, error?.column]).toEqual(script.place)
}
