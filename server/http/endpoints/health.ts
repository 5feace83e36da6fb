import { HealthResponse } from '../../contract/health.ts'
import { cost } from '../../limits/cost.ts'
import { VERSION } from '../../version.ts'
import { endpoint } from '../endpoint.ts'

export const health = endpoint({
  method: 'get',
  path: '/api/health',
  auth: { kind: 'none' },
  limited: 'none',
  stranger: { body: 0, once: cost(8), flood: cost(1) },
  summary: 'Health of the service',
  description:
    'Needs no token. `ready` is false while no requests should be sent to the service, and `blockers` gives the reasons for people. In sandbox mode `sandboxClock` has the sandbox’s time.',
  response: HealthResponse,
  errors: ['method_not_allowed'],
  async handle(ctx) {
    const blockers = await ctx.readinessBlockers()
    const state = {
      ok: true,
      ready: blockers.length === 0,
      service: 'kassa',
      version: VERSION,
      mode: ctx.config.mode,
    } as const
    const { sandbox } = ctx.clock
    const clock = sandbox && {
      now: ctx.clock.now().toISOString(),
      aheadSeconds: Math.round(sandbox.aheadMs() / 1000),
    }
    return {
      body: {
        ...state,
        ...(blockers.length > 0 && { blockers }),
        ...(clock && { sandboxClock: clock }),
      } satisfies HealthResponse,
    }
  },
})
