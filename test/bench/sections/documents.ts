import { loadCase } from '../cases/load-case.ts'
import type { Section } from '../cases/section.ts'
import { compareAnswers } from '../figures/compare-answers.ts'
import { processorTime } from '../figures/figures.ts'
import { measureRounds } from '../figures/rounds.ts'
import { formatNumber, formatRounds, formatTable, ratioIn } from '../figures/table.ts'
import { memoryOf } from '../servers/memory.ts'
import { startRostrum } from '../servers/server-process.ts'
import { withServers } from '../servers/with-servers.ts'

const steps = 5
const documentsAStep = 4_000

export const documents: Section = {
  title: 'a client that never sends the same query twice, 32 connections',
  run(bench) {
    return withServers([() => startRostrum({ ...bench, name: 'rostrum' })], async servers => {
      const [server] = servers
      if (server === undefined) throw new Error('The gateway was not started.')
      const { token } = bench.seed
      await compareAnswers({ servers, kind: 'endlessDocuments', token })
      const names = ['the same query', 'endless different queries'] as const
      const load = { ...bench, server, connections: 32, token }
      // What the memory grows to without them.
      await loadCase({ ...load, name: names[0], traffic: 'pointRead' }).measure(
        Math.min(1.5, 3 * bench.seconds),
      )
      const memory = [['0', ...formatMemory(server.pid)]]
      for (let step = 1; step <= steps; step++) {
        await bench.generator.run({
          ports: [server.port],
          token,
          traffic: 'endlessDocuments',
          from: 10_000_000 + step * documentsAStep,
          connections: 32,
          seconds: 0,
          requests: documentsAStep,
        })
        memory.push([(step * documentsAStep).toLocaleString('en'), ...formatMemory(server.pid)])
      }
      const rounds = await measureRounds({
        ...bench,
        cases: [
          loadCase({ ...load, name: names[0], traffic: 'pointRead' }),
          loadCase({ ...load, name: names[1], traffic: 'endlessDocuments' }),
        ],
      })
      const ratio = ratioIn(rounds, [names[1], names[0]], processorTime)
      return {
        tables: [
          formatRounds(rounds, names[0]),
          formatTable(['different queries', 'gateway, resident MB', 'all processes, MB'], memory),
        ],
        notes: [`A new query costs ${formatNumber(ratio)} times one that is known.`],
        claims: [],
      }
    })
  },
}

function formatMemory(pid: number): [string, string] {
  const memory = memoryOf(pid)
  return [formatNumber(memory?.ownMb ?? null), formatNumber(memory?.residentMb ?? null)]
}
