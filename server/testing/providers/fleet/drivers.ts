/** The drivers of the service with their simulators: one line for each. */

import type { Driver } from '../../../providers/driver.ts'
import { idramDriver } from '../../../providers/idram/driver.ts'
import { paypalDriver } from '../../../providers/paypal/driver.ts'
import { rbsDriver } from '../../../providers/rbs/driver.ts'
import { sandboxDriver } from '../../../providers/sandbox/driver.ts'
import { stripeDriver } from '../../../providers/stripe/driver.ts'
import type { DriverSimulator } from '../driver-bench.ts'
import { startIdramBench } from '../idram/bench.ts'
import { startPaypalBench } from '../paypal-bench.ts'
import { startRbsBench } from '../rbs/bench.ts'
import { startSandboxBench } from '../sandbox-bench.ts'
import { startStripeBench } from '../stripe-bench.ts'

/** `settingsAt`: of an account whose requests go to `origin`, as an operator writes them. */
export type Simulated = Omit<DriverSimulator<object>, 'settings'> & {
  settingsAt(origin: string, steps: 'one' | 'two'): Record<string, string>
}
export type FleetRow = Pick<Driver, 'currencies'> & { hasSteps: boolean; start(): Promise<Simulated> }

function row<Settings extends object>(
  { currencies, settings: schema }: Pick<Driver<Settings>, 'currencies' | 'settings'>,
  start: () => Promise<DriverSimulator<Settings>>,
): FleetRow {
  return {
    currencies,
    hasSteps: 'STEPS' in schema.shape,
    async start() {
      const { settings, ...simulator } = await start()
      return {
        ...simulator,
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
  idram: row(idramDriver, () => startIdramBench()),
}
