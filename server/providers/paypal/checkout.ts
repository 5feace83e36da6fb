/** Opens an order, asks about it, and takes its money once the buyer has approved. */
import type { Driver, LookUpResult, Opened, StartResult, WriteResult } from '../driver.ts'
import { declineOfProcessor, findDecline } from './decline.ts'
import { withDispute } from './disputes.ts'
import { memoryOf, remember } from './memory.ts'
import { moneyOf } from './money.ts'
import { type OrderState, orderPath, readOrder, stateOf } from './order.ts'
import { askPaypal, type PaypalCall, readPaypal, type Said, whyRefused } from './request.ts'
import { isOfPaypal, type PaypalSettings } from './settings.ts'
import { snapshotOf } from './snapshot.ts'
import { FinalizedOrder, OpenedOrder, Order } from './wire.ts'

const HOUR_MS = 3_600_000
/** At PayPal a buyer can be sent to an order for three hours. */
const OPEN_MS = 3 * HOUR_MS
const TEXT_CHARS_MAX = 127
/** The issues of an order that is already paid or authorized. */
const ALREADY = ['ORDER_ALREADY_CAPTURED', 'ORDER_ALREADY_AUTHORIZED', 'ORDER_COMPLETED_OR_VOIDED']

export const checkoutMembers = {
  async startCheckout(call, attempt): Promise<StartResult> {
    const { reference, merchantName, returnUrl } = attempt
    const intent = call.settings.STEPS === 'two' ? 'AUTHORIZE' : 'CAPTURE'
    const body = {
      intent,
      purchase_units: [unitOf(attempt)],
      payment_source: {
        paypal: {
          experience_context: {
            ...(merchantName !== '' && { brand_name: cut(merchantName) }),
            return_url: returnUrl,
            cancel_url: returnUrl,
            user_action: 'PAY_NOW',
            shipping_preference: 'NO_SHIPPING',
            payment_method_preference: 'IMMEDIATE_PAYMENT_REQUIRED',
            landing_page: 'NO_PREFERENCE',
          },
        },
      },
    }
    const said = await askPaypal(call, {
      method: 'POST',
      path: '/v2/checkout/orders',
      body,
      requestId: reference,
    })
    if (said.kind === 'refused') return { kind: 'refused', message: whyRefused(said) }
    const { id, links } = OpenedOrder.parse(said.body)
    const url = pageOf(call.settings, links)
    if (url === null) return { kind: 'unknown', message: 'PayPal named no page for the buyer' }
    const expiresAt = new Date(call.now().getTime() + OPEN_MS)
    return { kind: 'redirect', url, expiresAt, state: { order: id, intent } satisfies OrderState }
  },

  async lookUp(call, { reference, state }): Promise<LookUpResult> {
    const known = stateOf(state)
    const { declines, unsent } = await memoryOf(call)
    if (!known)
      return unsent.has(reference)
        ? { kind: 'not_found' }
        : { kind: 'unavailable', message: "PayPal's id of the order is not known yet" }
    const id = known.order
    const body = await readPaypal(call, orderPath(id))
    if (body === null) return { kind: 'not_found' }
    const order = Order.parse(body)
    const snapshot = snapshotOf(order, declines.get(id), call.now())
    // An order of a charge has no buyer to send there.
    const hasBuyer = !known.charge && order.status !== 'COMPLETED'
    const page = hasBuyer ? pageOf(call.settings, order.links) : null
    const now = stateAfter(order, known)
    return {
      kind: 'found',
      snapshot: await withDispute(call, snapshot),
      ...(page !== null && { opened: { kind: 'redirect', url: page, state: now } as Opened }),
      ...(JSON.stringify(now) !== JSON.stringify(known) && { state: now }),
    }
  },

  async finalize(call, { state }, key): Promise<WriteResult> {
    const known = stateOf(state)
    if (!known) return { kind: 'unknown', message: "PayPal's id of the order is not known" }
    const { order, intent, approved = '' } = known
    const act = intent === 'AUTHORIZE' ? 'authorize' : 'capture'
    const said = await askPaypal(call, {
      method: 'POST',
      path: `${orderPath(order)}/${act}`,
      body: {},
      // A buyer whose card was declined approves the same order again with another card. That is another write.
      requestId: `${key}-${approved.replaceAll(/\D/g, '')}`,
    })
    if (said.kind === 'refused') return readRefusal(call, order, said)
    return readFinalized(FinalizedOrder.parse(said.body))
  },
} satisfies Pick<Driver<PaypalSettings>, 'startCheckout' | 'lookUp' | 'finalize'>

