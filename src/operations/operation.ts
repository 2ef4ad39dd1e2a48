/** A member of a record, with both of its names. */
export interface Member {
  /** The name for REST and scripts: `user_id`. */
  readonly name: string
  /** The name for GraphQL: `userId`. */
  readonly field: string
  /**
   * - `id`: an integer to REST and scripts, and text to GraphQL
   * - `word`: a value of an enum, lower case to REST and scripts, and upper case to GraphQL
   * - `list`: a list of records
   * - `value`: passed on
   */
  readonly kind: 'id' | 'word' | 'list' | 'value'
  /** The members of each record in a `list`. */
  readonly members: readonly Member[]
}

/** A kind of record, as callers see it. */
export interface RecordShape {
  /** The member of a REST body that contains it: `{"team_membership":{…}}`. */
  readonly name: string
  readonly members: readonly Member[]
  /** The fields that a document selects. */
  readonly selection: string
}

/** A member of an operation's input. */
export interface InputMember {
  readonly name: string
  readonly field: string
  /**
   * - `id`: an integer id
   * - `path`: the id in the path
   * - `text`: text or null; one that is left out stays as it is
   * - `value`: passed on
   * - `json`: a JSON value, which the gateway reads
   * - `ifMatch`: the versions that `If-Match` allows
   * - `constant`: always `byDefault`; for scripts only if they pass something true
   * - `version`: one version, as a list
   * - `document`: a JSON text, or the value that it stands for
   * - `labels`: an object of text, whose members may also stand beside it: `metadata[case_type_code]`
   * - `params`: the `params` of the options of a run
   */
  readonly kind:
    | 'id'
    | 'path'
    | 'text'
    | 'value'
    | 'json'
    | 'ifMatch'
    | 'constant'
    | 'version'
    | 'document'
    | 'labels'
    | 'params'
  readonly isRequired: boolean
  /** The value of a `document` that is left out, or of a `constant`. */
  readonly byDefault: string | null
  /** The members of `labels`. */
  readonly labels: readonly Label[]
}

