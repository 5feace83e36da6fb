/**
 * The driver table, and the type of a provider account: a driver with settings, in one of the contract's slots.
 * Adding a driver adds one line to DRIVERS. `settings/routes.ts` reads the settings of a route.
 */
import type { z } from 'zod'
import type { ProviderRoute } from '../contract/fields.ts'
import { ameriaDriver } from './ameria/driver.ts'
import { ameriaProof } from './ameria/proof.ts'
import type { DriverAssumptions } from './driver/proof.ts'
import { watched } from './driver/watched.ts'
import type { Driver, KeyedWrite } from './driver.ts'
import type { FiscalDriver, RouteFiscal } from './fiscal/driver.ts'
import { SandboxFiscalSettings, sandboxFiscalDriver } from './fiscal/sandbox/driver.ts'
import { idramDriver } from './idram/driver.ts'
import { manualDriver } from './manual.ts'
import { paypalDriver } from './paypal/driver.ts'
import { paypalProof } from './paypal/proof.ts'
import { rbsDriver } from './rbs/driver.ts'
import { rbsProof } from './rbs/proof.ts'
import { sandboxDriver } from './sandbox/driver.ts'
import { stripeDriver } from './stripe/driver.ts'
import { stripeProof } from './stripe/proof.ts'

/** `proof`: what the driver assumes of its provider, and what may be kept of their exchanges. */
type DriverRow = { driver: Driver; settings: z.ZodObject; proof?: DriverAssumptions }

/** Every member of `settings` has a description: the settings guide shows it. */
export const DRIVERS: Record<string, DriverRow> = {
  sandbox: { driver: sandboxDriver, settings: sandboxDriver.settings },
  stripe: { driver: watched(stripeDriver), settings: stripeDriver.settings, proof: stripeProof },
  manual: { driver: manualDriver, settings: manualDriver.settings },
  paypal: { driver: watched(paypalDriver), settings: paypalDriver.settings, proof: paypalProof },
  rbs: { driver: watched(rbsDriver), settings: rbsDriver.settings, proof: rbsProof },
  idram: { driver: idramDriver, settings: idramDriver.settings },
  ameria: { driver: watched(ameriaDriver), settings: ameriaDriver.settings, proof: ameriaProof },
}

/** The cash register that prints the receipts of the payments on a route. */
export const FISCAL_DRIVERS: Record<
  string,
  { driver: FiscalDriver; liveCapable: boolean; settings: z.ZodObject }
> = {
  sandbox: { driver: sandboxFiscalDriver, liveCapable: false, settings: SandboxFiscalSettings },
}

/**
 * An account at a provider: one contract, with its credentials opened. Its money is paid out to the party that signed the contract.
 */
export type Account = {
  id: string
  /** Rises with every change of its settings. Absent: the settings do not change while the process runs. */
  version?: number
  /** Whether it moves real money. */
  live: boolean
  route: ProviderRoute
  driverName: string
  driver: Driver
  /** As the driver's own schema parsed them, credentials included. */
  settings: Record<string, unknown>
  /** Null: its payments need no receipts. */
  fiscal: RouteFiscal | null
  /** Where the account's contract takes other amounts than its provider documents. */
  amountBounds: NonNullable<Driver['amountBounds']>
}

/** Returns for how long the account's provider knows a repetition of the write. 0: it does not. */
export function keyLifetimeMs(
  { driver, settings }: Pick<Account, 'driver' | 'settings'>,
  write: KeyedWrite,
): number {
  return driver.keyed?.(settings)[write] ?? 0
}

/**
 * The deployment's own account of a slot, from the settings. `missing` names required settings that are not set. `reason` also
 * says which settings are wrong.
 */
export type Route = Omit<Account, 'driverName' | 'driver'> & {
  driverName: string | null
  driver: Driver | null
  /** Open to every merchant of its world. */
  shared: boolean
  /** The settings as they were written, credentials included. Their names are without the route's prefix. */
  written: Record<string, string>
  missing: string[]
  /** The credentials belong to the other world. */
  misplaced: boolean
  reason: string
}
export type RouteTable = Record<ProviderRoute, Route>

export function isReady(route: Route): route is Route & Account {
  return route.driver !== null
}
