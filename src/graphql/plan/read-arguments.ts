import { type FieldNode, type GraphQLField, getArgumentValues, isNonNullType, Kind, visit } from 'graphql'

export type Values = Readonly<Record<string, unknown>>

/** Computes the arguments of a field from the variables. Throws the errors of graphql-js. */
export type ReadArguments = (variables: Values) => Values

type Field = GraphQLField<unknown, unknown>

interface BareVariable {
  readonly name: string
  readonly variable: string
  readonly isNonNull: boolean
  readonly byDefault: unknown
}

const none: Values = Object.freeze({})

/** Plans how to read a field's arguments: constant ones once, single variables directly, all others with graphql-js. */
export function planArguments(field: Field, node: FieldNode): ReadArguments {
  if (field.args.length === 0) return () => none
  if (!hasVariables(node)) {
    const values = freezeDeep(getArgumentValues(field, node, {})) as Values
    return () => values
  }
  const readEach = (variables: Values) => getArgumentValues(field, node, variables)
  const given = node.arguments ?? []
  if (given.some(({ value }) => value.kind !== Kind.VARIABLE)) return readEach
  return planBareVariables(findBareVariables(field, node), readEach)
}

function planBareVariables(bare: readonly BareVariable[], readEach: ReadArguments): ReadArguments {
  return variables => {
    const values: Record<string, unknown> = {}
    for (const { name, variable, isNonNull, byDefault } of bare) {
      const value = Object.hasOwn(variables, variable) ? variables[variable] : byDefault
      if (value != null) values[name] = value
      // graphql-js decides whether this argument is absent, null or an error.
      else if (isNonNull || Object.hasOwn(variables, variable)) return readEach(variables)
    }
    return values
  }
}

function findBareVariables(field: Field, node: FieldNode): BareVariable[] {
  return field.args.map(({ name, type, defaultValue }) => {
    const value = node.arguments?.find(argument => argument.name.value === name)?.value
    // The empty name stands for "no variable". No variable has it, so the look-up fails and the argument gets its
    // default.
    const variable = value?.kind === Kind.VARIABLE ? value.name.value : ''
    return { name, variable, isNonNull: isNonNullType(type), byDefault: defaultValue }
  })
}

function hasVariables(node: FieldNode): boolean {
  let found = false
  for (const argument of node.arguments ?? []) {
    visit(argument, {
      Variable() {
        found = true
      },
    })
  }
  return found
}

// Freezes a value that all requests share, so that no request can change it.
function freezeDeep(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  for (const part of Object.values(value)) freezeDeep(part)
  return Object.freeze(value)
}
