/** What buyers, merchants, operators, providers and clocks do. An act that makes no sense now does nothing. */
import { rotateAccount } from '../../accounts/set.ts'
import { askIdentity } from '../../operator/account-identity.ts'
import { resolveOperation } from '../../payments/decisions/operation.ts'
import { confirmPayment, resolvePayment } from '../../payments/decisions/payment.ts'
import { resolveReceipt } from '../../payments/decisions/receipt.ts'
import {
  askOperation,
  call,
  createLink,
  createSession,
  linkRequest,
  lookUp,
  sessionRequest,
} from '../calls.ts'
import {
  advance,
  type Choice,
  chosen,
  type History,
  moneyOrder,
  request,
  type Sale,
  sweepAll,
} from './history.ts'
import { type Deed, expectedOf, keptMinor } from './standing.ts'
import { stripeKeyOf } from './stripe-desk.ts'
import { CHOICES, ROUTES, type RouteName, setOwnAccount } from './world.ts'

export type Act = (history: History, step: Choice) => Promise<void>
export const SECOND = 1_000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

const NAMES = Object.keys(ROUTES) as RouteName[]
const desksOf = ({ world }: History) => Object.values(world.desks)

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
  const desk = desksOf(history).find(({ origin }) => location.startsWith(origin))
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
  const desk = desksOf(history).find(({ origin }) => url?.startsWith(origin))
  if (!url || !desk || desk.door.isAway()) return false
  const done = await desk.buy(url, deed)
  history.lines.push(`  the buyer of ${sale.id}: ${deed} at ${desk.name}, ${done ? 'done' : 'not possible'}`)
  return done
}

