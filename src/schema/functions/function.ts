import type { RequestContext } from '../../context.ts'
import type {
  FunctionSave as FunctionSaveRow,
  FunctionVersion as VersionRow,
} from '../../domain/functions/function-store.ts'
import { RostrumError } from '../../errors.ts'
import { builder } from '../builder.ts'
import { FunctionRef, FunctionVersion } from '../refs.ts'
import { functionVersionCursors } from '../relay/cursor.ts'
import { cost, costOfRecord, costOfText } from '../relay/field-cost.ts'
import { listArguments, resolveNewest } from '../relay/list-page.ts'
import { costOfPage } from '../relay/page-size.ts'

// A point for about 250 bytes of the longest source, as for results.
export const costOfSource = cost({ kind: 'fixed', cost: 1_000 })

/** Reads the source of a version. The bytes count before it is read, so that a page of long ones is refused first. */
export async function readSource(
  version: VersionRow,
  _args: unknown,
  { answerBytes, loaders }: Pick<RequestContext, 'answerBytes' | 'loaders'>,
): Promise<string> {
  answerBytes.add(version.sourceBytes)
  if ('sourceCode' in version) return version.sourceCode as string
  const found = await loaders.functionSource.load(version.id)
  if (found === null) throw deletedMeanwhile()
  return found.sourceCode
}

FunctionVersion.implement({
  description: 'A source that was saved for a function. It never changes.',
  fields: t => ({
    hash: t.exposeID('hash', { description: 'SHA-256 of the source, in hex.', extensions: costOfText }),
    sourceCode: t.string({
      description: 'JavaScript source code.',
      // Mutations that need only `functions:write` also return functions.
      scope: 'functions:read',
      extensions: costOfSource,
      resolve: readSource,
    }),
    comment: t.exposeString('comment', {
      nullable: true,
      description: 'What its author says about it.',
      extensions: costOfText,
    }),
    byUserId: t.exposeID('byUserId', {
      nullable: true,
      description: 'User id of the credential that saved it; null if it is not an integer.',
    }),
    byEmail: t.exposeString('byEmail', {
      nullable: true,
      description: 'E-mail address of the credential that saved it; null if unknown.',
      extensions: costOfText,
    }),
    at: t.expose('at', { type: 'DateTime', description: 'Time of the save.' }),
  }),
})

const FunctionVersionConnection = builder.connectionObject(
  {
    name: 'FunctionVersionConnection',
    description: 'A page of versions, newest first.',
    type: FunctionVersion,
  },
  { name: 'FunctionVersionEdge', description: 'A version and its cursor.' },
)

const FunctionSave = builder.objectRef<FunctionSaveRow>('FunctionSave').implement({
  description: 'What a save has done.',
  fields: t => ({
    version: t.exposeID('version', {
      description: 'Hash of the version that was saved.',
      extensions: costOfText,
    }),
    created: t.exposeBoolean('created', { description: 'True if the save created the function.' }),
  }),
})

FunctionRef.implement({
  description: 'A stored script, identified by its name and case type code.',
  fields: t => ({
    id: t.exposeID('id', { description: 'Id of the function.' }),
    name: t.exposeString('name', { description: 'Name of the function.' }),
    caseTypeCode: t.exposeString('caseTypeCode', {
      nullable: true,
      description: 'Code of its case type; null for a function of all case types.',
    }),
    createdAt: t.expose('createdAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time of its first save; null for a function that was removed before.',
    }),
    saved: t.field({
      type: FunctionSave,
      nullable: true,
      description: 'What `saveFunction` has done, in its answer; null in all others.',
      resolve: ({ saved }) => saved ?? null,
    }),
    live: t.field({
      type: FunctionVersion,
      description: 'The version that runs unless another one is named.',
      extensions: costOfRecord,
      resolve: async ({ id, removedLive, liveVersionId }, _args, { loaders }) => {
        if (removedLive !== undefined) return removedLive
        const known = await loaders.functionVersion.load(liveVersionId)
        // Later saves may have deleted the version that was live when the function was read or changed.
        const live = known ?? (await loaders.liveVersionOf(id))
        if (live === null) throw deletedMeanwhile()
        return live
      },
    }),
    versions: t.field({
      type: FunctionVersionConnection,
      description: 'Its versions, newest first.',
      scope: 'functions:read',
      extensions: costOfPage,
      args: listArguments,
      resolve: ({ id }, given, { loaders }) =>
        resolveNewest(given, {
          cursors: functionVersionCursors,
          load: page => loaders.versionsOfFunction(id, page),
        }),
    }),
  }),
})

function deletedMeanwhile(): RostrumError {
  return new RostrumError('NOT_FOUND', 'The version was deleted while it was read. Read the function again.')
}
