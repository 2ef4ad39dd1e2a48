import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The longest files of each project, without `test/` and `.test.ts`, the longest first. */
export const longFiles = [
  'cli/cases',
  'cli/sync',
  'cli/run',
  'cli/frame',
  'store/runs/run-store',
  'contract/queue/queued-runs',
  'cli/account',

  'hostile/running-scripts/scripts-1.slow',
  'hostile/running-scripts/scripts-2.slow',
  'http/edge/long-silences.slow',
  'docs/pasted-lines.slow',
  'browser/runs/runs.slow',
  'browser/run/run.slow',
  'browser/playground/functions.slow',
  'contract/idempotency/idempotency-deaths.slow',
  'hostile/outbound/namespace/outbound-namespace.slow',
  'store/migrations/copy-store.slow',
  'browser/functions/functions.slow',
  'browser/shell.slow',
  'browser/playground/playground.slow',
  'browser/lost-answers.slow',
  // Its scripts fill the processors, so it does not run beside the hostile ones, which have little time.
  'scripts/run/gateway-death.slow',
  'browser/runs/dead-runs.slow',
  'browser/playground/faults.slow',
  'contract/webhooks/webhook-keys.slow',
  'contract/scripts/isolation.slow',
  'store/postgres/unavailable.slow',
  'browser/playground/runs.slow',
  'browser/docs/docs.slow',
  'hostile/corpus/corpus-requests.slow',
  'sandbox/isolation.slow',
  'scripts/run/run-deaths.slow',
  'browser/members/members.slow',
  'browser/owners.slow',
  'browser/cases/case-edits.slow',
  'store/migrations/migrations.slow',
  'commands/copy.slow',
  'contract/webhooks/webhook-deaths.slow',
  'hostile/connections/pipelining.slow',
  'browser/cases/cases.slow',
  'hostile/connections/unread-answers.slow',
  'interrupted/no-process.slow',

  'hostile/one-caller/one-caller.waiting',
  'hostile/running-scripts/script-calls.waiting',
  'hostile/connections/connections.waiting',
  'faults/replicas/hung-gateway.waiting',
  'hostile/connections/held-bodies.waiting',
  'commands/stop.waiting',
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
