/** The address at which a provider reports to an account. */
import type { Context } from '../context.ts'
import { DRIVERS } from '../providers/registry.ts'

/** Returns where the provider of this account tells us that something has happened. */
export function callbackUrlOf(ctx: Pick<Context, 'baseUrl'>, { id }: { id: string }): string {
  return `${ctx.baseUrl}/callbacks/${id}`
}

/**
 * Returns where this account's provider sends every buyer back, if that is set up there. Null if the driver names an address for
 * each order.
 */
export function shownReturnUrl(
  ctx: Pick<Context, 'baseUrl'>,
  { id, driver }: { id: string; driver: string },
): string | null {
  return DRIVERS[driver]?.driver.fixedReturn ? `${ctx.baseUrl}/returns/${id}` : null
}

/** Returns the address for people. Null if this driver's provider reports nothing. */
export function shownCallbackUrl(
  ctx: Pick<Context, 'baseUrl'>,
  { id, driver }: { id: string; driver: string },
): string | null {
  return DRIVERS[driver]?.driver.inbound ? callbackUrlOf(ctx, { id }) : null
}
