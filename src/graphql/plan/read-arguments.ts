import { type FieldNode, type GraphQLField, getArgumentValues, isNonNullType, Kind, visit } from 'graphql'

export type Values = Readonly<Record<string, unknown>>

/** From the values of the variables to those of a field's arguments; throws what graphql-js throws. */
export type ReadArguments = (variables: Values) => Values

type Field = GraphQLField<unknown, unknown>

interface BareVariable {
  readonly name: string
  readonly variable: string
  readonly isNonNull: boolean
  readonly byDefault: unknown
}

const none: Values = Object.freeze({})

/** Reads what never changes once, and variables that stand alone without their text; anything else as graphql-js does. */
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
      // To be left out, to be null, or an error.
      else if (isNonNull || Object.hasOwn(variables, variable)) return readEach(variables)
    }
    return values
  }
}

function findBareVariables(field: Field, node: FieldNode): BareVariable[] {
  return field.args.map(({ name, type, defaultValue }) => {
    const value = node.arguments?.find(argument => argument.name.value === name)?.value
    // No variable can have an empty name: what is not given is never found, and has its default.
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

// They are the same for every request: none may change them for the next.
function freezeDeep(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  for (const part of Object.values(value)) freezeDeep(part)
  return Object.freeze(value)
}
