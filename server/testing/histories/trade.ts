/** What buyers do in the shop and at its providers, and what merchants ask for. */
import { askOperation, createLink, createSession, linkRequest, sessionRequest } from '../calls.ts'
import { advance, type Choice, type History, moneyOrder, request, type Sale, SECOND } from './history.ts'
import { type Deed, expectedOf, keptMinor } from './standing.ts'
import { CHOICES, ROUTES, type RouteName } from './world.ts'

const NAMES = Object.keys(ROUTES) as RouteName[]

export async function sell(history: History, { at, size }: Choice, fixed?: RouteName): Promise<Sale | null> {
  const { kassa, sellers } = history.world
  const seller = sellers[at % 5 === 4 ? 1 : 0]
  const kind = fixed ? 'session' : size % 7 === 0 ? 'link' : size % 7 === 1 ? 'choice' : 'session'
  const route = fixed ?? (kind === 'session' ? (NAMES[(size >> 3) % NAMES.length] ?? 'route_a') : null)
  const currencies = route ? ROUTES[route].currencies : (['USD', 'EUR'] as const)
  const currency = currencies[(size >> 5) % currencies.length] ?? 'USD'
  const amountMinor = 500 + (size % 1_500)
  const key = `order-${++history.keys}`
  const hasEmail = size % 2 === 0
  const customer = hasEmail ? { customer: { email: 'buyer@mail.example' } } : {}
  const answer = await request(
    history,
    `the creation of ${key}`,
    kind === 'link'
      ? createLink(kassa.url, seller.shop, {
          key,
          body: linkRequest({ amount: (amountMinor / 100).toFixed(2), currency }),
        })
      : createSession(kassa.url, seller.shop, {
          key,
          body: sessionRequest({
            merchantOrderId: key,
            amountMinor,
            currency,
            ...customer,
            ...(route && { provider: route }),
          }),
        }),
  )
  const id = answer?.body.id ?? answer?.body.paymentId ?? answer?.body.error?.paymentId
  if (!answer || answer.status >= 300 || !id) return null
  const url = answer.body.providerCheckoutUrl
  if (kind === 'session' && !url && ['pending_redirect', 'pending_payment'].includes(answer.body.status))
    history.faults.push(`${id} was created (${answer.status}, ${answer.body.status}) without an address`)
  const hasMail = kind === 'link' ? false : hasEmail
  const sale: Sale = {
    id,
    seller,
    route,
    amountMinor,
    currency,
    hasEmail: hasMail,
    urls: url ? [url] : [],
    isMisjudged: false,
  }
  history.sales.push(sale)
  history.lines.push(`  ${id} is a ${kind} of ${amountMinor} ${currency} on ${route ?? 'a chosen route'}`)
  return sale
}

/** The buyer presses the button. Returns the provider's address, or null. */
export async function press(history: History, sale: Sale, size: number): Promise<string | null> {
  await passLease(history, sale)
  const { url } = history.world.kassa
  const routes = CHOICES.filter((name) =>
    (ROUTES[name].currencies as readonly string[]).includes(sale.currency),
  )
  const route = sale.route ?? routes[size % routes.length] ?? 'route_a'
  const answer = await fetch(`${url}/checkout/${sale.id}/continue`, {
    method: 'POST',
    body: new URLSearchParams({ route }),
    redirect: 'manual',
  }).catch(() => null)
  await answer?.text().catch(() => '')
  if (!answer || answer.status >= 500) {
    if (!history.isDying && answer?.status !== 503)
      history.faults.push(`the button was answered with ${answer?.status}`)
    return null
  }
  const location = answer.headers.get('location') ?? ''
  const desk = Object.values(history.world.desks).find(({ origin }) => location.startsWith(origin))
  if (!desk) return null
  if (!sale.urls.includes(location)) sale.urls.push(location)
  if (!(await desk.canPay(location)))
    history.lines.push(`  the button of ${sale.id} led to an order that cannot be paid`)
  return location
}

/** A click waits in real time for an order that somebody is opening. The dead open nothing, so the time passes first. */
async function passLease(history: History, { id }: Sale): Promise<void> {
  const { look, kassa } = history.world
  const { rows } = await look.query<{ until: Date }>(
    `select max(lease_until) as until from sandbox.attempts where payment_id = $1 and state = 'opening'`,
    [id],
  )
  const leftMs = (rows[0]?.until?.getTime() ?? 0) - kassa.clock.now().getTime()
  if (leftMs > 0) advance(history, leftMs + SECOND)
}

