/** What a signed-in visit may see: a world, read only, and of it perhaps one merchant. */
import { reading } from '../access/acting.ts'
import type { Context } from '../context.ts'
import { TIME_ZONE } from '../contract/time-zone.ts'
import { AppError } from '../errors.ts'
import { getBranding } from '../merchants/branding.ts'
import type { OwnVisit } from './page.ts'

/** `ctx`: PostgreSQL refuses each write through it. `merchantId`: null for all merchants. `timeZone`: the shop's. */
export type View = { ctx: Context; world: string; merchantId: string | null; timeZone: string }

/** @throws AppError not_found for a world that is not served */
export function worldOf({ worlds, params }: Pick<OwnVisit, 'worlds' | 'params'>): Context {
  const { world } = params
  const found = world === 'sandbox' || world === 'live' ? worlds[world] : undefined
  if (!found) throw new AppError('not_found')
  return found
}

/** @throws AppError not_found */
export async function viewOf(visit: OwnVisit): Promise<View> {
  const ctx = reading(worldOf(visit))
  const { merchantId } = visit.user
  const timeZone = merchantId === null ? undefined : (await getBranding(ctx, merchantId)).branding.timeZone
  return { ctx, world: ctx.world, merchantId, timeZone: timeZone ?? TIME_ZONE }
}
