/** Asks Stripe for the state of an order: session, payment intent, charge, refunds and disputes. */
import { UnreadableError } from '../driver/refusal.ts'
import type { Opened, ProviderOrder } from '../driver.ts'
import { askStripe, read, type StripeCall } from './client.ts'
import { findOrder, nullIfMissing } from './find.ts'
import { type Dispute, Disputes, Intent, OrderState, type Refund, Refunds, Session } from './shapes.ts'
import { chargeOf, type StripeOrder, snapshotOf } from './snapshot.ts'

/** One response has everything that is needed, up to ten refunds. */
const OF_INTENT = ['latest_charge.refunds', 'latest_charge.balance_transaction']
const OF_SESSION = OF_INTENT.map((path) => `payment_intent.${path}`)
const PAGE_SIZE = 100
const REFUND_PAGES_MAX = 20

export async function lookUp(call: StripeCall, order: ProviderOrder) {
  const search = await locate(call, order)
  if (search.kind === 'unsure')
    return {
      kind: 'unavailable',
      message: 'too many payments at Stripe to find this one among them',
    } as const
  if (search.kind === 'not_found') return { kind: 'not_found' } as const
  const picture = await nullIfMissing(() => readPicture(call, search.state))
  // Stripe forgets no session and no payment.
  if (picture === null)
    return {
      kind: 'unavailable',
      message: 'Stripe knows no such order in this account',
      isLost: true,
    } as const
  const { session, intent } = picture
  const state: OrderState = {
    ...(session && { session: session.id }),
    ...(intent && { intent: intent.id }),
  }
  const opened = session && openedBy(call, session)
  return {
    kind: 'found',
    // A payment intent that was known, or that may hold money, cannot be left out.
    snapshot: snapshotOf({
      ...picture,
      mayHold: search.state.intent !== undefined || call.settings.STEPS === 'two',
    }),
    state,
    ...(opened && { opened }),
  } as const
}

export async function locate(call: StripeCall, order: ProviderOrder) {
  const known = OrderState.safeParse(order.state)
  if (known.success && (known.data.session ?? known.data.intent) !== undefined)
    return { kind: 'found', state: known.data } as const
  const { reference, opened } = order
  return findOrder(call, { reference, ...(opened && { opened }), ...known.data })
}

async function readPicture(
  call: StripeCall,
  { session: id, intent: intentId }: OrderState,
): Promise<StripeOrder> {
  const session = id === undefined ? null : await readSession(call, id)
  const intent = session ? session.payment_intent : await readIntent(call, intentId ?? '')
  if (typeof intent === 'string') throw new UnreadableError('Stripe has not expanded the payment intent')
  const charge = chargeOf(intent)
  if (intent && !charge && intent.latest_charge !== null)
    throw new UnreadableError('Stripe has not expanded the charge')
  if (!intent || !charge) return { session, intent, refunds: [], disputes: [] }
  const { refunds } = charge
  return {
    session,
    intent,
    refunds: refunds && !refunds.has_more ? refunds.data : await readRefunds(call, intent.id),
    disputes: charge.disputed ? await readDisputes(call, charge.id) : [],
  }
}

export async function readSession(call: StripeCall, id: string): Promise<Session> {
  const answer = await askStripe(call, (stripe) =>
    stripe.checkout.sessions.retrieve(id, { expand: OF_SESSION }),
  )
  return read(call, Session, answer)
}

async function readIntent(call: StripeCall, id: string): Promise<Intent> {
  const answer = await askStripe(call, (stripe) => stripe.paymentIntents.retrieve(id, { expand: OF_INTENT }))
  return read(call, Intent, answer)
}

async function readRefunds(call: StripeCall, intent: string): Promise<Refund[]> {
  const all: Refund[] = []
  for (let pages = 0; pages < REFUND_PAGES_MAX; pages++) {
    const after = all.at(-1)?.id
    const page = {
      payment_intent: intent,
      limit: PAGE_SIZE,
      ...(after !== undefined && { starting_after: after }),
    }
    const { data, has_more } = read(
      call,
      Refunds,
      await askStripe(call, (stripe) => stripe.refunds.list(page)),
    )
    all.push(...data)
    if (!has_more) return all
  }
  throw new Error(`the payment has more than ${REFUND_PAGES_MAX * PAGE_SIZE} refunds`)
}

async function readDisputes(call: StripeCall, charge: string): Promise<Dispute[]> {
  const page = { charge, limit: PAGE_SIZE }
  return read(call, Disputes, await askStripe(call, (stripe) => stripe.disputes.list(page))).data
}

/** Returns how the buyer gets to an open session. Returns null once nobody can pay there. */
export function openedBy(call: StripeCall, session: Session): Opened | null {
  if (session.status !== 'open' || session.url === null) return null
  const { protocol, hostname } = new URL(session.url)
  const { API_BASE } = call.settings
  const isOurs = protocol === 'https:' || (API_BASE !== undefined && hostname === new URL(API_BASE).hostname)
  if (!isOurs) throw new Error("the session's address is not an https address")
  const expiresAt = new Date(session.expires_at * 1_000)
  const state: OrderState = { session: session.id }
  // In a sandbox whose clock was moved ahead, the payment must not expire at once.
  return { kind: 'redirect', url: session.url, state, ...(expiresAt > call.now() && { expiresAt }) }
}