const DEEDS: Deed[] = [
  'pay',
  'pay',
  'pay',
  'pay',
  'pay',
  'decline',
  'cancel',
  'approve_only',
  'under_way',
  'underpay',
  'late',
]

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
  history.asked.push({ sale, what, key, status: answer.status, operationId })
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
    asked: number
    others: number
  }>(
    `select p.status, p.captured_minor as captured, p.refunded_minor as refunded, a.disputed_minor as disputed,
       (select coalesce(sum(amount_minor), 0)::int from sandbox.operations o where o.payment_id = p.id and o.type = 'refund'
         and o.cause = 'request' and o.status in ('queued', 'processing', 'requires_operator_review')) as asked,
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
  return Math.max(0, keptMinor(order) - order.disputedMinor - ours.asked)
}

/** A part of the amount, by `size`: all, a half, an odd part. */
export const partOf = ({ amountMinor }: Sale, size: number) =>
  [amountMinor, Math.ceil(amountMinor / 2), Math.ceil(amountMinor / 3), 100][size % 4] ?? amountMinor

const withSale =
  (act: (history: History, sale: Sale, step: Choice) => Promise<unknown>): Act =>
  async (history, step) => {
    const sale = chosen(history, step.at)
    if (sale) await act(history, sale, step)
  }

export const ACTS = {
  async create(history, step) {
    await sell(history, step)
  },
  goOn: withSale((history, sale, { size }) => press(history, sale, size)),
  buy: withSale(async (history, sale, { size }) => {
    const done = await buy(history, sale, DEEDS[size % DEEDS.length] ?? 'pay', size >> 4)
    if (done && size % 3 > 0) await comeBack(history, sale)
  }),
  comeBack: withSale(comeBack),
  lookUp: withSale((history, { id, seller }) =>
    request(history, 'a look-up', lookUp(history.world.kassa.url, seller.shop, id)),
  ),
  refund: withSale((history, sale, { size }) =>
    ask(history, sale, 'refunds', { amountMinor: partOf(sale, size), again: size % 11 === 0 }),
  ),
  capture: withSale((history, sale, { size }) =>
    ask(history, sale, 'capture', { amountMinor: partOf(sale, size) }),
  ),
  void: withSale((history, sale) => ask(history, sale, 'void')),
  async work(history) {
    await sweepAll(history)
  },
  async letters(history, { at, size }) {
    const desk = desksOf(history)[at % 3]
    await desk?.letters(
      (['deliver', 'deliver', 'lose', 'twice', 'backwards'] as const)[size % 5] ?? 'deliver',
    )
  },
  staff: withSale(async (history, sale, { size }) => {
    const found = await moneyOrder(history, sale)
    const what = (['refund', 'refund', 'capture', 'void'] as const)[size % 4] ?? 'refund'
    const done = await found?.desk.staff(found.order.reference, what, partOf(sale, size >> 2))
    history.lines.push(
      `  the shop's staff: ${what} of ${sale.id} at the provider, ${done ? 'done' : 'not possible'}`,
    )
  }),
  dispute: withSale(async (history, sale, { size }) => {
    const found = await moneyOrder(history, sale)
    const what = (['lost', 'lost', 'won', 'inquiry'] as const)[size % 4] ?? 'lost'
    const done = await found?.desk.dispute(found.order.reference, what, partOf(sale, size >> 2))
    history.lines.push(`  a dispute (${what}) of ${sale.id}: ${done ? 'opened' : 'not possible'}`)
  }),
  regain: withSale(async (history, sale) => {
    const found = await moneyOrder(history, sale)
    await found?.desk.regain(found.order.reference)
  }),
  refundsWill: withSale(async (history, sale, { size }) => {
    const found = await moneyOrder(history, sale)
    const what = (['fails_later', 'fails_after_success', 'pending', null] as const)[size % 4] ?? null
    await found?.desk.refundsWill(found.order.reference, what)
    history.lines.push(`  from now on refunds of ${sale.id}: ${what}`)
  }),
  async decide(history, { size }) {
    for (const desk of desksOf(history)) await desk.decide(size % 3 > 0)
  },
  async prank(history, { at, size }) {
    const what =
      (['lost', 'never', 'broken', 'stale', 'listed_twice', 'sum_late', 'denied'] as const)[size % 7] ??
      'lost'
    const on =
      what === 'stale' || what === 'listed_twice' || what === 'sum_late'
        ? 'read'
        : (['read', 'write', 'open'] as const)[(size >> 3) % 3]
    desksOf(history)[at % 3]?.door.state.pranks.push({ on: on ?? 'read', what })
    history.lines.push(`  the next ${on} at ${desksOf(history)[at % 3]?.name}: ${what}`)
  },
  async away(history, { at, size }) {
    await desksOf(history)[at % 3]?.door.setAway(size % 2 === 0)
    history.lines.push(`  ${desksOf(history)[at % 3]?.name} is ${size % 2 === 0 ? 'away' : 'there'}`)
  },
  async denied(history, { at, size }) {
    const desk = desksOf(history)[at % 3]
    if (desk) desk.door.state.denied = size % 2 === 0
    history.lines.push(`  ${desk?.name} refuses the credentials: ${size % 2 === 0}`)
  },
  async jump(history, { size }) {
    const ms =
      [3 * SECOND, 21 * SECOND, 61 * SECOND, 11 * MINUTE, 95 * MINUTE, 3 * HOUR, 25 * HOUR, 2 * DAY, 8 * DAY][
        size % 9
      ] ?? 0
    advance(history, ms)
    history.lines.push(`  ${ms / MINUTE} minutes pass`)
  },
  async register(history, { size }) {
    const FAULT = ([undefined, 'answer_lost', 'refuses', 'away'] as const)[size % 4]
    for (const { fiscal } of Object.values(history.world.ctx.routes))
      if (fiscal) Object.assign(fiscal.settings, { FAULT })
    history.lines.push(`  the register: ${FAULT ?? 'prints'}`)
  },
  resolve: withSale((history, sale, { size }) => resolveAny(history, sale, size)),
  judge: withSale((history, sale, { size }) => judge(history, sale, size % 4 > 0 ? null : 'wrong')),
} satisfies Record<string, Act>

/** The version of a payment as a person sees it before deciding. */
export async function versionOf(
  { world }: History,
  id: string,
): Promise<{ version: number; status: string }> {
  const { rows } = await world.look.query('select version, status from sandbox.payments where id = $1', [id])
  return rows[0] ?? { version: -1, status: '' }
}

/** A person decides about an operation in review: rightly, wrongly, twice, or about an old version. */
export async function resolveAny(history: History, sale: Sale, size: number): Promise<void> {
  const { look, ctx } = history.world
  const { rows } = await look.query<{ id: string }>(
    `select id from sandbox.operations where payment_id = $1 and status = 'requires_operator_review'`,
    [sale.id],
  )
  const { version } = await versionOf(history, sale.id)
  const decision = { actor: 'tester', why: null, version: size % 5 === 0 ? version - 1 : version }
  for (const { id } of rows) {
    const as = size % 2 === 0 ? ('succeeded' as const) : ('failed' as const)
    const said = await resolveOperation(ctx, id, as, decision).then(
      () => 'stored',
      (error: Error) => error.message,
    )
    history.lines.push(`  a person: ${id} ${as}: ${said}`)
    if (size % 3 === 0) await resolveOperation(ctx, id, as, decision).catch(() => {})
    if (said === 'stored' && decision.version !== version)
      history.faults.push(`a decision about an old version of ${sale.id} was stored`)
  }
}

