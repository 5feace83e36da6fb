/** PayPal in the random histories: an account whose webhooks arrive, and one without a webhook that takes money in two steps. */
import { minorOf, moneyOf } from '../../providers/paypal/money.ts'
import { plan, type SimAccount, type SimOrder, type Transmission } from '../providers/paypal/books.ts'
import { openDispute } from '../providers/paypal/disputes.ts'
import { tell } from '../providers/paypal/events.ts'
import { approve, findOrder } from '../providers/paypal/orders.ts'
import { createPaypal, type SimulatedPaypal } from '../providers/paypal/paypal.ts'
import { presentDisputeDetails, presentRefund } from '../providers/paypal/present.ts'
import { type Kind, openDoor } from './door.ts'
import type { Arrival, Reply } from './serve.ts'
import { type Desk, type RefundFault, type Standing, sumOf } from './standing.ts'

export const PAYPAL_ACCOUNTS = {
  one: 'client-one-of-the-histories',
  two: 'client-two-of-the-histories',
} as const
export const PAYPAL_SECRET = 'planted-secret-of-the-histories'
export const PAYPAL_WEBHOOK = 'WEBHOOK0009'

const HOUR_MS = 3_600_000
const OF_STAFF = 'of-the-staff'
const TAKEN = ['COMPLETED', 'PARTIALLY_REFUNDED', 'REFUNDED']

function kindOf({ method, url, body }: Arrival): Kind | null {
  const [path = ''] = url.split('?')
  if (!/^\/v2\/|^\/v3\/vault/.test(path)) return path.startsWith('/v1/customer/disputes') ? 'read' : null
  if (method === 'GET') return 'read'
  return path === '/v2/checkout/orders' && !body.includes('"vault_id"') ? 'open' : 'write'
}

type Paypal = {
  sim: SimulatedPaypal
  sent: Transmission[]
  /** What the provider works on: how it ends when it accepts. */
  works: Map<SimOrder, () => void>
  refunds: Map<SimOrder, RefundFault>
}
type At = { account: SimAccount; order: SimOrder }

/** `callback`: where the webhooks of the first account go. */
export async function openPaypalDesk(
  now: () => Date,
  callback: () => string,
): Promise<Desk & { accounts(): SimAccount[] }> {
  const paypal = { sent: [] as Transmission[] } as Paypal
  const door = await openDoor(now, { kindOf, answer: (arrival) => answer(paypal, arrival) })
  const reset = async () => {
    await door.reset()
    const sim = createPaypal({ now, origin: () => door.origin, send: (each) => paypal.sent.push(each) })
    sim.world.isFull = true
    Object.assign(paypal, { sim, sent: [], works: new Map(), refunds: new Map() })
    for (const [name, id] of Object.entries(PAYPAL_ACCOUNTS)) {
      const account = sim.openAccount(id, PAYPAL_SECRET)
      account.accessTokens.set(`${OF_STAFF}-${id}`, new Date(8.64e15))
      if (name === 'one')
        account.webhooks.set(PAYPAL_WEBHOOK, { id: PAYPAL_WEBHOOK, url: callback(), events: ['*'] })
    }
  }
  await reset()
  const orders = async () =>
    [...paypal.sim.world.accounts.values()].flatMap((account) =>
      [...account.orders.values()].map((order) => standingOf(paypal, { account, order })),
    )
  const accounts = () => [...paypal.sim.world.accounts.values()]
  return { name: 'paypal', door, origin: door.origin, reset, orders, accounts, ...deedsOf(paypal) }
}

function answer(paypal: Paypal, arrival: Arrival): Reply {
  const { sim } = paypal
  const before = new Map(all(paypal).map(({ order }) => [order, order.refunds.length]))
  const { agenda } = sim.world
  sim.work()
  const due = agenda.length
  const reply = sim.answer(arrival)
  for (const { account, order } of all(paypal)) {
    const [capture] = order.captures
    const isNew = agenda.length > due
    if (isNew && order.fault === 'late_paid' && capture?.status === 'PENDING' && !paypal.works.has(order)) {
      const work = agenda.pop()
      if (work) paypal.works.set(order, work.act)
    }
    if (order.refunds.length > (before.get(order) ?? 0)) changeRefund(paypal, { account, order })
  }
  return { ...reply, body: reply.text }
}

