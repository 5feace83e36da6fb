/** Opens an order, asks about it, and takes its money once the buyer has approved. */
import type { Language } from '../../contract/languages.ts'
import { AccountRefusedError } from '../driver/refusal.ts'
import type { CheckoutRequest, Driver, LookUpResult, Opened, StartResult, WriteResult } from '../driver.ts'
import { declineOfProcessor, findDecline } from './decline.ts'
import { memoryOf, remember } from './memory.ts'
import { moneyOf } from './money.ts'
import { type Declined, hasNoOrder, type OrderState, orderPath, stateOf } from './order.ts'
import { readSnapshot } from './read-snapshot.ts'
import { askPaypal, kindOf, type PaypalAnswer, type PaypalCall, readPaypal, whyRefused } from './request.ts'
import { paypalRequestId } from './request-id.ts'
import { isOfPaypal, type PaypalSettings } from './settings.ts'
import { FinalizedOrder, OpenedOrder, Order } from './wire.ts'

const HOUR_MS = 3_600_000
/** At PayPal a buyer can be sent to an order for three hours. */
const OPEN_MS = 3 * HOUR_MS
const TEXT_CHARS_MAX = 127
const SHIPPING_PREFERENCES = { none: 'NO_SHIPPING', paypal: 'GET_FROM_FILE' } as const
/** Stored in place of PayPal's issue if the refusal is about the account or the order, and not a decline of the buyer. */
const [OF_ACCOUNT, OF_ORDER] = ['ACCOUNT_REFUSED', 'ORDER_REFUSED']
/** The issues of an order that is already paid or authorized. */
const ALREADY = ['ORDER_ALREADY_CAPTURED', 'ORDER_ALREADY_AUTHORIZED', 'ORDER_COMPLETED_OR_VOIDED']

export const checkoutMembers = {
  async startCheckout(call, attempt): Promise<StartResult> {
    const { reference, merchantName, returnUrl, language } = attempt
    const intent = call.settings.STEPS === 'two' ? 'AUTHORIZE' : 'CAPTURE'
    const body = {
      intent,
      purchase_units: [unitOf(attempt)],
      payment_source: {
        paypal: {
          experience_context: {
            ...(merchantName !== '' && { brand_name: cut(merchantName) }),
            ...localeOf(language),
            return_url: returnUrl,
            cancel_url: returnUrl,
            user_action: 'PAY_NOW',
            shipping_preference: SHIPPING_PREFERENCES[call.settings.SHIPPING],
            payment_method_preference: 'IMMEDIATE_PAYMENT_REQUIRED',
            landing_page: 'NO_PREFERENCE',
          },
        },
      },
    }
    const answer = await askPaypal(call, {
      method: 'POST',
      path: '/v2/checkout/orders',
      body,
      requestId: paypalRequestId('create', reference),
    })
    if (answer.kind === 'refused')
      return { kind: 'refused', message: whyRefused(answer), refusal: kindOf(answer) }
    const { id, links } = OpenedOrder.parse(answer.body)
    const url = pageOf(call.settings, links)
    const state = { order: id, intent } satisfies OrderState
    // A repeated request gets an order that may be paid already.
    if (url === null) return { kind: 'unknown', message: 'PayPal named no page for the buyer', state }
    const expiresAt = new Date(call.now().getTime() + OPEN_MS)
    return { kind: 'redirect', url, expiresAt, state }
  },

  async lookUp(call, { state, isBuyerBack }): Promise<LookUpResult> {
    const known = stateOf(state)
    const { declines, approvals } = await memoryOf(call)
    if (!known)
      return hasNoOrder(state)
        ? { kind: 'not_found' }
        : { kind: 'unavailable', message: "PayPal's id of the order is not known yet" }
    const id = known.order
    const body = await readPaypal(call, orderPath(id))
    if (body === null) return { kind: 'not_found' }
    const order = Order.parse(body)
    const last = latest(known.declined, declines.get(id))
    const seen = { last, approvedAt: approvals.get(id), isBuyerBack: isBuyerBack === true }
    // A charge of a saved method needs no approval, so nothing can happen after its refusal.
    const declined = known.charge ? last : declinedAfter(call, order, seen)
    const snapshot = await readSnapshot(call, order, {
      declined,
      isCharge: known.charge === true,
      now: call.now(),
    })
    // A charge of a saved method has no buyer who could be sent to PayPal's page.
    const hasBuyer = !known.charge && order.status !== 'COMPLETED'
    const page = hasBuyer ? pageOf(call.settings, order.links) : null
    const now = stateAfter(order, known, declined)
    return {
      kind: 'found',
      snapshot,
      ...(page !== null && { opened: { kind: 'redirect', url: page, state: now } as Opened }),
      ...(JSON.stringify(now) !== JSON.stringify(known) && { state: now }),
    }
  },

  async finalize(call, { state }, key): Promise<WriteResult> {
    const known = stateOf(state)
    if (!known) return { kind: 'unknown', message: "PayPal's id of the order is not known" }
    const { order, intent, declined } = known
    const act = intent === 'AUTHORIZE' ? 'authorize' : 'capture'
    try {
      const answer = await askPaypal(call, {
        method: 'POST',
        path: `${orderPath(order)}/${act}`,
        body: {},
        // After a refusal PayPal has done nothing, and could repeat it for the same id. The next try is another write.
        requestId: paypalRequestId(`${act}Order`, key, declined?.times),
      })
      if (answer.kind === 'refused') return readRefusal(call, known, answer)
      return readFinalized(FinalizedOrder.parse(answer.body))
    } catch (error) {
      if (error instanceof AccountRefusedError) await rememberDecline(call, order, OF_ACCOUNT, declined)
      throw error
    }
  },
} satisfies Pick<Driver<PaypalSettings>, 'startCheckout' | 'lookUp' | 'finalize'>

