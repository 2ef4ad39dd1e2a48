import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The longest files of each project, without `test/` and `.test.ts`, the longest first. */
export const longFiles = [
  'docs/pasted-lines',
  'properties/bytes',
  'http/graphql/same-answers',

  'hostile/running-scripts/scripts-1.slow',
  'hostile/running-scripts/scripts-2.slow',
  'faults/kills/killed-sqlite.slow',
  'bench/bench.slow',
  'faults/kills/queued-kills.slow',
  'taken-over/generated-speeches.slow',
  'hostile/connections/pipelining.slow',
  'contract/idempotency/idempotency-deaths.slow',
  'hostile/connections/connections.slow',
  'http/edge/slow-follower.slow',
  'hostile/corpus/corpus-requests.slow',
  'contract/events/subscription-ends.slow',
  'faults/replicas/three-replicas.slow',
  'scripts/run/gateway-death.slow',
  'faults/replicas/cut-connections.slow',
  'hostile/connections/unread-answers.slow',
  'faults/kills/queued-runs.slow',
  'contract/webhooks/webhook-deaths.slow',
  'commands/stop.slow',
  'store/migrations/copy-store.slow',
  'sandbox/isolation.slow',
  'contract/running/running-shutdown.slow',
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