/** The provider's answer about a new refund was right when it was given. What becomes of the refund is decided here. */
function changeRefund({ sim: { world }, refunds }: Paypal, { account, order }: At): void {
  const fault = refunds.get(order)
  const refund = order.refunds.at(-1)
  const capture = order.captures.find(({ id }) => id === refund?.captureId)
  if (!fault || !refund || !capture || fault === 'fails_later') return
  const end = (status: 'COMPLETED' | 'FAILED', name: string) => {
    refund.status = status
    const back = sumOf(
      order.refunds
        .filter((each) => each.status !== 'FAILED')
        .map(({ amount }) => ({ amountMinor: minorOf(amount) })),
    )
    capture.status =
      back === 0 ? 'COMPLETED' : back < minorOf(capture.amount) ? 'PARTIALLY_REFUNDED' : 'REFUNDED'
    tell(world, account, { name, kind: 'refund', resource: presentRefund(world, order, refund), order })
  }
  if (fault === 'pending') world.agenda.pop()
  plan(world, 20_000, () =>
    fault === 'pending'
      ? end('COMPLETED', 'PAYMENT.CAPTURE.REFUNDED')
      : end('FAILED', 'PAYMENT.REFUND.FAILED'),
  )
}

const all = ({ sim }: Paypal): At[] =>
  [...sim.world.accounts.values()].flatMap((account) =>
    [...account.orders.values()].map((order) => ({ account, order })),
  )
const find = (paypal: Paypal, reference: string) =>
  all(paypal).find(({ order }) => order.unit.custom_id === reference)
const at = (paypal: Paypal, url: string) => {
  const id = new URL(url).searchParams.get('token') ?? ''
  return all(paypal).find(
    ({ account, order }) => order.id === id && findOrder({ world: paypal.sim.world, account }, id) !== null,
  )
}

function standingOf({ sim, works }: Paypal, { account, order }: At): Standing {
  const { unit, captures, authorizations, refunds, status } = order
  const now = sim.world.now()
  const minor = (list: { amount: SimOrder['unit']['amount'] }[]) =>
    list.reduce((sum, { amount }) => sum + minorOf(amount), 0)
  const taken = captures.filter((each) => TAKEN.includes(each.status))
  const lapsed = (each: (typeof authorizations)[number]) =>
    each.status === 'VOIDED' || (each.status === 'CREATED' && each.expiresAt <= now)
  const disputes = account.disputes.filter(
    ({ captureId, stage }) => stage === 'CHARGEBACK' && captures.some(({ id }) => id === captureId),
  )
  const isOpen = findOrder({ world: sim.world, account }, order.id) !== null
  return {
    desk: 'paypal',
    account: account.clientId,
    reference: unit.custom_id ?? '',
    amountMinor: minorOf(unit.amount),
    currency: unit.amount.currency_code,
    payable: isOpen && status !== 'COMPLETED' && order.pages !== null,
    underWay: works.has(order),
    heldMinor:
      captures.length > 0
        ? 0
        : minor(authorizations.filter((each) => each.status === 'CREATED' && !lapsed(each))),
    capturedMinor: minor(taken),
    voided: captures.length === 0 && authorizations.some(lapsed),
    refunds: refunds.map((each) => ({
      amountMinor: minorOf(each.amount),
      key: each.customId?.split('.')[1] ?? null,
      state: each.status === 'COMPLETED' ? 'done' : each.status === 'PENDING' ? 'pending' : 'failed',
    })),
    lostMinor: minor(disputes.filter(({ outcome }) => outcome === 'RESOLVED_BUYER_FAVOUR')),
    disputedMinor: minor(disputes.filter((each) => each.status !== 'RESOLVED')),
  }
}

function deedsOf(paypal: Paypal): Omit<Desk, 'name' | 'door' | 'origin' | 'reset' | 'orders'> {
  return {
    async work() {
      paypal.sim.work()
    },
    ...buyersOf(paypal),
    ...staffOf(paypal),
    ...disputesOf(paypal),
    async letters(what) {
      paypal.sim.work()
      const sent = paypal.sent.splice(0)
      if (what === 'lose') return
      const letters =
        what === 'twice' ? sent.flatMap((each) => [each, each]) : what === 'backwards' ? sent.reverse() : sent
      for (const { url, headers, body } of letters)
        await (await fetch(url, { method: 'POST', headers, body, redirect: 'manual' })).text()
    },
  }
}

