import { ask, askOnce, operation } from '../gateway/operation.ts'
import type { KeptRun, RunLink } from './run-documents.ts'
import { replayOfRun } from './run-documents.ts'

const replaysOfRun = operation<
  { readonly runs: { readonly nodes: readonly RunLink[] } },
  { readonly id: string; readonly functionId: string | null; readonly after: string }
>(
  `query ReplaysOfRun($id: ID!, $functionId: ID, $after: DateTime!) {
    runs(filter: { replayOf: $id, functionId: $functionId, startedAfter: $after }, first: 20) {
      nodes { id name }
    }
  }`,
)

/** Returns the newest replays of the run. */
export async function findReplays({ id, startedAt, function: own }: KeptRun): Promise<readonly RunLink[]> {
  // The function narrows the search.
  const variables = { id, functionId: own?.id ?? null, after: startedAt }
  const { runs } = await ask(replaysOfRun, variables)
  return runs.nodes
}

/** True if replays of the run may change nothing: the run decided a save, or was dry itself. */
export function isDryOnly({ dryRun, trigger, event }: KeptRun): boolean {
  return dryRun || trigger === 'TASK' || event === 'PRE_SAVE' || event === 'PRE_DELETE'
}

interface Replay {
  readonly version: 'ORIGINAL' | 'LIVE'
  readonly isDry: boolean
}

/** Runs the input again and returns the id of the new run; null if that is not kept. */
export async function replay({ id }: KeptRun, { version, isDry }: Replay): Promise<string | null> {
  const { replayRun } = await askOnce(replayOfRun, { id, version, dryRun: isDry })
  return replayRun?.id ?? null
}
