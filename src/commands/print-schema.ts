import { schema } from '../schema/index.ts'
import { printSortedSchema } from '../schema/print.ts'

/** The text of `schema.graphql`. */
export function printSchemaCommand(): string {
  return printSortedSchema(schema)
}