/** Returns what is to be paid. It contains nothing about the buyer. */
export function unitOf({
  reference,
  orderReference,
  description,
  amountMinor,
  currency,
}: Pick<CheckoutRequest, 'reference' | 'orderReference' | 'description' | 'amountMinor' | 'currency'>) {
  return {
    custom_id: reference,
    // PayPal takes money once for an invoice number. The shop may have several payments of one order, but our reference is unique.
    invoice_id: `${cutBytes(orderReference, TEXT_CHARS_MAX - 1 - reference.length)}/${reference}`,
    ...(description && { description: cut(description) }),
    amount: moneyOf(amountMinor, currency),
  }
}

/** Our languages that PayPal's pages have. In any other they follow the buyer's account or browser. */
const LOCALES: Partial<Record<string, string>> = { en: 'en-US', ru: 'ru-RU' }

export function localeOf(language: Language | null): { locale?: string } {
  const locale = LOCALES[language ?? '']
  return locale === undefined ? {} : { locale }
}

/** Returns a text within PayPal's limit, in one line. A surrogate pair is not cut in two. */
export function cut(text: string): string {
  return text
    .replaceAll(/\s+/g, ' ')
    .slice(0, TEXT_CHARS_MAX)
    .replace(/[\uD800-\uDBFF]$/, '')
}

/** Returns a text in one line, within a limit of UTF-8 bytes. PayPal's limits are meant for ASCII. No character is cut in two. */
function cutBytes(text: string, max: number): string {
  const bytes = Buffer.from(text.replaceAll(/\s+/g, ' ')).subarray(0, max)
  // With `stream` the decoder leaves out an unfinished character at the end.
  return new TextDecoder().decode(bytes, { stream: true })
}

/** Returns the page where the buyer approves. An address that is not PayPal's is ignored. */
function pageOf(settings: PaypalSettings, links: readonly { rel: string; href: string }[]): string | null {
  const link = links.find(({ rel }) => rel === 'payer-action') ?? links.find(({ rel }) => rel === 'approve')
  return link && isOfPaypal(settings, link.href) ? link.href : null
}

