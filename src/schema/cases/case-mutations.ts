import type { RequestContext } from '../../context.ts'
import { readCaseData } from '../../domain/cases/case-data.ts'
import { parseId } from '../../domain/id.ts'
import { builder } from '../builder.ts'
import { Case } from '../refs.ts'
import { cost } from '../relay/field-cost.ts'
import { CaseChange } from './case-change.ts'
import { createRunHook } from './run-hook.ts'

const CaseSaveMode = builder.enumType('CaseSaveMode', {
  description: 'How the data of a save become those of the case.',
  values: {
    REPLACE: { description: 'They are the whole data.' },
    MERGE: { description: 'They are a JSON Merge Patch (RFC 7396) of the stored data.' },
  } as const,
})

const ifVersions = 'If given, the case must be at one of these versions. Otherwise: `PRECONDITION_FAILED`.'
const dryRun = 'Checks and compares everything, and stores nothing.'

const SaveCaseInput = builder.inputType('SaveCaseInput', {
  description: 'A case and its data.',
  fields: t => ({
    id: t.id({ description: 'Id of the case. Without one a case is created.' }),
    caseTypeCode: t.string({
      description: 'Code of the case type. Required to create a case; it never changes.',
    }),
    data: t.field({
      type: 'JSON',
      required: true,
      description: 'A JSON object of at most 1 MiB and 64 levels, or a merge patch.',
    }),
    mode: t.field({
      type: CaseSaveMode,
      required: true,
      defaultValue: 'REPLACE',
      description: 'How the data become those of the case.',
    }),
    ifVersions: t.intList({ description: ifVersions }),
    dryRun: t.boolean({ required: true, defaultValue: false, description: dryRun }),
  }),
})

// As much as some hundred fields: it reads, compares and writes up to 1 MiB.
const costOfSave = cost({ kind: 'fixed', cost: 500 })

builder.mutationFields(t => ({
  saveCase: t.field({
    description: 'Creates or saves a case. Data equal to what is stored change nothing. `NOT_FOUND`.',
    type: CaseChange,
    nullable: true,
    scope: 'cases:write',
    extensions: costOfSave,
    args: { input: t.arg({ type: SaveCaseInput, required: true, description: 'The case and its data.' }) },
    resolve: async (_root, { input }, context) => {
      const change = readChange(context, input)
      const done = await context.cases.save({
        ...change,
        id: input.id == null ? null : parseId(input.id, 'case id'),
        caseTypeCode: input.caseTypeCode ?? null,
        data: readCaseData(input.data),
        isMerge: input.mode === 'MERGE',
      })
      context.loaders.clear()
      return { ...done, transactionId: change.origin.transactionId }
    },
  }),
  deleteCase: t.field({
    description: 'Deletes a case and returns it as it was. `NOT_FOUND`.',
    type: Case,
    nullable: true,
    scope: 'cases:write',
    extensions: costOfSave,
    args: {
      id: t.arg.id({ required: true, description: 'Id of the case.' }),
      ifVersions: t.arg.intList({ description: ifVersions }),
      dryRun: t.arg.boolean({ required: true, defaultValue: false, description: dryRun }),
    },
    resolve: async (_root, { id, ...given }, context) => {
      const done = await context.cases.remove({ ...readChange(context, given), id: parseId(id, 'case id') })
      context.loaders.clear()
      return done.row
    },
  }),
}))

interface GivenChange {
  readonly ifVersions?: readonly number[] | null | undefined
  readonly dryRun: boolean
}

function readChange(context: RequestContext, { ifVersions = null, dryRun }: GivenChange) {
  const { origin, signal, deadline, parentRun } = context
  return {
    ...{ origin, signal, deadline, ifVersions, dryRun },
    isInner: parentRun !== null,
    savingCases: parentRun?.savingCases ?? noCases,
    functionName: parentRun?.functionName ?? null,
    runHook: createRunHook(context),
  }
}

const noCases: ReadonlySet<number> = new Set()
