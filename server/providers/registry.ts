/**
 * The driver table, and what a route is once it is configured: which driver sits in which of the contract's slots.
 * Adding a driver adds one line to DRIVERS. `settings/routes.ts` reads the settings of a route.
 */
import type { z } from 'zod'
import type { ProviderRoute } from '../contract/fields.ts'
import type { Driver } from './driver.ts'
import type { FiscalDriver, RouteFiscal } from './fiscal/driver.ts'
import { SandboxFiscalSettings, sandboxFiscalDriver } from './fiscal/sandbox/driver.ts'
import { manualDriver } from './manual.ts'
import { sandboxDriver } from './sandbox/driver.ts'

/** Every member of `settings` has a description: the settings guide shows it. */
export const DRIVERS: Record<string, { driver: Driver; settings: z.ZodObject }> = {
  sandbox: { driver: sandboxDriver, settings: sandboxDriver.settings },
  manual: { driver: manualDriver, settings: manualDriver.settings },
}

/** Who prints the receipts of the payments on a route. */
export const FISCAL_DRIVERS: Record<
  string,
  { driver: FiscalDriver; liveCapable: boolean; settings: z.ZodObject }
> = {
  sandbox: { driver: sandboxFiscalDriver, liveCapable: false, settings: SandboxFiscalSettings },
}

/** A slot as configured. `missing` names the settings that are not set and must be; `reason` also says which are wrong. */
export type Route = {
  route: ProviderRoute
  driverName: string | null
  driver: Driver | null
  settings: Record<string, unknown>
  /** Null: its payments need no receipts. */
  fiscal: RouteFiscal | null
  missing: string[]
  reason: string
  /** The account's id. */
  id: string
  /** Whether the account moves real money. */
  live: boolean
}
/** An account at a provider: one contract with its credentials. Today each route has one. */
export type ReadyRoute = Route & { driver: Driver }
export type RouteTable = Record<ProviderRoute, Route>

export function isReady(route: Route): route is ReadyRoute {
  return route.driver !== null
}
