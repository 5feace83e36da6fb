/** What a driver is handed: this route's settings and the ways out, and nothing else of Kassa. */
import type { Context } from '../context.ts'
import type { ProviderCall } from '../providers/driver.ts'
import type { ReadyRoute } from '../providers/routes.ts'

export function providerCall(ctx: Context, route: ReadyRoute): ProviderCall {
  return { now: () => ctx.clock.now(), settings: route.settings, bank: ctx.bank }
}
