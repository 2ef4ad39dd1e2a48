import type { RequestContext } from '../../context.ts'
import { scopes as allScopes, type Caller, hasScope, withScopes } from '../../credentials/caller.ts'
import type { Replay, ReplayScript } from '../../domain/runs/prepare-replay.ts'
import { builder } from '../builder.ts'
import { Run } from '../refs.ts'
import { costOfRun } from '../relay/field-cost.ts'

const ReplayVersion = builder.enumType('ReplayVersion', {
  description: 'Which version of its function a replay runs.',
  values: {
    ORIGINAL: { value: 'original', description: 'The version that ran.' },
    LIVE: { value: 'live', description: 'The version that is live now.' },
  } as const satisfies Record<string, { value: Replay['version']; description: string }>,
})

builder.mutationField('replayRun', t =>
  t.field({
    description:
      'Runs the kept input of a run again, in a new transaction, and waits until it ends. A run of a hook, a case\n' +
      'task or a webhook has its scopes again; another run those that your credential has too.\n\n' +
      '`NOT_FOUND` for an unknown run or version. `CONFLICT` if its input or script is not kept, and without\n' +
      '`dryRun` for runs of case tasks and of hooks before a save or a delete.',
    type: Run,
    nullable: true,
    scope: 'functions:write',
    extensions: costOfRun,
    args: {
      id: t.arg.id({ required: true, description: 'Id of the run.' }),
      version: t.arg({
        type: ReplayVersion,
        required: true,
        defaultValue: 'original',
        description: 'Which version of its function runs, unless `functionVersion` names one.',
      }),
      functionVersion: t.arg.id({
        description: 'Hash of a version of its function that runs instead, live or not.',
      }),
      dryRun: t.arg.boolean({
        required: true,
        defaultValue: false,
        description: 'True if the replay must change nothing: `graphql()` then answers queries alone.',
      }),
    },
    resolve: async (_root, { id, functionVersion = null, ...given }, context) => {
      const { runs, caller, loaders } = context
      const script = await runs.prepareReplay(caller.accountCode, id, { ...given, functionVersion })
      const runId = await runReplay(context, script)
      loaders.clear()
      return runs.find(caller.accountCode, runId)
    },
  }),
)

/** Resolves with the id of the run once it has ended and is kept. */
async function runReplay(context: RequestContext, script: ReplayScript): Promise<string> {
  const { tasks, runs, caller, parentRun, signal, log, onRun } = context
  const { name, sourceCode, payload, options, caseTypeCode, cause, refuseResult } = script
  const recorder = runs.hold()
  const work = context.createLongWork()
  try {
    const execution = await tasks.execute({
      input: {
        name,
        sourceCode,
        inputDocument: payload,
        options,
        metadata: { caseTypeCode, accountNickname: null },
      },
      cause,
      refuseResult: refuseResult && (result => refuseResult(result, work)),
      recorder,
      caller: withScopes(
        caller,
        script.rightsOf === null ? findCommonScopes(caller, script.scopes) : script.scopes,
        script.rightsOf,
      ),
      ...{ parentRun, signal, log, onRun },
    })
    return execution.id
  } finally {
    work.pause()
    recorder.keep()
    await recorder.whenKept()
  }
}

// A run of somebody else, with the rights of that credential, gives the caller no more than it has.
function findCommonScopes(caller: Caller, given: readonly string[]): readonly string[] {
  const ofRun = new Set(given)
  return allScopes.filter(scope => hasScope(caller, scope) && (ofRun.has(scope) || ofRun.has('admin')))
}
