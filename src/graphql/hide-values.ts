import { GraphQLError } from 'graphql'

/**
 * Returns the message of an error in a caller's document or variables, without the values that graphql-js repeats in
 * it, because a value may be a secret (contract, section 9, "Answers"). The error's position or path says which value
 * is meant.
 */
export function hideValues(error: GraphQLError): string {
  const { message, originalError } = error
  if (!(originalError instanceof GraphQLError)) return hideValue(message)
  // Matches a message about a bad variable: first the value, then its path, then what is wrong.
  const [, variable] = /^(Variable "\$\w+") got invalid value /.exec(message) ?? []
  const fault = `; ${originalError.message}`
  if (variable === undefined || !message.endsWith(fault)) return hideValue(message)
  const [place = ''] = / at "[\w.[\]]+"$/.exec(message.slice(0, -fault.length)) ?? []
  return `${variable} got invalid value${place}; ${hideValue(originalError.message)}`
}

// Messages that end with a value, up to that value, in the words of graphql-js.
const beforeValues = [
  /^(?:\w+|Enum "\w+") cannot represent [^:]*(?=:)/,
  /^Expected value of type "[^"]*"(?=, found )/,
  /^Argument "\w+" has invalid value(?= )/,
  /^Syntax Error: (?:Expected .{1,40}, found|Unexpected) (?:String|BlockString|Name|Int|Float)(?= ")/,
  /^Syntax Error: Invalid (?:Unicode|character) escape sequence(?=:)/,
]

function hideValue(message: string): string {
  for (const before of beforeValues) {
    const [start] = before.exec(message) ?? []
    if (start !== undefined) return `${start}.`
  }
  // The value is before the name of the enum, and may look like the end of the message itself.
  const [, enumName] = /^Value ".*" does not exist in ("\w+" enum)\./s.exec(message) ?? []
  if (enumName !== undefined) return `The value does not exist in ${enumName}.`
  return message
}
