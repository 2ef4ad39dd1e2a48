import type { RunMessage, SandboxSetup } from '../scripts/protocol.ts'
import { die, hold, receive, send } from './channel.ts'
import { IsolateKeeper } from './isolate-keeper.ts'
import { ScriptRun } from './script-run.ts'

// The sandbox process runs one script at a time, on its only thread: another thread would have to be woken for each
// message of the script. So it reads nothing while a script computes, and the gateway watches it. It ends by SIGKILL,
// its own or the gateway's.

// Each script that ends is an error to this process. Without frames, which nobody reads, it costs a fiftieth of a run
// less.
Error.stackTraceLimit = 0

const setup: SandboxSetup = JSON.parse(process.argv[2] ?? '{}')
const keeper = new IsolateKeeper(setup)
const platformMethods = setup.platform.map(method => JSON.stringify(method))
let current: ScriptRun | null = null
const neverNotified = new Int32Array(new SharedArrayBuffer(4))
// Linux makes some 0.1 ms of it, because timers may be late.
const pauseMs = 0.02

function begin(message: RunMessage): void {
  const run = new ScriptRun({
    message,
    limits: setup.limits,
    isolate: keeper.isolateFor(message.accountCode),
    channel: { send, hold },
    platformMethods,
    reusesIsolate: setup.isolation === 'account',
    onLeft(ending) {
      current = null
      if (message.pausesAfterwards) pause()
      keeper.recover(run, ending)
      hold({ type: 'ready' })
    },
  })
  current = run
  hold({ type: 'begun', run: run.id })
  run.execute()
}

// The end of the run has woken the gateway, often on the processor of this process. There it would have to wait until
// the isolate is replaced. After a pause, Linux usually continues this process on a processor that is free.
function pause(): void {
  Atomics.wait(neverNotified, 0, 0, pauseMs)
}

receive(message => {
  try {
    if (message.type === 'run') begin(message)
    else if (message.run === current?.id) current.answer(message)
  } catch {
    die()
  }
}, die)

send({ type: 'ready' })
