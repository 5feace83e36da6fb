import { expect, test } from 'vitest'
import { presentCapabilities } from '../payments/capability.ts'
import { readRoutes } from './routes.ts'

const WRONG: Record<string, Record<string, string>> = {
  'an unknown driver': { ROUTE_A_DRIVER: 'nobody' },
  'an unknown value': { ROUTE_A_DRIVER: 'sandbox', ROUTE_A_STEPS: 'three' },
  'several unknown values': {
    ROUTE_A_DRIVER: 'sandbox',
    ROUTE_A_STEPS: 'three',
    ROUTE_A_FAULT: 'foo',
    ROUTE_A_RENEWALS: 'x',
  },
  'an unknown register': { ROUTE_A_DRIVER: 'sandbox', ROUTE_A_FISCAL: 'nobody' },
}

test.each(Object.entries(WRONG))(
  'missingEnv does not list a setting that is set but wrong: %s',
  (_, given) => {
    for (const mode of ['sandbox', 'live'] as const) {
      const config = { defaultProvider: 'route_a' } as never
      const clock = { now: () => new Date() } as never
      const accounts = { recall: () => null } as never
      const { providers } = presentCapabilities({
        routes: readRoutes(mode, given),
        accounts,
        config,
        clock,
        world: mode,
      })
      const route = providers.find(({ id }) => id === 'route_a')
      expect(route?.readiness).toMatchObject({ enabledForPaymentCreation: false, missingEnv: [] })
      for (const name of Object.keys(given).slice(-1)) expect(route?.readiness.reason).toContain(name)
    }
  },
)
