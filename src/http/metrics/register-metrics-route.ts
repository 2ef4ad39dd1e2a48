import type { FastifyInstance } from 'fastify'
import { hasScope } from '../../credentials/caller.ts'
import { RostrumError } from '../../errors.ts'
import { metricsType } from '../../metrics/metrics.ts'
import { metricsPath } from '../paths.ts'
import type { Registration } from '../registration.ts'
import { createAuthenticationHook } from '../request/authenticate-request.ts'

/**
 * Registers `/metrics` for credentials with the scope `metrics:read` (contract, section 11). It is not there if the
 * metrics have a port of their own.
 */
export function registerMetricsRoute(server: FastifyInstance, { services, takeTurn }: Registration): void {
  const { authenticate, printMetrics } = services
  if (printMetrics === null) return
  const onRequest = [createAuthenticationHook(authenticate), takeTurn]
  server.get(metricsPath, { onRequest }, async ({ state }, reply) => {
    if (!hasScope(state.checkedIdentity.caller, 'metrics:read')) throw lacksScope()
    return reply.type(metricsType).send(await printMetrics())
  })
}

function lacksScope(): RostrumError {
  return new RostrumError(
    'FORBIDDEN',
    'This credential lacks the scope `metrics:read`, which `admin` does not include: run `npm run token -- --account ' +
      '<code> --scope metrics:read`.',
    { facts: { scope: 'metrics:read' } },
  )
}
