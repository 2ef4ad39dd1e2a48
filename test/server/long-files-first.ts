import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The longest files of each project, without `test/` and `.test.ts`, the longest first. */
export const longFiles = [
  'docs/pasted-lines',
  'properties/bytes',
  'http/lanes',

  'hostile/scripts.slow',
  'faults/killed-sqlite.slow',
  'bench/bench.slow',
  'faults/queued-kills.slow',
  'taken-over/generated-speeches.slow',
  'hostile/pipelining.slow',
  'contract/idempotency-deaths.slow',
  'hostile/connections.slow',
  'http/slow-follower.slow',
  'hostile/corpus-requests.slow',
  'contract/subscription-ends.slow',
  'faults/three-replicas.slow',
  'tasks/gateway-death.slow',
  'faults/cut-connections.slow',
  'hostile/unread-answers.slow',
  'faults/queued-runs.slow',
  'contract/webhook-deaths.slow',
  'commands/stop.slow',
  'store/copy-store.slow',
  'sandbox/isolation.slow',
  'contract/running-shutdown.slow',
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
