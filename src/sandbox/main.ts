import type { RunMessage, SandboxSetup } from '../scripts/protocol.ts'
import { die, hold, receive, send } from './channel.ts'
import { IsolateKeeper } from './isolate-keeper.ts'
import { ScriptRun } from './script-run.ts'

// The sandbox process runs one script at a time. It ends by SIGKILL, its own or the gateway's.

const setup: SandboxSetup = JSON.parse(process.argv[2] ?? '{}')
const keeper = new IsolateKeeper(setup)
let current: ScriptRun | null = null
// A run that came before the isolate was ready for it.
let next: RunMessage | null = null

function begin(message: RunMessage): void {
  const { isolate, reusesIsolate } = keeper.isolateFor(message.accountCode)
  const run = new ScriptRun({
    message,
    limits: setup.limits,
    isolate,
    channel: { send, hold },
    reusesIsolate,
  })
  current = run
  hold({ type: 'begun', run: run.id })
  void run
    .execute()
    .then(ending => keeper.recover(run, ending))
    .then(isRecovered => (isRecovered ? onRecovered() : die()), die)
}

function onRecovered(): void {
  current = null
  hold({ type: 'ready' })
  if (next === null) return
  const message = next
  next = null
  begin(message)
}

receive(message => {
  if (message.type === 'run') {
    if (current === null) begin(message)
    else next = message
  } else if (message.run === current?.id) void current.answer(message)
}, die)

send({ type: 'ready' })
