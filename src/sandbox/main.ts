import type { SandboxSetup } from '../scripts/protocol.ts'
import { receive, send } from './channel.ts'
import { IsolateKeeper } from './isolate-keeper.ts'
import { ScriptRun } from './script-run.ts'

// The sandbox process runs one script at a time. It ends by SIGKILL, its own or the gateway's, and never by
// `process.exit`, which waits for isolates that may be stuck.

const setup: SandboxSetup = JSON.parse(process.argv[2] ?? '{}')
const keeper = new IsolateKeeper(setup)
let current: ScriptRun | null = null

function die(): void {
  process.kill(process.pid, 'SIGKILL')
}

receive(message => {
  if (message.type === 'answer') {
    if (message.run === current?.id) void current.answer(message)
    return
  }
  const { isolate, reusesIsolate } = keeper.isolateFor(message.accountCode)
  const run = new ScriptRun({ message, limits: setup.limits, isolate, send, reusesIsolate })
  current = run
  send({ type: 'begun', run: run.id })
  void run
    .execute()
    .then(ending => keeper.recover(run, ending))
    .then(isRecovered => {
      current = null
      if (isRecovered) send({ type: 'ready' })
      else die()
    }, die)
}, die)

send({ type: 'ready' })
