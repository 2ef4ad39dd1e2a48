import { loadCase } from '../cases/load-case.ts'
import type { Section } from '../cases/section.ts'
import { compareAnswers } from '../figures/compare-answers.ts'
import { medianFigures, processorTime, throughput } from '../figures/figures.ts'
import { measureRounds, type Rounds } from '../figures/rounds.ts'
import { formatRounds, ratioIn } from '../figures/table.ts'
import { addHooks } from '../servers/add-hooks.ts'
import { startPeer, startRostrum } from '../servers/server-process.ts'
import { withServers } from '../servers/with-servers.ts'

const peerName = 'Fastify by hand, a transaction each'

const names = {
  save: 'rostrum, save',
  peerSave: `${peerName}, save`,
  lone: 'rostrum, save, 1 connection',
  peerLone: `${peerName}, save, 1 connection`,
  hookSave: 'rostrum, save with a hook, 1 connection',
  script: 'rostrum, the same script alone, 1 connection',
  largeSave: 'rostrum, save of 1 MiB with a hook, 1 connection',
  list: 'rostrum, 100 cases by ids',
  memberships: 'rostrum, 100 memberships by ids',
} as const

export const cases: Section = {
  title: 'saves and reads of cases (synchronous=FULL, answered after the commit)',
  run(bench) {
    const starts = [
      () => startRostrum({ ...bench, name: 'rostrum' }),
      () => startPeer({ ...bench, name: peerName, module: 'fastify.ts' }),
    ]
    return withServers(starts, async ([own, peer]) => {
      if (own === undefined || peer === undefined) throw new Error('Two servers were started.')
      const { token } = bench.seed
      await compareAnswers({ servers: [own, peer], kind: 'caseSave', token, normalize: withoutTimes })
      await addHooks(own, token, {
        event: 'PRE_SAVE',
        caseTypeCodes: ['hooked', 'large'],
        // The data stay as they are, so that a save costs what it costs without the hook and a run.
        sourceCode: 'log("total", payload.total)\nexit(payload)',
      })
      const load = { ...bench, server: own, connections: 1, token } as const
      const rounds = await measureRounds({
        ...bench,
        cases: [
          loadCase({ ...load, name: names.save, traffic: 'caseSave', connections: 64 }),
          loadCase({ ...load, name: names.peerSave, traffic: 'caseSave', connections: 64, server: peer }),
          loadCase({ ...load, name: names.lone, traffic: 'caseSave' }),
          loadCase({ ...load, name: names.peerLone, traffic: 'caseSave', server: peer }),
          loadCase({ ...load, name: names.hookSave, traffic: 'caseSaveWithHook' }),
          loadCase({ ...load, name: names.script, traffic: 'script' }),
          loadCase({ ...load, name: names.largeSave, traffic: 'largeCaseSave' }),
          loadCase({ ...load, name: names.list, traffic: 'caseList' }),
          loadCase({ ...load, name: names.memberships, traffic: 'restList' }),
        ],
      })
      return { tables: [formatRounds(rounds, names.save)], notes: [], claims: claimsOf(rounds) }
    })
  },
}

function claimsOf(rounds: Rounds) {
  const of = (name: string) => medianFigures(rounds.get(name) ?? [])
  const [save, script, hookSave] = [names.lone, names.script, names.hookSave].map(of)
  const most = { holds: 'at most' } as const
  const apart = (save?.p50Ms ?? 0) + (script?.p50Ms ?? 0)
  const large = of(names.largeSave).microseconds
  return [
    {
      what: 'Cases: processor time of a lone save, times Fastify by hand',
      measured: ratioIn(rounds, [names.lone, names.peerLone], processorTime),
      bound: 1.3,
      ...most,
    },
    {
      what: 'Cases: processor time of a save at 64 connections, times Fastify by hand',
      measured: ratioIn(rounds, [names.save, names.peerSave], processorTime),
      bound: 1.3,
      ...most,
    },
    {
      what: 'Cases: saves a second at 64 connections, times Fastify by hand',
      measured: ratioIn(rounds, [names.save, names.peerSave], throughput),
      bound: 3,
      holds: 'at least' as const,
    },
    {
      what: 'Cases: median of a save with a hook, times a save and the same script alone',
      measured: apart === 0 ? null : (hookSave?.p50Ms ?? 0) / apart,
      bound: 1,
      ...most,
    },
    {
      what: 'Cases: processor time of a save of 1 MiB with a hook',
      measured: large === null ? null : large / 1_000,
      bound: 100,
      unit: 'ms',
      ...most,
    },
    {
      what: 'Cases: processor time of 100 cases by ids, times 100 memberships by ids',
      measured: ratioIn(rounds, [names.list, names.memberships], processorTime),
      bound: 1.3,
      ...most,
    },
  ]
}

function withoutTimes(text: string): string {
  return text.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
}
