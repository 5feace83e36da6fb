/**
 * Somebody who tests stolen cards at a shop causes many declines. After several declines the service opens no order for a while. It counts
 * the declines of the payment, of the address, and of the card's last four digits. At a shop with many declines, fewer declines of a
 * caller are enough. The buyer sees the page of the last decline again, so a card tester does not notice the limit.
 * Rule: a caller without a decline of his own is never stopped.
 */
import type { Context } from '../../context.ts'
import type { Attempt } from '../../storage/payments/attempt.ts'
import { listAttempts } from '../../storage/payments/attempt-orders.ts'
import { listDeclinedOrders } from '../../storage/payments/attempts.ts'
import type { AttemptedPayment } from '../../storage/payments/payment.ts'
import type { AttemptFacts } from './attempt.ts'

/** What a process remembers: the newest payments and counted orders of each address, and the newest addresses. */
const PAYMENTS_OF_ADDRESS_MAX = 10
const ORDERS_OF_ADDRESS_MAX = 100
const ADDRESSES_MAX = 10_000
/** An order begins a moment before it is noted here, so orders since this time before count as the caller's own. */
const BEGUN_BEFORE_MS = 30_000
/** `payments`: for each payment, from when on its orders count for this address. `counted`: the orders whose decline was counted. */
type Remembered = { payments: Map<string, number>; counted: Set<string> }
const remembered = new WeakMap<Context['db'], Map<string, Remembered>>()

const NOTHING: Remembered = { payments: new Map(), counted: new Set() }
/** The limit of a caller's own declines while the shop has many. An honest buyer seldom mistypes a card more than twice. */
const OWN_MAX_AT_BUSY_SHOP = 3

/** The limit of log lines for each merchant. */
const LINES = { perSecond: 1 / 60, burst: 5 }

type LimitName = keyof NonNullable<Context['config']['rateLimits']>
type Subject = { merchantId: string; address: string | undefined }

/** Remembers that an order is opened for this address. If it is declined, that counts at the next call from the address. */
export function rememberOpening(
  { db, clock }: Context,
  address: string | undefined,
  paymentId: string,
): void {
  if (address === undefined) return
  const known = remembered.get(db) ?? new Map<string, Remembered>()
  remembered.set(db, known)
  const { payments, counted } = known.get(address) ?? {
    payments: new Map(),
    counted: new Set(),
  }
  known.delete(address)
  if (known.size >= ADDRESSES_MAX) known.delete(known.keys().next().value ?? '')
  if (!payments.has(paymentId)) payments.set(paymentId, clock.now().getTime() - BEGUN_BEFORE_MS)
  if (payments.size > PAYMENTS_OF_ADDRESS_MAX) payments.delete(payments.keys().next().value ?? '')
  known.set(address, { payments, counted })
}

type Standing = Pick<Attempt, 'state' | 'facts'>

/** Counts a newly reported decline. `standing`: the state that the provider has just reported. */
export async function noteDecline(
  ctx: Context,
  payment: AttemptedPayment,
  standing: Standing,
): Promise<void> {
  const { merchantId, singleAttempt, attempt } = payment
  // No buyer is there when a saved method is charged.
  if (singleAttempt || !isDeclined(standing) || isDeclined(attempt)) return
  ctx.metrics.declined('declined')
  await spend(ctx, 'declines_shop', merchantId)
  const card = lastFourOf(standing.facts)
  if (card) await spend(ctx, 'declines_card', `${merchantId} ${card}`)
}

/** Some providers keep an order open after a decline. */
function isDeclined({ state, facts }: Standing): boolean {
  const { declineCategory } = (facts ?? {}) as AttemptFacts
  return state === 'declined' || (state === 'open' && declineCategory !== undefined)
}

/** Returns whether no order may be opened now for this address. `payment`: the payment for which another order would be opened. */
export async function isCardTesting(
  ctx: Context,
  subject: Subject,
  payment?: AttemptedPayment,
): Promise<boolean> {
  if (!(await hasTooMany(ctx, subject, payment))) return false
  ctx.metrics.declined('held_back')
  const { waitMs } = await ctx.buckets.take(`declines_log ${subject.merchantId}`, LINES)
  const about = { merchantId: subject.merchantId, ...(payment && { paymentId: payment.id }) }
  if (waitMs === 0) ctx.log.warn(about, 'no order is opened for now, because of too many declines')
  return true
}

async function hasTooMany(
  ctx: Context,
  { merchantId, address }: Subject,
  payment: AttemptedPayment | undefined,
): Promise<boolean> {
  const limits = ctx.config.rateLimits
  if (!limits) return false
  const { burst, perSecond } = limits.declines_address
  const declined = payment
    ? (await listAttempts(ctx.db, payment)).filter(({ state }) => state === 'declined')
    : []
  const last = declined.at(-1)
  const ofAddress = await countDeclines(ctx, address)
  const isRecent =
    last !== undefined && ctx.clock.now().getTime() - last.begunAt.getTime() < 1_000 / perSecond
  const own = Math.max(ofAddress, isRecent ? declined.length : 0)
  if (own >= burst) return true
  const card = lastFourOf(last?.facts)
  if (card !== null && (await isSpent(ctx, 'declines_card', `${merchantId} ${card}`))) return true
  return own >= OWN_MAX_AT_BUSY_SHOP && (await isSpent(ctx, 'declines_shop', merchantId))
}

/** Counts the declines of the address that nobody has counted yet. Returns how many it had lately. */
async function countDeclines(ctx: Context, address: string | undefined): Promise<number> {
  const limit = ctx.config.rateLimits?.declines_address
  if (address === undefined || !limit) return 0
  const { payments, counted } = remembered.get(ctx.db)?.get(address) ?? NOTHING
  const declined = payments.size === 0 ? [] : await listDeclinedOrders(ctx.db, [...payments.keys()])
  for (const { paymentId, order, begunAt } of declined) {
    // Others may have tried the same payment before.
    if (counted.has(order) || begunAt.getTime() < (payments.get(paymentId) ?? 0)) continue
    if (counted.size >= ORDERS_OF_ADDRESS_MAX) counted.clear()
    counted.add(order)
    await spend(ctx, 'declines_address', address)
  }
  const { remaining } = await ctx.buckets.take(`declines_address ${address}`, limit, 0)
  return limit.burst - remaining
}

function lastFourOf(facts: unknown): string | null {
  const { brand = '', last4 } = (facts as AttemptFacts | null)?.instrument ?? {}
  return last4 === undefined ? null : `${brand} ${last4}`
}

async function spend({ config, buckets }: Context, name: LimitName, subject: string): Promise<void> {
  if (config.rateLimits) await buckets.take(`${name} ${subject}`, config.rateLimits[name])
}

async function isSpent({ config, buckets }: Context, name: LimitName, subject: string): Promise<boolean> {
  if (!config.rateLimits) return false
  return (await buckets.take(`${name} ${subject}`, config.rateLimits[name], 0)).remaining === 0
}