function stateAfter(order: Order, known: OrderState, declined: Declined | undefined): OrderState {
  const { authorizations, captures } = order.purchase_units[0].payments
  const capture = captures.find(({ status }) => status !== 'DECLINED' && status !== 'FAILED') ?? captures[0]
  return {
    order: order.id,
    intent: order.intent ?? known.intent,
    ...(known.charge && { charge: true }),
    ...(declined && { declined }),
    ...(authorizations[0] && { authorization: authorizations[0].id }),
    ...(capture && { capture: capture.id }),
  }
}

async function readRefusal(
  call: PaypalCall,
  { order, declined: before }: OrderState,
  answer: Extract<PaypalAnswer, { kind: 'refused' }>,
): Promise<WriteResult> {
  if (answer.issues.some((issue) => ALREADY.includes(issue))) return { kind: 'done' }
  const declined = findDecline(answer.issues)
  await rememberDecline(call, order, declined?.issue ?? OF_ORDER, before)
  return {
    kind: 'refused',
    message: declined ? declined.meaning.detail : whyRefused(answer),
    refusal: 'order',
  }
}

/**
 * The order itself does not show that its payment was declined. So the refusal is stored for the next question. Each refusal counts:
 * PayPal may repeat it for the same request id.
 */
async function rememberDecline(
  call: PaypalCall,
  order: string,
  issue: string,
  before?: Declined,
): Promise<void> {
  const { declines } = await memoryOf(call)
  remember(declines, order, { issue, at: call.now().toISOString(), times: (before?.times ?? 0) + 1 })
}

const latest = (stored: Declined | undefined, remembered: Declined | undefined) =>
  remembered && remembered.times > (stored?.times ?? 0) ? remembered : stored

/**
 * The buyer needs longer than this to learn of a refusal and to approve again. A return that comes sooner belongs to the
 * refused approval.
 */
const SAME_RETURN_MS = 10_000
/** How often the driver tries to take the money of one order. */
const TRIES_MAX = 10

type BuyerProgress = { last: Declined | undefined; approvedAt: Date | undefined; isBuyerBack: boolean }

/**
 * Returns the last refusal, with what has happened since. Rule: nothing is taken without a new approval. An order stays APPROVED
 * after a refusal and does not show a new approval. A new approval is known if the buyer comes back from PayPal later, if
 * PayPal calls back, or if PayPal was waiting for the buyer meanwhile.
 */
function declinedAfter(
  call: PaypalCall,
  { status }: Order,
  { last, approvedAt, isBuyerBack }: BuyerProgress,
): Declined | undefined {
  if (!last || last.since === 'approved' || status === 'COMPLETED' || status === 'VOIDED') return last
  if (status !== 'APPROVED') return { ...last, since: 'waits' }
  const at = new Date(last.at)
  const isBack = isBuyerBack && call.now().getTime() - at.getTime() > SAME_RETURN_MS
  const isAgain = last.since === 'waits' || isBack || (approvedAt !== undefined && approvedAt > at)
  return isAgain && last.times < TRIES_MAX ? { ...last, since: 'approved' } : last
}

/** PayPal also returns success if the payment of a completed order was declined. */
export function readFinalized({ status, purchase_units: units = [] }: FinalizedOrder): WriteResult {
  const all = units.flatMap(({ payments }) => [
    ...(payments?.captures ?? []),
    ...(payments?.authorizations ?? []),
  ])
  const refused = all.find((each) => ['DECLINED', 'FAILED', 'DENIED'].includes(each.status))
  if (refused)
    return {
      kind: 'refused',
      message: declineOfProcessor(refused.processor_response?.response_code).detail,
      refusal: 'order',
    }
  if (all.some((each) => each.status === 'PENDING')) return { kind: 'pending' }
  return status === 'COMPLETED' ? { kind: 'done' } : { kind: 'unknown', message: `PayPal says ${status}` }
}
