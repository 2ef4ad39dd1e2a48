import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The longest files of each project, without `test/` and `.test.ts`, the longest first. */
export const longFiles = [
  'cli/sync',
  'cli/cases',

  'docs/pasted-lines.slow',
  'properties/bytes',
  'http/graphql/same-answers',
  'hostile/running-scripts/scripts-1.slow',
  'hostile/running-scripts/scripts-2.slow',
  'browser/playground/playground.slow',
  'contract/webhooks/webhook-deaths.slow',
  'browser/run/run.slow',
  'http/edge/slow-follower.slow',
  'contract/streams/heartbeat.slow',
  // Its scripts fill the processors, so it does not run beside the hostile ones, which have little time.
  'scripts/run/gateway-death.slow',
  'contract/idempotency/idempotency-deaths.slow',
  'hostile/connections/pipelining.slow',
  'hostile/connections/unread-answers.slow',
  'interrupted/no-process.slow',
  'contract/webhooks/webhook-keys.slow',
  'hostile/corpus/corpus-requests.slow',
  'browser/shell.slow',
  'browser/cases/cases.slow',
  'browser/playground/runs.slow',
  'browser/runs/runs.slow',
  'browser/docs/docs.slow',
  'browser/functions/functions.slow',
  'browser/playground/functions.slow',
  'browser/runs/dead-runs.slow',
  'scripts/run/run-deaths.slow',

  'hostile/one-caller/one-caller.waiting',
  'commands/stop.waiting',
  'hostile/connections/connections.waiting',
  'hostile/connections/held-bodies.waiting',
  'contract/events/subscription-ends.waiting',
  'hostile/running-scripts/script-calls.waiting',
  'faults/replicas/hung-gateway.waiting',
]

/**
 * Starts the longest files of a project first, so that no worker is busy long after the others. A clean clone has no
 * record of durations, by which Vitest would do so itself.
 */
export class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const byProject = Map.groupBy(await super.sort(files), ({ project }) => project.name)
    return [...byProject.values()].flatMap(all => all.toSorted((a, b) => placeOf(a) - placeOf(b)))
  }
}

function placeOf({ moduleId }: TestSpecification): number {
  const place = longFiles.findIndex(path => moduleId.endsWith(`/test/${path}.test.ts`))
  return place === -1 ? longFiles.length : place
}
