import type { InputMember, Label, Member, PlatformMethod } from '../../scripts/protocol.ts'
import type { Language } from './language.ts'
import type { RealmParts } from './realm-parts.ts'

/**
 * Asks the gateway as `graphql()` does. `where` names the variables in errors. With `mustBeFinite`, infinite numbers
 * and NaN are refused.
 */
export type Ask = (
  query: string,
  variables: object,
  url: string,
  where: string,
  mustBeFinite: boolean,
) => Promise<unknown>

/** Runs a method of `Platform` with the arguments of the script. */
export type PlatformCalls = (method: PlatformMethod, given: readonly unknown[]) => Promise<unknown>

interface Answer {
  data?: Record<string, unknown> | null
  errors?: Failure[]
}

interface Failure {
  message: string
  extensions?: { code?: string; reason?: string }
}

/**
 * Makes what the methods of `Platform` do, with field names as on the REST side (contract, section 4). A refusal
 * rejects with its message, its code as `code` and its reason as `reason`. Runs inside the isolate as text.
 */
export function makePlatformCalls(
  language: Language,
  json: RealmParts['json'],
  askGateway: Ask,
): PlatformCalls {
  const { Error, TypeError, keysOf, lowerCase, slice } = language

  type Row = Record<string, unknown>

  const toRefusal = (failure: Error, { message, extensions }: Failure): Error => {
    failure.message = message
    const refusal = failure as Error & { code?: string | undefined; reason?: string }
    refusal.code = extensions?.code
    const reason = extensions?.reason
    if (reason !== undefined) refusal.reason = reason
    return refusal
  }

  // What `graphql()` puts before the message of a call that was refused as a whole. All statuses have three digits.
  const prefix = 'graphql: the gateway answered 400: '
  const start = slice(prefix, 0, -'400: '.length)

  const ask = async (
    { object, method, document, sendsData }: PlatformMethod,
    variables: Row,
  ): Promise<Answer> => {
    const where = `what \`Platform.${object}.${method}\` sends`
    try {
      return (await askGateway(document, variables, '', where, sendsData)) as Answer
    } catch (error) {
      const refusal = error as Error & { code?: string }
      if (refusal.code !== undefined && slice(refusal.message, 0, start.length) === start)
        refusal.message = slice(refusal.message, prefix.length)
      throw refusal
    }
  }

  const toRecord = (members: readonly Member[], row: unknown): Row | null => {
    if (row === null || row === undefined) return null
    const record: Row = {}
    for (let i = 0; i < members.length; i++) {
      const member = members[i] as Member
      record[member.name] = toValue(member, (row as Row)[member.field])
    }
    return record
  }

  const toRecords = (members: readonly Member[], rows: unknown[]): unknown[] => {
    const records: unknown[] = []
    for (let i = 0; i < rows.length; i++) records[i] = toRecord(members, rows[i])
    return records
  }

  const toValue = ({ kind, members }: Member, value: unknown): unknown => {
    if (kind === 'id') return +(value as string)
    if (kind === 'word') return lowerCase(value as string)
    return kind === 'list' ? toRecords(members, value as unknown[]) : value
  }

  const fitsId = (isRequired: boolean, id: unknown) =>
    typeof id === 'number' || typeof id === 'string' || (id === undefined && !isRequired)

  const readVersions = (version: unknown) => (version === undefined || version === null ? null : [version])

  // Text is the document itself. Undefined stays, so that the gateway says that the document is required.
  const readDocument = (name: string, given: unknown, byDefault: string | null) => {
    const value = byDefault === null ? given : (given ?? byDefault)
    return typeof value === 'string' || value === undefined ? value : json.sent(value, `\`${name}\``)
  }

  const readLabels = (name: string, labels: readonly Label[], given: Row | null | undefined): Row => {
    const own = given?.[name] as Row | null | undefined
    const values: Row = {}
    for (let i = 0; i < labels.length; i++) {
      const label = labels[i] as Label
      values[label.field] = own?.[label.name] ?? given?.[`${name}[${label.name}]`] ?? null
    }
    return values
  }

  const readMember = (member: InputMember, given: Row | null | undefined): unknown => {
    const { name } = member
    const value = given?.[name]
    switch (member.kind) {
      case 'value':
        return value
      case 'id':
        if (fitsId(member.isRequired, value)) return value
        // Checked here, because the gateway's message would have the field names of GraphQL.
        throw new TypeError(`\`${name}\` must be the integer id of a ${slice(name, 0, -'_id'.length)}`)
      case 'flag':
        return value ? member.value : undefined
      case 'version':
        return value == null ? undefined : [value]
      case 'document':
        return readDocument(name, value, member.byDefault)
      case 'labels':
        return readLabels(name, member.labels, given)
      case 'params':
        return value === undefined ? undefined : { params: value }
      default:
        return member satisfies never
    }
  }

  const readInput = (members: readonly InputMember[], given: Row | null | undefined): Row => {
    const input: Row = {}
    for (let i = 0; i < members.length; i++) {
      const member = members[i] as InputMember
      const value = readMember(member, given)
      if (value !== undefined) input[member.field] = value
    }
    return input
  }

  const includes = (names: readonly string[], wanted: string): boolean => {
    for (let i = 0; i < names.length; i++) if (names[i] === wanted) return true
    return false
  }

  const otherMember = (
    { object, method }: PlatformMethod,
    name: string,
    optional: readonly string[],
  ): Error => {
    let list = ''
    for (let i = 0; i < optional.length; i++) list += `${i === 0 ? '' : ', '}\`${optional[i]}\``
    const sent = `\`Platform.${object}.${method}\` takes no \`${slice(name, 0, 100)}\``
    const refusal = new TypeError(`${sent}; it takes ${list}`) as Error & { code?: string }
    refusal.code = 'BAD_USER_INPUT'
    return refusal
  }

  // As in JSON, a member that is undefined is not there.
  const namesOf = (given: object): string[] => {
    const keys = keysOf(given)
    const names: string[] = []
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i] as string
      if ((given as Row)[key] !== undefined) names[names.length] = key
    }
    return names
  }

  const labelsOf = (member: InputMember, given: Row): string[] => {
    const own = member.kind === 'labels' ? given[member.name] : null
    if (typeof own !== 'object' || own === null) return []
    const labels = namesOf(own)
    for (let i = 0; i < labels.length; i++) labels[i] = `${member.name}[${labels[i]}]`
    return labels
  }

  // Without its misspelt member, a call would do something else: replace the data in place of merging, for example.
  const checkMembers = (method: PlatformMethod, given: unknown): void => {
    const { input, leftOut, optional } = method
    if (optional === null || typeof given !== 'object' || given === null) return
    const refuseUnknown = (names: readonly string[], others: readonly string[]) => {
      for (let i = 0; i < names.length; i++) {
        const name = names[i] as string
        if (!includes(optional, name) && !includes(others, name)) throw otherMember(method, name, optional)
      }
    }
    const names = namesOf(given)
    const others = leftOut.beside === null || includes(names, leftOut.beside) ? leftOut.members : []
    if (others === null) return
    refuseUnknown(names, others)
    for (let i = 0; i < input.length; i++) refuseUnknown(labelsOf(input[i] as InputMember, given as Row), [])
  }

  // Combines the arguments into one object: positional arguments first, then an object with the other members.
  const gather = (positional: readonly string[], given: readonly unknown[], from: number): Row => {
    const rest = given[from + positional.length] as Row
    if (positional.length === 0) return rest
    const row: Row = { ...rest }
    for (let i = 0; i < positional.length; i++) row[positional[i] as string] = given[from + i]
    return row
  }

  // Reads one variable. A page takes all its variables from one argument. A version has an argument of its own.
  const readVariable = ({ input, answers }: PlatformMethod, name: string, given: unknown): unknown => {
    if (name === 'input' || name === 'filter') return readInput(input, given as Row)
    if (name === 'ifVersions') {
      return readVersions((given as Row | null | undefined)?.if_version)
    }
    return answers === 'page' ? ((given as Row | null | undefined)?.[name] ?? null) : given
  }

  const readAnswer = ({ members, answers, within, record }: PlatformMethod, answer: unknown): unknown => {
    if (answers === 'nothing') return null
    if (answers === 'list') return toRecords(members, answer as unknown[])
    if (answers === 'record') return toRecord(members, within === null ? answer : (answer as Row)[within])
    const { nodes, pageInfo } = answer as { nodes: unknown[]; pageInfo: { endCursor: unknown } }
    const page: Row = {}
    page[`${record}s`] = toRecords(members, nodes)
    page.end_cursor = pageInfo.endCursor
    return page
  }

  return async (method, given) => {
    // Created now, so that its stack shows the script's line that called, not the arrival of the answer.
    const failure = new Error('')
    const { field, takes, answers } = method
    const variables: Row = {}
    const last = takes.length - 1 + method.positional.length
    checkMembers(method, given[answers === 'page' ? 0 : last])
    for (let i = 0; i < takes.length; i++) {
      const name = takes[i] as string
      const value = name === 'input' ? gather(method.positional, given, i) : given[answers === 'page' ? 0 : i]
      variables[name] = readVariable(method, name, value)
    }
    const answer = await ask(method, variables)
    const first = answer.errors?.[0]
    if (first !== undefined) throw toRefusal(failure, first)
    return readAnswer(method, answer.data?.[field])
  }
}
