import type { StandIn } from '../../scripts/calls/answer-call.ts'
import { findStat } from '../files/find-files.ts'
import { CliError, exitCodes, wrongUse } from '../frame/cli-error.ts'
import type { Command, CommandCall } from '../frame/command.ts'
import { executeScript, nameOfFile } from '../gateway/execute-script.ts'
import type { Execution } from '../gateway/execution.ts'
import { createGatewayClient, GatewayRefusal } from '../gateway/gateway-client.ts'
import { type ScratchGateway, startScratchGateway } from '../run/scratch-gateway.ts'
import { type Watched, watchFiles } from '../run/watch-files.ts'
import { type FoundCase, readCases } from './case-file.ts'
import { CaseUpdates } from './case-updates.ts'
import { findMisses, toExpectation } from './judge-case.ts'
import { type CaseResult, type ReporterName, reportCases, reporterNames } from './report-cases.ts'
import { createStandIn } from './stand-in.ts'

export const command: Command = {
  usage: '[path…] [--filter <text>] [--reporter spec|tap|junit] [--update] [--watch]',
  help: `Runs each case, a \`.json\` file below the paths, and compares how its script ends. \`cases\` without a path.
Exits with 0 if all hold, 1 if one fails.

  --filter <text>    runs the cases whose name contains the text
  --reporter <name>  spec (default), tap or junit
  --update           writes what came into the cases that do not hold, and exits with 0
  --watch            runs again whenever a case or a script is saved, until Ctrl-C

A case: { "script": "../functions/incident/priority.js", "input": { "impact": 3 }, "options": {},
          "graphql": [{ "field": "user", "variables": { "id": "7" }, "answer": { "data": { "user": null } } }],
          "expect": { "outcome": "exit", "payload": { "priority": "high" } } }
`,
  options: {
    filter: { type: 'string' },
    reporter: { type: 'string' },
    update: { type: 'boolean' },
    watch: { type: 'boolean' },
  },
  args: [0, 1_000],
  async run(call) {
    const reporter = readReporter(call.text('reporter'))
    const cases = findCases(call)
    const updates = call.isSet('update') ? new CaseUpdates() : null
    const round = { run: createRunner(call), reporter, updates }
    if (!call.isSet('watch')) return runCases(call, { ...round, cases })
    await watchFiles(createFinder(call, cases), call, () =>
      runCases(call, { ...round, cases: findCases(call) }),
    )
    return exitCodes.done
  },
}

function readReporter(given = 'spec'): ReporterName {
  const reporter = reporterNames.find(name => name === given)
  if (reporter !== undefined) return reporter
  throw wrongUse(`There is no reporter \`${given}\`. Use one of ${reporterNames.join(', ')}.`)
}

// Returns a function that finds the files to watch. While the cases cannot be read, it returns those of the last time.
function createFinder(call: CommandCall, cases: readonly FoundCase[]): () => Watched {
  const isFile = (path: string) => findStat(path)?.isFile() === true
  const folders = findPaths(call)
    .map(call.resolve)
    .filter(path => !isFile(path))
  let found = cases
  return () => {
    try {
      found = findCases(call)
    } catch (error) {
      if (!(error instanceof CliError)) throw error
    }
    return { files: found.flatMap(({ file, scriptFile }) => [file, scriptFile]), folders }
  }
}

const findPaths = ({ args }: CommandCall): readonly string[] => (args.length === 0 ? ['cases'] : args)

function findCases(call: CommandCall): readonly FoundCase[] {
  const paths = findPaths(call)
  const filter = call.text('filter') ?? ''
  const cases = readCases(paths, call).filter(({ name }) => name.includes(filter))
  if (cases.length > 0) return cases
  const where = paths.map(path => `\`${path}\``).join(', ')
  throw wrongUse(`There is no case in ${where}${filter === '' ? '' : ` whose name contains \`${filter}\``}.`)
}

interface Round {
  readonly run: RunCase
  readonly reporter: ReporterName
  readonly cases: readonly FoundCase[]
  /** Null without `--update`. */
  readonly updates: CaseUpdates | null
}

async function runCases(call: CommandCall, { run, reporter, cases, updates }: Round): Promise<number> {
  let failed = 0
  async function* results(): AsyncGenerator<CaseResult> {
    for (const found of cases) {
      const outcome = await run(found).catch(expectRefusal)
      const result =
        outcome instanceof GatewayRefusal ? toFailure(found, outcome) : judge(found, outcome, updates)
      if (result.misses.length > 0) failed++
      yield result
    }
  }
  await reportCases(reporter, results(), { terminal: call.terminal, folder: call.resolve('.') })
  return failed === 0 ? exitCodes.done : exitCodes.failed
}

// What a case or its script has wrong is refused like this. Any other error is one of the gateway, for all cases.
function expectRefusal(error: unknown): GatewayRefusal {
  if (error instanceof GatewayRefusal && error.exitCode === exitCodes.usage) return error
  throw error
}

function toFailure(found: FoundCase, { message }: GatewayRefusal): CaseResult {
  const expected = found.content.expect?.outcome
  const miss = { of: 'outcome', expected, actual: 'refused', ending: message }
  return { found, misses: [miss], durationMs: 0, isUpdated: false }
}

function judge(found: FoundCase, execution: Execution, updates: CaseUpdates | null): CaseResult {
  const { expect } = found.content
  const misses =
    expect === undefined
      ? [
          {
            of: '`expect` is missing, so the whole outcome',
            expected: undefined,
            actual: toExpectation(execution),
            ending: null,
          },
        ]
      : findMisses(expect, execution)
  const isUpdated = updates !== null && misses.length > 0 && updates.canUpdate(found)
  if (isUpdated) updates.update(found, toExpectation(execution, expect))
  return { found, misses: isUpdated ? [] : misses, durationMs: execution.duration_ms, isUpdated }
}

type RunCase = (found: FoundCase) => Promise<Execution>

/**
 * Returns a function that runs a case on a scratch gateway. The next case gets the same gateway, unless a call may have
 * changed its store.
 */
function createRunner(call: CommandCall): RunCase {
  let gateway: Promise<ScratchGateway> | null = null
  let standIn: StandIn = createStandIn(undefined)
  let hasCalled = false
  const answer: StandIn = asked => {
    hasCalled = true
    return standIn(asked)
  }
  return async ({ content, scriptFile, sourceCode, input, options }) => {
    standIn = createStandIn(content.graphql)
    gateway ??= startScratchGateway(call, answer)
    const { close, ...chosen } = await gateway.catch((error: unknown) => {
      gateway = null
      throw error
    })
    const execution = await executeScript(
      createGatewayClient(chosen, call.signal),
      { name: nameOfFile(scriptFile), sourceCode, input, options, caseTypeCode: null },
      () => {},
    )
    if (hasCalled && content.graphql === undefined) {
      gateway = null
      await close()
    }
    hasCalled = false
    return execution
  }
}
