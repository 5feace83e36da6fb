/** What a signed-in visit may see: a world, read only, and of it perhaps one merchant. */
import { actAs, reading } from '../access/acting.ts'
import { expectOwn } from '../access/roles.ts'
import type { AnyRow } from '../acts/act.ts'
import { doAct, type Outcome, oneActOf, rehearseAct } from '../acts/do.ts'
import type { Act } from '../acts/policy.ts'
import type { Person } from '../audit/people.ts'
import type { Context } from '../context.ts'
import { TIME_ZONE } from '../contract/time-zone.ts'
import { AppError } from '../errors.ts'
import { getBranding, zoneOf } from '../merchants/branding.ts'
import { type Zones, zonesOf } from '../operator/finding/shop-days.ts'
import { findMerchant, type MerchantRecord } from '../storage/merchants/merchants.ts'
import { mainWorld } from '../worlds.ts'
import type { OwnVisit } from './page.ts'

/**
 * `ctx`: PostgreSQL refuses each write through it. `merchantId`: null for all merchants. `timeZone`: the shop's. `zones`: those of its
 * days, and for all merchants those of all their days.
 */
export type View = {
  ctx: Context
  world: string
  merchantId: string | null
  timeZone: string
  zones: Zones
}

/** @throws AppError not_found for a world that is not served */
export function worldOf({ worlds, params }: Pick<OwnVisit, 'worlds' | 'params'>): Context {
  const { world } = params
  const found = world === 'sandbox' || world === 'live' ? worlds[world] : undefined
  if (!found) throw new AppError('not_found')
  return found
}

/** The world of the visit for what the person does there. Each write leaves a row with the person's name. @throws AppError not_found */
export function writing(visit: OwnVisit, what: Act, about: string): Context {
  return actAs(worldOf(visit), visit.user, { address: visit.address, what, about }).ctx
}

/** What an act needs of a visit. */
export type Acting = Pick<OwnVisit, 'user' | 'address' | 'worlds' | 'params' | 'isProved'>

/**
 * Does an act that a page asks for, if the person may do it, after the second factor where the table of policies asks for one. `about`: the
 * ids that it concerns. The returned context is that of the act, for what belongs to it. @throws AppError those of the act
 */
export async function actFor(
  visit: Acting,
  row: AnyRow,
  about: string,
  given: object,
): Promise<Outcome & { ctx: Context }> {
  const { user, address, worlds } = visit
  // An act for both worlds is done in the main one. The sandbox beside a live world sends no mail, so nobody would be told.
  const world = row.everyWorld ? mainWorld(worlds) : worldOf(visit)
  const { ctx } = actAs(world, user, { address, what: row.name, about })
  const one = await oneActOf(ctx, row, given)
  if (one === null) return { ...(await doAct(ctx, user, row, given)), ctx }
  // What would be refused anyway asks nobody for a second factor.
  if (!visit.isProved(one)) await rehearseAct(ctx, user, row, given)
  await user.prove(one)
  return { ...(await doAct(ctx, proven(user), row, given)), ctx }
}

/** For an act for which the person has just shown once more who it is. */
const proven = ({ id, name, role }: OwnVisit['user']): Person => ({ id, name, role })

/** @throws AppError not_found */
export async function viewOf(visit: OwnVisit): Promise<View> {
  const ctx = reading(worldOf(visit))
  const { merchantId } = visit.user
  const own = merchantId === null ? undefined : (await getBranding(ctx, merchantId)).branding.timeZone
  const zones = merchantId === null ? await zonesOf(ctx, null) : ([own ?? TIME_ZONE] as const)
  const timeZone = zones.length === 1 ? zones[0] : TIME_ZONE
  visit.shown.timeZone = timeZone
  return { ctx, world: ctx.world, merchantId, timeZone, zones }
}

/** A page about one shop shows times and days in the shop's time zone, for every reader. */
export async function inShop(visit: OwnVisit, view: View, merchantId: string): Promise<View> {
  if (view.merchantId === merchantId) return view
  const timeZone = await zoneOf(view.ctx, merchantId)
  visit.shown.timeZone = timeZone
  return { ...view, timeZone, zones: [timeZone] }
}

/** `path`: the start of the addresses of the shop's screens. */
export type ShopView = View & { merchantId: string; merchant: MerchantRecord; path: string }

/** Returns the shop that the address names. A shop of another merchant is not found either. @throws AppError not_found */
export async function shopOf(visit: OwnVisit): Promise<ShopView> {
  const { merchant: id = '' } = visit.params
  const ctx = reading(worldOf(visit))
  const merchant = await findMerchant(ctx.db, id)
  if (!merchant) throw new AppError('not_found')
  expectOwn(visit.user, merchant.id)
  const { branding } = await getBranding(ctx, id)
  const path = `/${ctx.world}/shops/${id}`
  const timeZone = branding.timeZone ?? TIME_ZONE
  visit.shown.timeZone = timeZone
  return { ctx, world: ctx.world, merchantId: id, merchant, path, timeZone, zones: [timeZone] }
}
