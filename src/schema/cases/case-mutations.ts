import { caseDataLimits, readCaseData } from '../../domain/case-data/case-data.ts'
import { parseId, parseOptionalId } from '../../domain/id.ts'
import { badName, isName } from '../../domain/name.ts'
import { invalidInput, RostrumError } from '../../errors.ts'
import type { GivenJson, JsonObject } from '../../json/read-json.ts'
import { builder } from '../builder.ts'
import { Case } from '../refs.ts'
import { cost } from '../relay/field-cost.ts'
import { CaseChange } from './case-change.ts'
import { changeArguments, readChange } from './read-change.ts'

const CaseSaveMode = builder.enumType('CaseSaveMode', {
  description: 'How the data of a save become those of the case.',
  values: {
    REPLACE: { description: 'They are the whole data.' },
    MERGE: { description: 'They are a JSON Merge Patch (RFC 7396) of the stored data.' },
  } as const,
})

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
      description: 'A JSON object of at most 1 MiB, 64 levels and 10,000 top-level fields, or a merge patch.',
    }),
    mode: t.field({
      type: CaseSaveMode,
      required: true,
      defaultValue: 'REPLACE',
      description: 'How the data become those of the case.',
    }),
    ifVersions: t.intList({ description: changeArguments.ifVersions }),
    dryRun: t.boolean({ required: true, defaultValue: false, description: changeArguments.dryRun }),
  }),
})

// For changed fields: the new data and the previous data.
const bytesOfChange = 2 * caseDataLimits.bytes

// A save costs as much as some hundred fields: it reads, compares and writes up to 1 MiB.
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
      const done = await context.services.cases.save({
        ...change,
        id: parseOptionalId(input.id, 'case id'),
        caseTypeCode: input.caseTypeCode ?? null,
        data: readData(input),
        isMerge: input.mode === 'MERGE',
      })
      context.answerBytes.raise(bytesOfChange)
      return done
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
      ifVersions: t.arg.intList({ description: changeArguments.ifVersions }),
      dryRun: t.arg.boolean({ required: true, defaultValue: false, description: changeArguments.dryRun }),
    },
    resolve: async (_root, { id, ...given }, context) => {
      const done = await context.services.cases.remove({
        ...readChange(context, given),
        id: parseId(id, 'case id'),
      })
      return done.row
    },
  }),
}))

interface GivenData {
  readonly caseTypeCode?: string | null | undefined
  readonly data: GivenJson
}

// Reads the data. An error names the case type code too if both are bad.
function readData({ caseTypeCode, data }: GivenData): JsonObject {
  try {
    return readCaseData(data)
  } catch (error) {
    if (!(error instanceof RostrumError) || caseTypeCode == null || isName(caseTypeCode)) throw error
    throw invalidInput([{ pointer: '/caseTypeCode', detail: badName(caseTypeCode) }, ...error.fields])
  }
}
