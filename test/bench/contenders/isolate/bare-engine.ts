import ivm from 'isolated-vm'
import { sampleScript } from '../../figures/data.ts'
import { prelude, wrap } from './isolate-prelude.ts'

// The engine alone, with no server around it: runs in a loop on one thread, by the synchronous API, which is its
// fastest.

const source = wrap(sampleScript)
const kept = new ivm.Isolate({ memoryLimit: 64 })

const modes = {
  context() {
    const context = kept.createContextSync()
    runIn(context)
    context.release()
  },
  isolate() {
    const isolate = new ivm.Isolate({ memoryLimit: 64 })
    runIn(isolate.createContextSync())
    isolate.dispose()
  },
}

export type EngineMode = keyof typeof modes

export interface EngineReply {
  readonly runs: number
  readonly seconds: number
  readonly microseconds: number
}

process.once('disconnect', () => process.exit())
process.on('message', message => {
  const { mode, seconds } = message as { mode: EngineMode; seconds: number }
  const cpu = process.cpuUsage()
  const started = performance.now()
  let runs = 0
  for (; performance.now() - started < seconds * 1000; runs++) modes[mode]()
  const { user, system } = process.cpuUsage(cpu)
  const reply: EngineReply = {
    runs,
    seconds: (performance.now() - started) / 1000,
    microseconds: user + system,
  }
  process.send?.(reply)
})

function runIn(context: ivm.Context): void {
  let result = ''
  const end = new ivm.Callback((text: string) => {
    result = text
  })
  const write = new ivm.Callback(() => undefined)
  context.evalClosureSync(prelude, [end, write, '{"total":3}'])
  context.evalSync(source)
  if (result !== '{"total":6}') throw new Error(`The script gave \`${result}\`.`)
}