function buyersOf(paypal: Paypal): Pick<Desk, 'buy' | 'canPay' | 'decide' | 'setUpPage'> {
  return {
    async canPay(url) {
      const found = at(paypal, url)
      return found !== undefined && found.order.status !== 'COMPLETED'
    },
    async buy(url, deed) {
      const found = at(paypal, url)
      if (!found || found.order.status === 'COMPLETED' || deed === 'cancel' || deed === 'late') return false
      const { account, order } = found
      if (deed === 'under_way' && order.intent === 'CAPTURE') order.fault = 'late_paid'
      if (deed === 'underpay' && order.intent === 'CAPTURE') order.fault = 'underpaid'
      approve(paypal.sim.world, account, order, deed === 'decline' ? 'declining' : 'good')
      return true
    },
    async decide(accepts) {
      const works = [...paypal.works]
      paypal.works.clear()
      for (const [order, act] of works) {
        if (accepts) act()
        else for (const capture of order.captures) capture.status = 'DECLINED' as never
        order.fault = undefined
      }
      return works.length > 0
    },
    async setUpPage(url, will) {
      const id = new URL(url).searchParams.get('approval_session_id') ?? ''
      for (const { setups } of paypal.sim.world.accounts.values()) {
        const setup = setups.get(id)
        if (setup?.status !== 'PAYER_ACTION_REQUIRED' || will === 'cancel') continue
        setup.status = 'APPROVED'
        setup.instrument = will === 'save' ? 'good' : 'declining'
        return true
      }
      return false
    },
  }
}

function disputesOf(paypal: Paypal): Pick<Desk, 'dispute' | 'regain'> {
  return {
    async dispute(reference, what, amountMinor) {
      const { account, order } = find(paypal, reference) ?? {}
      const [capture] = order?.captures ?? []
      if (!account || !order || !capture || !TAKEN.includes(capture.status)) return false
      if (account.disputes.some((each) => each.captureId === capture.id)) return false
      const left =
        minorOf(capture.amount) -
        sumOf(
          order.refunds
            .filter(({ status }) => status !== 'FAILED')
            .map(({ amount }) => ({ amountMinor: minorOf(amount) })),
        )
      if (left <= 0) return false
      const { fault } = order
      order.fault = what === 'lost' ? 'dispute_lost' : what === 'won' ? 'disputed' : 'inquiry'
      openDispute(paypal.sim.world, account, order)
      order.fault = fault
      const dispute = account.disputes.at(-1)
      if (!dispute) return false
      // PayPal's times have full seconds, and no dispute begins in the same second as a refund.
      dispute.createdAt = new Date(dispute.createdAt.getTime() + 2_000)
      dispute.amount = moneyOf(Math.min(amountMinor, left), order.unit.amount.currency_code)
      if (what === 'won') plan(paypal.sim.world, 24 * HOUR_MS, () => end(paypal, { account, order }, dispute))
      return true
    },
    async regain(reference) {
      const { account, order } = find(paypal, reference) ?? {}
      const lost = account?.disputes.find(
        ({ captureId, outcome, stage }) =>
          stage === 'CHARGEBACK' &&
          outcome === 'RESOLVED_BUYER_FAVOUR' &&
          order?.captures[0]?.id === captureId,
      )
      if (!account || !order || !lost) return false
      end(paypal, { account, order }, lost)
      return true
    },
  }
}

function staffOf(paypal: Paypal): Pick<Desk, 'staff' | 'refundsWill'> {
  const ask = (account: SimAccount, url: string, body: object): boolean => {
    const headers = {
      authorization: `Bearer ${OF_STAFF}-${account.clientId}`,
      'content-type': 'application/json',
    }
    return paypal.sim.answer({ method: 'POST', url, headers, body: JSON.stringify(body) }).status < 300
  }
  return {
    async staff(reference, what, amountMinor) {
      const found = find(paypal, reference)
      if (!found) return false
      const { account, order } = found
      const amount = moneyOf(amountMinor, order.unit.amount.currency_code)
      const id = what === 'refund' ? order.captures[0]?.id : order.authorizations[0]?.id
      if (id === undefined) return false
      // PayPal shows the order's own name with a refund that its staff makes, or none.
      const name = amountMinor % 2 === 0 ? {} : { custom_id: reference }
      if (what === 'refund') return ask(account, `/v2/payments/captures/${id}/refund`, { amount, ...name })
      if (what === 'void') return ask(account, `/v2/payments/authorizations/${id}/void`, {})
      return ask(account, `/v2/payments/authorizations/${id}/capture`, { amount, final_capture: true })
    },
    async refundsWill(reference, what) {
      const found = find(paypal, reference)
      if (!found) return false
      found.order.fault = what === 'fails_later' || what === 'pending' ? 'refund_fails_later' : undefined
      if (what === null) paypal.refunds.delete(found.order)
      else paypal.refunds.set(found.order, what)
      return true
    },
  }
}

/** The seller has won. */
function end(
  { sim: { world } }: Paypal,
  { account, order }: At,
  dispute: SimAccount['disputes'][number],
): void {
  Object.assign(dispute, { status: 'RESOLVED', outcome: 'RESOLVED_SELLER_FAVOUR', updatedAt: world.now() })
  const resource = presentDisputeDetails(world, dispute)
  tell(world, account, { name: 'CUSTOMER.DISPUTE.RESOLVED', kind: 'dispute', resource, order })
}
