/** A member of a record, with both of its names. */
export interface Member {
  /** The name for REST and scripts: `user_id`. */
  readonly name: string
  /** The name for GraphQL: `userId`. */
  readonly field: string
  /**
   * - `id`: an integer to REST and scripts, and text to GraphQL
   * - `word`: a value of an enum, lower case to REST and scripts, and upper case to GraphQL
   * - `time`: passed on, the text of a `DateTime`
   * - `list`: a list of records
   * - `value`: passed on
   */
  readonly kind: 'id' | 'word' | 'time' | 'list' | 'value'
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

interface OperationRow {
  /** The root field of the document. */
  readonly field: string
  /** The variables with their GraphQL types. */
  readonly variables: Readonly<Record<string, string>>
  readonly answer: RecordShape
  /** The field of the root field that holds the record; null, by default, if that is the record itself. */
  readonly within?: string | null
}

/**
 * A GraphQL operation for REST, for a script's `Platform`, or both. Each side reads the values of the variables in its
 * own way. It is plain data.
 */
export interface Operation extends Required<OperationRow> {
  readonly type: 'query' | 'mutation'
  readonly document: string
}

export const query = (row: OperationRow): Operation => createOperation('query', row)
export const mutation = (row: OperationRow): Operation => createOperation('mutation', row)

// The document follows from the row.
function createOperation(type: Operation['type'], row: OperationRow): Operation {
  const { field, variables, answer, within = null } = row
  const declared = Object.entries(variables).map(([name, declaration]) => `$${name}: ${declaration}`)
  const passed = Object.keys(variables).map(name => `${name}: $${name}`)
  const selection = within === null ? answer.selection : `${within} { ${answer.selection} }`
  const document = `${type} (${declared.join(', ')}) { ${field}(${passed.join(', ')}) { ${selection} } }`
  return { type, field, variables, answer, within, document }
}

type PlainKind = Exclude<Member['kind'], 'list'>

/** Members by name: a kind, the selection of an object that is passed on, or the members of a list. */
interface MemberKinds {
  readonly [name: string]: PlainKind | `{${string}}` | MemberKinds
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
    return { name, field, kind: isPlain(kind) ? kind : 'value', members: [] }
  })
}

function isPlain(kind: string): kind is PlainKind {
  return !kind.startsWith('{')
}

function selectionOf(kinds: MemberKinds): string {
  const fields = Object.entries(kinds).map(([name, kind]) => {
    if (typeof kind === 'object') return `${fieldOf(name)} { ${selectionOf(kind)} }`
    return isPlain(kind) ? fieldOf(name) : `${fieldOf(name)} ${kind}`
  })
  return fields.join(' ')
}

/** The GraphQL name of a member: `userId` for `user_id`. */
export function fieldOf(name: string): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
}