export async function comeBack(history: History, { id }: Sale): Promise<void> {
  const answer = await fetch(`${history.world.kassa.url}/checkout/${id}/return`, {
    redirect: 'manual',
  }).catch(() => null)
  await answer?.text().catch(() => '')
  if ((!answer || answer.status >= 500) && !history.isDying)
    history.faults.push(`the return was answered with ${answer?.status}`)
}

export async function buy(history: History, sale: Sale, deed: Deed, size: number): Promise<boolean> {
  if (sale.urls.length === 0) await press(history, sale, size)
  const url = size % 5 === 0 ? sale.urls[size % sale.urls.length] : sale.urls.at(-1)
  const desk = Object.values(history.world.desks).find(({ origin }) => url?.startsWith(origin))
  if (!url || !desk || desk.door.isAway()) return false
  const done = await desk.buy(url, deed)
  history.lines.push(`  the buyer of ${sale.id}: ${deed} at ${desk.name}, ${done ? 'done' : 'not possible'}`)
  return done
}

export async function ask(
  history: History,
  sale: Sale,
  what: 'refunds' | 'capture' | 'void',
  { amountMinor, again = false }: { amountMinor?: number; again?: boolean } = {},
): Promise<number | null> {
  const key = `ask-${again && history.keys > 0 ? history.keys : ++history.keys}`
  const amount = amountMinor === undefined || what === 'void' ? {} : { amountMinor }
  const body = { ...amount, reason: 'r' }
  const leftMinor = what === 'refunds' && !again ? await leftOf(history, sale) : null
  const answer = await request(
    history,
    `${what} ${amountMinor ?? ''} of ${sale.id}`,
    askOperation(history.world.kassa.url, sale.seller.shop, sale.id, what, { key, body }),
  )
  if (!answer) return null
  const operationId = answer.body.operation?.id ?? null
  if (
    leftMinor !== null &&
    [201, 409].includes(answer.status) &&
    amountMinor !== undefined &&
    (answer.status === 201) !== amountMinor <= leftMinor
  )
    history.faults.push(
      `a refund of ${amountMinor} was answered with ${answer.status}, and ${leftMinor} were left: ${answer.body.error?.message}`,
    )
  history.requests.push({ sale, what, key, status: answer.status, operationId })
  history.lines.push(
    `  ${what} ${amountMinor ?? 'all'} of ${sale.id}: ${answer.status} ${answer.body.error?.message ?? operationId}`,
  )
  return answer.status
}

/**
 * What the provider would still give back, and no refund of ours has asked for. Null where the service cannot know it yet, or where
 * other work on the payment decides first.
 */
async function leftOf(history: History, sale: Sale): Promise<number | null> {
  const found = await moneyOrder(history, sale)
  const { rows } = await history.world.look.query<{
    status: string
    captured: number
    refunded: number
    disputed: number
    requested: number
    others: number
  }>(
    `select p.status, p.captured_minor as captured, p.refunded_minor as refunded, a.disputed_minor as disputed,
       (select coalesce(sum(amount_minor), 0)::int from sandbox.operations o where o.payment_id = p.id and o.type = 'refund'
         and o.cause = 'request' and o.status in ('queued', 'processing', 'requires_operator_review')) as requested,
       (select count(*)::int from sandbox.operations o where o.payment_id = p.id and o.type in ('capture', 'void')
         and o.cause = 'request' and o.status in ('queued', 'processing', 'requires_operator_review')) as others
     from sandbox.payments p join sandbox.attempts a on a.payment_id = p.id and a.number = p.attempt where p.id = $1`,
    [sale.id],
  )
  const [ours] = rows
  if (!found || !ours || sale.isMisjudged || ours.others > 0) return null
  const { order } = found
  const expected = expectedOf(order)
  const isKnown =
    ours.status === expected.status &&
    ours.captured === expected.capturedMinor &&
    ours.refunded === expected.refundedMinor &&
    (ours.disputed === order.disputedMinor || ours.status !== 'disputed')
  if (!isKnown || !['paid', 'partially_refunded', 'disputed', 'refunded', 'reversed'].includes(ours.status))
    return null
  return Math.max(0, keptMinor(order) - order.disputedMinor - ours.requested)
}

/** A part of the amount, by `size`: all, a half, an odd part. */
export const partOf = ({ amountMinor }: Sale, size: number) =>
  [amountMinor, Math.ceil(amountMinor / 2), Math.ceil(amountMinor / 3), 100][size % 4] ?? amountMinor
