import { type GraphQLSchema, lexicographicSortSchema, printSchema } from 'graphql'

/** The text of `schema.graphql`. */
export function printSortedSchema(schema: GraphQLSchema): string {
  return `${printSchema(lexicographicSortSchema(schema))}\n`
}