/** A person decides about a payment with an unknown outcome. */
export async function judge(
  history: History,
  sale: Sale,
  how: 'wrong' | null,
  as?: 'paid' | 'refunded',
): Promise<void> {
  const { version, status } = await versionOf(history, sale.id)
  if (status !== 'status_unknown') return
  const found = await moneyOrder(history, sale)
  const truth = found && expectedOf(found.order).status
  const wanted =
    as ?? (how === 'wrong' ? 'refunded' : truth === 'partially_refunded' ? 'paid' : (truth ?? 'expired'))
  const decision = { actor: 'tester', why: null, version }
  const stored = await resolvePayment(history.world.ctx, sale.id, wanted as 'paid', decision).then(
    () => true,
    () => false,
  )
  history.lines.push(`  a person: ${sale.id} is ${wanted}: ${stored ? 'stored' : 'refused'}`)
  if (!stored) return
  history.decisions.push({ id: sale.id, version, as: wanted })
  const isRight = truth !== null && wanted === truth
  if (!isRight) sale.isMisjudged = true
}

/** Money that arrived on an account is confirmed by hand. Returns how many payments this reference has confirmed. */
export async function confirmByHand(history: History, size: number): Promise<void> {
  const { kassa, sellers, ctx } = history.world
  const own = `AB ${history.keys + 12}-34`
  const bare = own.replace(' ', '')
  const forms = [own, own.toLowerCase(), bare, ` ${bare.toLowerCase()} `, own.replace(' ', '\u00a0')]
  let confirmed = 0
  for (const index of [0, 1]) {
    const key = `manual-${++history.keys}`
    const body = sessionRequest({ merchantOrderId: key, provider: 'manual' })
    const created = await createSession(kassa.url, sellers[0].shop, { key, body })
    const reference = forms[(size + index) % forms.length] ?? own
    const answer = await confirmPayment(ctx, created.body.id, { reference, actor: 'tester' }).catch(
      () => null,
    )
    if (answer?.confirmed) confirmed++
  }
  if (confirmed !== 1) history.faults.push(`one bank reference confirmed ${confirmed} payments`)
}

/** The second merchant's account cannot be opened any more, and later it is set again. */
export async function breakOwnAccount(history: History, isBroken: boolean): Promise<void> {
  const { look, ctx, sellers } = history.world
  const own = sellers[1]
  if (!isBroken && !own.isBroken) return
  if (isBroken) own.isBroken = true
  if (isBroken)
    await look.query(
      `update sandbox.account_credentials set sealed = decode(repeat('00', 64), 'hex') where account_id = $1`,
      [own.accountId],
    )
  else await setOwnAccount(history.world, own)
  await look.query('update sandbox.accounts set version = version + 1 where id = $1', [own.accountId])
  ctx.accounts.forget()
}

/** An operator mistakes the key of another Stripe account for that of the merchant's. */
export async function rotateWrongly(history: History): Promise<void> {
  const { ctx, sellers } = history.world
  const confirm = async (account: Parameters<typeof askIdentity>[1]) => {
    const found = await askIdentity(ctx, account)
    if (found.kind !== 'own') throw new Error(`these are credentials of ${found.kind}`)
  }
  sellers[1].isBroken = true
  await rotateAccount(ctx, sellers[1].accountId ?? '', { SECRET_KEY: stripeKeyOf('one') }, confirm).then(
    () => history.lines.push('  the key of another account was accepted'),
    () => {},
  )
}

/** A person looks at receipts that failed or are unclear, and has seen at the register what was printed. */
export async function resolveReceipts(history: History): Promise<void> {
  const { look, ctx } = history.world
  const { rows } = await look.query<{ id: string; number: string | null }>(
    `select r.id, (select s.number::text from sandbox.sandbox_receipts s where s.reference = r.id and s.number is not null limit 1) as number
     from sandbox.receipts r where r.status in ('failed', 'unclear')`,
  )
  for (const { id, number } of rows) {
    const outcome = number === null ? { as: 'failed' as const } : { as: 'issued' as const, number }
    await resolveReceipt(ctx, id, outcome, { actor: 'tester', why: null }).catch(() => {})
  }
}

/** The merchants ask for the receipts again that failed, also those of renewals. */
export async function retryReceipts(history: History): Promise<void> {
  const { kassa, look, sellers } = history.world
  const { rows } = await look.query<{ id: string; owner: string }>(
    `select id, merchant_id as owner from sandbox.payments where fiscal_status in ('failed', 'correction_required')`,
  )
  for (const { id, owner } of rows) {
    const { shop } = sellers.find((each) => each.shop.merchantId === owner) ?? sellers[0]
    await call(`${kassa.url}/v1/fiscal-receipts/${id}/retry`, {
      headers: { authorization: `Bearer ${shop.token}`, 'idempotency-key': `retry-${++history.keys}` },
    })
  }
}