export interface Label {
  readonly name: string
  readonly field: string
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** One GraphQL operation, with its REST path and its method of a script's `Platform`. It is plain data. */
export interface Operation {
  readonly method: Method
  readonly path: string
  /** Null if scripts have no such method. */
  readonly platform: { readonly object: string; readonly method: string } | null
  readonly document: string
  /** The root field of the document. */
  readonly field: string
  /**
   * The variables of the document, in the order of the arguments of the `Platform` method. Only REST passes
   * `ifVersions`.
   */
  readonly variables: readonly VariableName[]
  readonly input: readonly InputMember[]
  /** Input members that are arguments of the `Platform` method by themselves, before an object with the others. */
  readonly positional: readonly string[]
  /** Names the input members of which a request needs at least one, for messages; null if it needs none. */
  readonly needsOneOf: string | null
  readonly answer: RecordShape
  /** The field of the root field that holds the record; null if that is the record itself. */
  readonly within: string | null
  readonly isList: boolean
}

/** How the answer of a `Platform` method is shaped: `page` is `{cases: […], end_cursor}`. */
export type PlatformAnswer = 'record' | 'list' | 'page' | 'nothing'

/** The parts of an operation that a sandbox needs. It gets them as JSON. */
export interface PlatformMethod
  extends Pick<Operation, 'document' | 'field' | 'input' | 'positional' | 'within'> {
  readonly object: string
  readonly method: string
  /** The variables for the method's arguments, in their order. All of a `page` are members of its one argument. */
  readonly takes: readonly VariableName[]
  readonly answers: PlatformAnswer
  /** The name of the record, for the member of a page. */
  readonly record: string
  /** The members of the record that it resolves with. */
  readonly members: readonly Member[]
}

export type VariableName =
  | 'id'
  | 'ids'
  | 'input'
  | 'ifVersions'
  | 'filter'
  | 'first'
  | 'after'
  | 'caseId'
  | 'name'
  | 'params'
  | 'dryRun'
  | 'caseTypeCode'
  | 'exact'
  | 'ifLive'

interface OperationRow {
  /** `object.method` */
  readonly platform?: string
  readonly field: string
  /** The variables with their GraphQL types. */
  readonly variables: Readonly<Partial<Record<VariableName, string>>>
  readonly input?: readonly InputMember[]
  readonly positional?: readonly string[]
  readonly needsOneOf?: string
  readonly answer: RecordShape
  readonly within?: string
  readonly isList?: boolean
}

/** Makes an operation. Its document follows from the row. */
export function operation(route: `${Method} /${string}`, row: OperationRow): Operation {
  const [method, path] = route.split(' ') as [Method, string]
  const {
    platform,
    field,
    variables,
    input = [],
    positional = [],
    needsOneOf = null,
    answer,
    within = null,
    isList = false,
  } = row
  const [object = '', name = ''] = platform?.split('.') ?? []
  const names = Object.keys(variables) as VariableName[]
  const declared = names.map(variable => `$${variable}: ${variables[variable]}`)
  const passed = names.map(variable => `${variable}: $${variable}`)
  const type = method === 'GET' ? 'query' : 'mutation'
  const selection = within === null ? answer.selection : `${within} { ${answer.selection} }`
  return {
    method,
    path,
    platform: platform === undefined ? null : { object, method: name },
    document: `${type} (${declared.join(', ')}) { ${field}(${passed.join(', ')}) { ${selection} } }`,
    field,
    variables: names,
    input,
    positional,
    needsOneOf,
    answer,
    within,
    isList,
  }
}

/** Members by name: a kind, the selection of an object that is passed on, or the members of a list. */
interface MemberKinds {
  readonly [name: string]: 'id' | 'word' | 'value' | `{${string}}` | MemberKinds
}

/**
 * Makes a kind of record with its members in order. `more` are fields that documents select but records do not show.
 */
export function record(name: string, kinds: MemberKinds, more = ''): RecordShape {
  return { name, members: membersOf(kinds), selection: `${selectionOf(kinds)} ${more}`.trimEnd() }
}

function membersOf(kinds: MemberKinds): Member[] {
  return Object.entries(kinds).map(([name, kind]) => {
    const field = fieldOf(name)
    if (typeof kind === 'object') return { name, field, kind: 'list', members: membersOf(kind) }
    return { name, field, kind: kind === 'id' || kind === 'word' ? kind : 'value', members: [] }
  })
}

function selectionOf(kinds: MemberKinds): string {
  const fields = Object.entries(kinds).map(([name, kind]) => {
    if (typeof kind === 'object') return `${fieldOf(name)} { ${selectionOf(kind)} }`
    return kind.startsWith('{') ? `${fieldOf(name)} ${kind}` : fieldOf(name)
  })
  return fields.join(' ')
}

type InputOptions = Partial<Pick<InputMember, 'byDefault' | 'labels' | 'field'>>

/** Makes an input member. A kind that ends in `?` may be left out. */
export function member(
  name: string,
  kind: InputMember['kind'] | `${InputMember['kind']}?`,
  { byDefault = null, labels = [], field = fieldOf(name) }: InputOptions = {},
): InputMember {
  const isRequired = !kind.endsWith('?')
  const plain = kind.replace('?', '') as InputMember['kind']
  return { name, field, kind: plain, isRequired, byDefault, labels }
}

/** The GraphQL name of a member: `userId` for `user_id`. */
export function fieldOf(name: string): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
}

/** Returns the method of `Platform` for an operation; null if scripts have none. */
export function toPlatformMethod(
  { platform, document, field, variables, input, positional, answer, within, isList }: Operation,
  answers: PlatformAnswer = isList ? 'list' : 'record',
): PlatformMethod | null {
  if (platform === null) return null
  const takes = answers === 'nothing' ? variables : variables.filter(name => name !== 'ifVersions')
  const { members, name } = answer
  return { ...platform, document, field, takes, input, positional, members, within, answers, record: name }
}
