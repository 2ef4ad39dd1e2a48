import { lexicographicSortSchema, printSchema } from 'graphql'
import { schema } from '../schema/index.ts'

/** The text of `schema.graphql`. */
export function printSortedSchema(): string {
  return `${printSchema(lexicographicSortSchema(schema))}\n`
}
