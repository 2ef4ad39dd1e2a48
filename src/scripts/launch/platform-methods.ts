import { cases, runCaseTask } from '../../operations/cases.ts'
import { teamMemberships, teams, users } from '../../operations/directory.ts'
import { executeTask, type Label, runFunction, taskLabels } from '../../operations/executions.ts'
import { fieldOf, type Member, type Operation } from '../../operations/operation.ts'

/** A member of the input that a script passes to a method, and how the method reads it. */
export type InputMember = { readonly name: string; readonly field: string } & InputKind

/**
 * - `value`: passed on
 * - `id`: an integer id
 * - `flag`: `value` if the script passes something true
 * - `version`: one version, as a list
 * - `document`: a JSON text, or the value that it stands for; `byDefault` for one that is left out
 * - `labels`: an object of text, whose members may also stand beside it: `metadata[case_type_code]`
 * - `params`: the `params` of the options of a run
 */
type InputKind =
  | { readonly kind: 'value' | 'version' | 'params' }
  | { readonly kind: 'id'; readonly isRequired: boolean }
  | { readonly kind: 'flag'; readonly value: string }
  | { readonly kind: 'document'; readonly byDefault: string | null }
  | { readonly kind: 'labels'; readonly labels: readonly Label[] }

/** A method of a script's `Platform`. The sandbox gets it as JSON. */
export interface PlatformMethod extends Pick<Operation, 'document' | 'field' | 'within'>, Reading {
  readonly object: string
  readonly method: string
  /** The variables for the method's arguments, in their order. All of a `page` are members of its one argument. */
  readonly takes: readonly string[]
  /** The name of the record, for the member of a page. */
  readonly record: string
  /** The members of the record that it resolves with. */
  readonly members: readonly Member[]
  /** The members that its object of optional members may have; others are refused. Null if none are refused. */
  readonly optional: readonly string[] | null
  readonly leftOut: LeftOut
}

interface Reading {
  readonly input: readonly InputMember[]
  /** Input members that are arguments by themselves, before an object with the others. */
  readonly positional: readonly string[]
  /** How its answer is shaped: `page` is `{cases: […], end_cursor}`. */
  readonly answers: 'record' | 'list' | 'page' | 'nothing'
  /** True if it sends case data, in which infinite numbers and NaN are errors. Otherwise JSON turns them into null. */
  readonly sendsData: boolean
}

/** What a method leaves out of its object with optional members, because a script may pass another object on. */
interface LeftOut {
  /** The members; null for all. */
  readonly members: readonly string[] | null
  /** They are left out only if this member is there, which tells the other object. Null: always. */
  readonly beside: string | null
}

interface Given extends Reading {
  /** True if it has optional members: it would do something else without a misspelt one. */
  readonly hasOptional: boolean
  readonly leftOut: LeftOut
}

const nothing: LeftOut = { members: [], beside: null }

function method(
  name: `${string}.${string}`,
  { document, field, variables, answer, within }: Operation,
  {
    input = [],
    positional = [],
    answers = 'record',
    sendsData = false,
    hasOptional = false,
    leftOut = nothing,
  }: Partial<Given> = {},
): PlatformMethod {
  const [object = '', method = ''] = name.split('.')
  const names = Object.keys(variables)
  // A method that answers nothing takes the version as its last argument.
  const takes = answers === 'nothing' ? names : names.filter(variable => variable !== 'ifVersions')
  const { members, name: record } = answer
  const reading = { input, positional, answers, sendsData }
  const optional = hasOptional ? optionalOf(reading, names) : null
  return { object, method, document, field, within, takes, record, members, optional, leftOut, ...reading }
}

function optionalOf({ input, positional, answers }: Reading, variables: readonly string[]): string[] {
  if (answers === 'nothing') return ['if_version']
  const members = input.flatMap(each => {
    const labels = each.kind === 'labels' ? each.labels.map(label => `${each.name}[${label.name}]`) : []
    return [each.name, ...labels]
  })
  const ofPage = answers === 'page' ? variables.filter(variable => variable !== 'filter') : []
  return [...members.filter(name => !positional.includes(name)), ...ofPage]
}

function member(name: string, kind: InputKind = { kind: 'value' }, field = fieldOf(name)): InputMember {
  return { name, field, ...kind }
}

const membershipInput = (isRequired: boolean) =>
  ['user_id', 'team_id'].map(name => member(name, { kind: 'id', isRequired }))

/** The methods of a script's `Platform`, in the order in which a script sees them. */
export const platformMethods: readonly PlatformMethod[] = [
  method('teamMemberships.get', teamMemberships.get),
  method('teamMemberships.list', teamMemberships.list, { answers: 'list' }),
  method('teamMemberships.add', teamMemberships.add, { input: membershipInput(true) }),
  method('teamMemberships.move', teamMemberships.move, {
    input: membershipInput(false),
    hasOptional: true,
    leftOut: { members: ['id', 'leader'], beside: null },
  }),
  method('teamMemberships.remove', teamMemberships.remove),
  method('users.get', users.get),
  method('teams.get', teams.get),
  method('cases.get', cases.get),
  method('cases.list', cases.list, { answers: 'list' }),
  method('cases.save', cases.save, {
    input: [
      member('id'),
      member('case_type_code'),
      member('data'),
      member('merge', { kind: 'flag', value: 'MERGE' }, 'mode'),
      member('if_version', { kind: 'version' }, 'ifVersions'),
    ],
    sendsData: true,
    hasOptional: true,
    // A case that was read has them. Alone, `version` is a misspelt `if_version`.
    leftOut: { members: ['version', 'created_at', 'updated_at'], beside: 'created_at' },
  }),
  method('cases.delete', cases.deleteUnread, { answers: 'nothing', hasOptional: true }),
  method('cases.find', cases.find, {
    input: [member('case_type_code'), member('where')],
    answers: 'page',
    hasOptional: true,
  }),
  method('cases.runTask', runCaseTask),
  method('tasks.execute', executeTask, {
    input: [
      member('name'),
      member('sourceCode'),
      member('inputDocument', { kind: 'document', byDefault: null }),
      member('options', { kind: 'document', byDefault: '{}' }),
      member('metadata', { kind: 'labels', labels: taskLabels }),
    ],
    hasOptional: true,
  }),
  method('functions.run', runFunction, {
    input: [
      member('name'),
      member('payload', { kind: 'value' }, 'inputDocument'),
      member('params', { kind: 'params' }, 'options'),
      member('case_type_code'),
      member('version'),
    ],
    positional: ['name', 'payload'],
    hasOptional: true,
    // The options of the script itself, which may have any members.
    leftOut: { members: null, beside: 'requestContext' },
  }),
]
