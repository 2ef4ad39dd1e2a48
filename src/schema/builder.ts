import SchemaBuilder from '@pothos/core'
import RelayPlugin from '@pothos/plugin-relay'
import type { RequestContext } from '../context.ts'
import type { GivenJson } from '../json/read-json.ts'
import { relayOptions } from './relay/relay-options.ts'
import { scopePlugin } from './scopes/scope-plugin.ts'

export interface SchemaTypes {
  Context: RequestContext
  DefaultFieldNullability: false
  Scalars: {
    ID: { Input: string; Output: number | string }
    JSON: { Input: GivenJson; Output: unknown }
    DateTime: { Input: Date; Output: Date }
  }
}

/**
 * Fields require scopes, object types do not: a credential that may only write can still read what its mutation
 * returns (contract, section 1).
 */
export const builder = new SchemaBuilder<SchemaTypes>({
  plugins: [scopePlugin, RelayPlugin],
  defaultFieldNullability: false,
  relay: relayOptions,
})

builder.queryType({ description: 'Operations that read data.' })
builder.mutationType({ description: 'Operations that change data or run a script.' })
builder.subscriptionType({ description: 'Operations that stream data as `text/event-stream`.' })