/** Returns what is to be paid. It contains nothing about the buyer. */
export function unitOf({
  reference,
  description,
  amountMinor,
  currency,
}: Pick<
  Parameters<Driver['startCheckout'] & object>[1],
  'reference' | 'description' | 'amountMinor' | 'currency'
>) {
  return {
    custom_id: reference,
    invoice_id: reference,
    ...(description && { description: cut(description) }),
    amount: moneyOf(amountMinor, currency),
  }
}

/** Returns a text within PayPal's limit, in one line. A surrogate pair is not cut in two. */
export function cut(text: string): string {
  return text
    .replaceAll(/\s+/g, ' ')
    .slice(0, TEXT_CHARS_MAX)
    .replace(/[\uD800-\uDBFF]$/, '')
}

/** Returns the page where the buyer approves. An address that is not PayPal's is ignored. */
function pageOf(settings: PaypalSettings, links: readonly { rel: string; href: string }[]): string | null {
  const link = links.find(({ rel }) => rel === 'payer-action') ?? links.find(({ rel }) => rel === 'approve')
  return link && isOfPaypal(settings, link.href) ? link.href : null
}

function stateAfter(order: Order, known: OrderState | null): OrderState {
  const { authorizations, captures } = order.purchase_units[0].payments
  const capture = captures.find(({ status }) => status !== 'DECLINED' && status !== 'FAILED') ?? captures[0]
  const approved = order.status === 'APPROVED' ? order.update_time : known?.approved
  return {
    order: order.id,
    intent: order.intent,
    ...(known?.charge && { charge: true }),
    ...(approved !== undefined && { approved }),
    ...(authorizations[0] && { authorization: authorizations[0].id }),
    ...(capture && { capture: capture.id }),
  }
}

async function readRefusal(
  call: PaypalCall,
  order: string,
  said: Extract<Said, { kind: 'refused' }>,
): Promise<WriteResult> {
  if (said.issues.some((issue) => ALREADY.includes(issue))) return { kind: 'done' }
  const declined = findDecline(said.issues)
  if (declined) await rememberDecline(call, order, declined.issue)
  return { kind: 'refused', message: declined ? declined.meaning.detail : whyRefused(said) }
}

/** The order itself does not show that its payment was declined. So the refusal is stored for the next question. */
export async function rememberDecline(call: PaypalCall, order: string, issue: string): Promise<void> {
  const { declines } = await memoryOf(call)
  try {
    const body = await readOrder(call, { state: { order, intent: 'CAPTURE' } })
    remember(declines, order, { issue, at: Order.parse(body).update_time ?? '' })
  } catch (error) {
    call.log('info', 'the order could not be read after its payment was declined', { reason: String(error) })
  }
}

/** PayPal also returns success if the payment of a completed order was declined. */
export function readFinalized({ status, purchase_units: units = [] }: FinalizedOrder): WriteResult {
  const all = units.flatMap(({ payments }) => [
    ...(payments?.captures ?? []),
    ...(payments?.authorizations ?? []),
  ])
  const refused = all.find((each) => ['DECLINED', 'FAILED', 'DENIED'].includes(each.status))
  if (refused)
    return { kind: 'refused', message: declineOfProcessor(refused.processor_response?.response_code).detail }
  if (all.some((each) => each.status === 'PENDING')) return { kind: 'pending' }
  return status === 'COMPLETED' ? { kind: 'done' } : { kind: 'unknown', message: `PayPal says ${status}` }
}
