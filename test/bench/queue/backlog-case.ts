import { hooksOfFanned } from '../figures/data.ts'
import type { Case } from '../figures/rounds.ts'
import type { Generator } from '../load/start-generator.ts'
import { processorTimeOf } from '../servers/processor-time.ts'
import type { QueueServer } from './queue-reader.ts'

interface BacklogParts extends QueueServer {
  readonly name: string
  readonly generator: Generator
  readonly token: string
  /**
   * `whole`: a run for each save, and figures from the first save to the end of the last run. `drain`: several runs for
   * each save, so that many are left after the last save, and figures from then on.
   */
  readonly part: 'whole' | 'drain'
}

const connections = 64
// About as many as a contender runs in a second.
const runsASecond = 1_000
const maxRuns = 500
// The first ones were sent when the answers were compared.
const firstSave = 1_000

const parts = {
  whole: { traffic: 'queuedCaseSave', runsOfSave: 1 },
  drain: { traffic: 'fannedCaseSave', runsOfSave: hooksOfFanned },
} as const

/**
 * Saves cases and waits until all runs after the saves have ended. Latencies are those of the saves. It saves each case
 * at most once in a stretch, since runs of one hook on one case go one after the other.
 */
export function backlogCase({ name, server, queue, generator, token, part }: BacklogParts): Case {
  const { traffic, runsOfSave } = parts[part]
  let from = firstSave
  const look = () => ({ at: performance.now(), time: processorTimeOf(server.pid) })

  return {
    name,
    async measure(seconds) {
      const saves = Math.ceil(Math.min(maxRuns, seconds * runsASecond) / runsOfSave)
      const runs = saves * runsOfSave
      const doneBefore = await queue.countDone()
      const first = look()
      const load = { traffic, ports: [server.port], connections, seconds: 0, token }
      const result = await generator.run({ ...load, from, requests: saves })
      from += saves
      const left = await queue.countOpen()
      const last = look()
      await queue.whenEmpty()
      const end = look()
      const done = (await queue.countDone()) - doneBefore
      if (done !== runs) throw new Error(`${name}: ${done} of ${runs} runs ended well.`)

      const [start, count] = part === 'whole' ? [first, runs] : [last, left]
      const isKnown = start.time !== null && end.time !== null
      return {
        ...result,
        microseconds: isKnown ? (Number(end.time) - Number(start.time)) / count : null,
        perSecond: (count * 1_000) / (end.at - start.at),
      }
    },
  }
}
