import SchemaBuilder from '@pothos/core'
import RelayPlugin from '@pothos/plugin-relay'
import ScopeAuthPlugin from '@pothos/plugin-scope-auth'
import type { RequestContext } from '../context.ts'
import { hasScope, type Scope } from '../credentials/caller.ts'
import { refuseScope } from './refuse-scope.ts'
import { relayOptions } from './relay-options.ts'

export interface SchemaTypes {
  Context: RequestContext
  DefaultFieldNullability: false
  AuthScopes: { scope: Scope }
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
  plugins: [ScopeAuthPlugin, RelayPlugin],
  defaultFieldNullability: false,
  scopeAuth: {
    authScopes: context => ({ scope: scope => hasScope(context.caller, scope) }),
    unauthorizedError: (_parent, _context, info, result) => refuseScope(info, result.failure),
  },
  relay: relayOptions,
})

builder.queryType({ description: 'What can be read.' })
builder.mutationType({ description: 'What can be changed, and run.' })
