// Runs in a sandbox's Node process outside any isolate. It tries each attempt and prints the result as a line of
// [name, verdict, sample]. The test replaces the name below by the attempts and the facts that they need.
import * as fs from 'node:fs'

const { attempts, facts } = ATTACK_OF_THE_TEST
const AsyncFunction = (async () => {}).constructor
const tools = {
  fs,
  facts,
  get: name => import(name),
  isolatedVm: await import('isolated-vm').then(
    found => found.default,
    () => ({}),
  ),
  // Resolves with the first value of an event, rejects with the emitter's error.
  until: (emitter, event) =>
    new Promise((resolve, reject) => {
      emitter.once(event, resolve)
      emitter.once('error', reject)
    }),
}

const timeUp = () => new Promise(resolve => setTimeout(resolve, 1_000, 'nothing'))

async function verdictOf(code) {
  try {
    const names = Object.keys(tools)
    const attempt = new AsyncFunction(...names, code)
    const got = await Promise.race([attempt(...Object.values(tools)), timeUp()])
    const isNothing = got === undefined || got === 'nothing' || got?.length === 0
    return isNothing ? ['nothing', ''] : ['GOT', String(JSON.stringify(got) ?? got).slice(0, 500)]
  } catch (error) {
    return [error.code ?? error.cause?.code ?? error.cause?.errors?.[0]?.code ?? error.name, error.message]
  }
}

process.on('uncaughtException', () => {})
const lines = await Promise.all(
  attempts.map(async ([name, code]) => JSON.stringify([name, ...(await verdictOf(code))])),
)
fs.writeSync(1, `${lines.join('\n')}\n`)
process.kill(process.pid, 'SIGKILL')
