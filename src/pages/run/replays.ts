import { ask, operation } from '../gateway/operation.ts'
import type { KeptRun, RunLink } from './run-documents.ts'
import { replayOfRun } from './run-documents.ts'

const replaysOfFunction = operation<
  { readonly runs: { readonly nodes: readonly (RunLink & { readonly replayOf: RunLink | null })[] } },
  { readonly functionId: string | null; readonly after: string }
>(
  `query ReplaysOfFunction($functionId: ID, $after: DateTime!) {
    runs(filter: { functionId: $functionId, trigger: REPLAY, startedAfter: $after }, first: 100) {
      nodes { id name replayOf { id name } }
    }
  }`,
)

/** Returns the newest replays of the run. */
export async function findReplays(
  { id, startedAt, function: own }: KeptRun,
  signal: AbortSignal,
): Promise<readonly RunLink[]> {
  const variables = { functionId: own?.id ?? null, after: startedAt }
  const { runs } = await ask(replaysOfFunction, variables, { signal })
  return runs.nodes.filter(({ replayOf }) => replayOf?.id === id)
}

/** True if replays of the run may change nothing: the run decided a save, or was dry itself. */
export function isDryOnly({ dryRun, trigger, event }: KeptRun): boolean {
  return dryRun || trigger === 'TASK' || event === 'PRE_SAVE' || event === 'PRE_DELETE'
}

/** Runs the input again and returns the id of the new run; null if that is not kept. */
export async function replay(run: KeptRun, version: 'ORIGINAL' | 'LIVE'): Promise<string | null> {
  const { replayRun } = await ask(replayOfRun, { id: run.id, version, dryRun: isDryOnly(run) })
  return replayRun?.id ?? null
}
