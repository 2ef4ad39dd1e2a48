import SchemaBuilder from '@pothos/core'
import RelayPlugin from '@pothos/plugin-relay'
import type { RequestContext } from '../context.ts'
import { relayOptions } from './relay/relay-options.ts'
import { scopePlugin } from './scopes/scope-plugin.ts'

export interface SchemaTypes {
  Context: RequestContext
  DefaultFieldNullability: false
  Scalars: {
    ID: { Input: string; Output: number | string }
    JSON: { Input: never; Output: unknown }
    DateTime: { Input: never; Output: Date }
  }
}

/**
 * Scopes are asked for on fields, never on object types: a credential that may only write still reads back what its
 * mutation returns (contract, section 1).
 */
export const builder = new SchemaBuilder<SchemaTypes>({
  plugins: [scopePlugin, RelayPlugin],
  defaultFieldNullability: false,
  relay: relayOptions,
})

builder.queryType({ description: 'What can be read.' })
builder.mutationType({ description: 'What can be changed, and run.' })
builder.subscriptionType({ description: 'What can be followed, as a stream of `text/event-stream`.' })
