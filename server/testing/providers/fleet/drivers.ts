/** The drivers of the service with their simulators: one line for each. */

import { ameriaDriver } from '../../../providers/ameria/driver.ts'
import type { Driver, Keyed } from '../../../providers/driver.ts'
import { idramDriver } from '../../../providers/idram/driver.ts'
import { paypalDriver } from '../../../providers/paypal/driver.ts'
import { rbsDriver } from '../../../providers/rbs/driver.ts'
import { sandboxDriver } from '../../../providers/sandbox/driver.ts'
import { stripeDriver } from '../../../providers/stripe/driver.ts'
import { startAmeriaBench } from '../ameria/bench.ts'
import type { DriverSimulator } from '../driver-bench.ts'
import { startIdramBench } from '../idram/bench.ts'
import { startPaypalBench } from '../paypal-bench.ts'
import { startRbsBench } from '../rbs/bench.ts'
import { startSandboxBench } from '../sandbox-bench.ts'
import { startStripeBench } from '../stripe-bench.ts'

/** `settingsAt`: of an account whose requests go to `origin`, as an operator writes them. `keyed`: what it does once if it is repeated. */
export type Simulated = Omit<DriverSimulator<object>, 'settings'> & {
  settingsAt(origin: string, steps: 'one' | 'two'): Record<string, string>
  keyed: Keyed
}
export type FleetRow = Pick<Driver, 'currencies'> & { hasSteps: boolean; start(): Promise<Simulated> }

function row<Settings extends object>(
  { currencies, settings: schema, keyed }: Pick<Driver<Settings>, 'currencies' | 'settings' | 'keyed'>,
  start: () => Promise<DriverSimulator<Settings>>,
): FleetRow {
  return {
    currencies,
    hasSteps: 'STEPS' in schema.shape,
    async start() {
      const { settings, ...simulator } = await start()
      return {
        ...simulator,
        keyed: keyed?.(settings(simulator.origin, { credentials: 'right', steps: 'one' })) ?? {},
        settingsAt: (origin, steps) => textsOf(settings(origin, { credentials: 'right', steps })),
      }
    },
  }
}

const textsOf = (settings: object) =>
  Object.fromEntries(
    Object.entries(settings).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  )

export const FLEET: Record<string, FleetRow> = {
  sandbox: row(sandboxDriver, startSandboxBench),
  stripe: row(stripeDriver, () => startStripeBench()),
  paypal: row(paypalDriver, () => startPaypalBench()),
  rbs: row(rbsDriver, () => startRbsBench()),
  ameria: row(ameriaDriver, () => startAmeriaBench()),
  idram: row(idramDriver, () => startIdramBench()),
}
