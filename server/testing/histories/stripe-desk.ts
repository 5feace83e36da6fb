/** Stripe in the random histories: two accounts of the deployment, and one of a merchant. */
import type Stripe from 'stripe'
import { EVENTS } from '../../providers/stripe/inbound.ts'
import { type Account, type Books, catchUp, openAccount, openBooks } from '../providers/stripe/books.ts'
import type { CardName } from '../providers/stripe/cards.ts'
import { cardOf } from '../providers/stripe/cards.ts'
import { authenticate, choose } from '../providers/stripe/checkout.ts'
import { sendLetters, tell } from '../providers/stripe/events.ts'
import { type ApiFault, visit } from '../providers/stripe/front.ts'
import {
  cancelIntent,
  captureIntent,
  decline,
  moveForDispute,
  openDispute,
  refundIntent,
  succeed,
} from '../providers/stripe/payments.ts'
import { type Kind, openDoor } from './door.ts'
import type { Arrival, Reply } from './serve.ts'
import type { Desk, Standing } from './standing.ts'

export const STRIPE_ACCOUNTS = {
  one: 'acct_simulatedOne',
  two: 'acct_simulatedTwo',
  own: 'acct_simulatedOwn',
} as const
export const stripeKeyOf = (name: keyof typeof STRIPE_ACCOUNTS) => `sk_test_of_the_account_${name}`
export const STRIPE_SECRET = 'whsec_planted_secret_of_the_histories'

const UNDER_WAY = 'works'

function kindOf({ method, url }: Arrival): Kind | null {
  const [path = ''] = url.split('?')
  if (!path.startsWith('/v1/')) return null
  if (method === 'GET') return path === '/v1/account' ? null : 'read'
  return path === '/v1/checkout/sessions' ? 'open' : 'write'
}

/** `callback`: where the account's webhooks go; none where it has no webhook. */
export async function openStripeDesk(
  now: () => Date,
  callback: (account: keyof typeof STRIPE_ACCOUNTS) => string | null,
): Promise<Desk & { books(): Books }> {
  let books = openBooks(now)
  const answer = ({ method, url, headers, body }: Arrival, fault?: ApiFault): Reply | null => {
    const { pathname, search } = new URL(url, books.origin)
    return visit(books, { method, pathname, search, headers, body }, fault)
  }
  const fail = (arrival: Arrival, hasActed: boolean) => answer(arrival, hasActed ? 'broken' : 'broken_before')
  const door = await openDoor(now, { kindOf, answer, fail })
  const reset = async () => {
    await door.reset()
    books = openBooks(now)
    books.origin = door.origin
    for (const [name, id] of Object.entries(STRIPE_ACCOUNTS) as [keyof typeof STRIPE_ACCOUNTS, string][]) {
      const account = openAccount(books, id, [stripeKeyOf(name)])
      account.isFull = true
      const url = callback(name)
      if (url) account.endpoints.push({ url, secrets: [STRIPE_SECRET], events: EVENTS })
    }
  }
  await reset()
  return { name: 'stripe', door, origin: door.origin, books: () => books, reset, ...deedsOf(() => books) }
}

function ordersIn(account: Account): Standing[] {
  const sessions = [...account.sessions.values()].filter(({ mode }) => mode === 'payment')
  const ofSessions = sessions.map((session) => {
    const intent = account.intents.get(String(session.payment_intent))
    const base = { reference: session.client_reference_id ?? '', amountMinor: session.amount_total ?? 0 }
    const currency = (session.currency ?? '').toUpperCase()
    const isStill =
      intent?.status === undefined || /^requires_(payment_method|action|confirmation)$/.test(intent.status)
    return {
      ...standingOf(account, intent),
      ...base,
      currency,
      payable: session.status === 'open' && isStill,
    }
  })
  const charges = [...account.intents.values()]
    .filter(({ id }) => !sessions.some((session) => session.payment_intent === id))
    .map((intent) => ({
      ...standingOf(account, intent),
      reference: intent.metadata.kassa_reference ?? '',
      amountMinor: intent.amount,
      currency: intent.currency.toUpperCase(),
      payable: false,
    }))
  return [...ofSessions, ...charges]
}

function standingOf(account: Account, intent: Stripe.PaymentIntent | undefined) {
  const charge = intent && account.charges.get(String(intent.latest_charge))
  const refunds = [...account.refunds.values()].filter(
    (each) => each.charge === charge?.id && each.reason !== ('expired_uncaptured_charge' as unknown),
  )
  const disputes = [...account.disputes.values()].filter((each) => each.charge === charge?.id)
  const sum = (isIt: (status: string) => boolean) =>
    disputes.filter(({ status }) => isIt(status)).reduce((all, { amount }) => all + amount, 0)
  return {
    desk: 'stripe',
    account: account.id,
    underWay: intent?.status === 'processing',
    heldMinor: intent?.status === 'requires_capture' ? intent.amount_capturable : 0,
    capturedMinor: intent?.amount_received ?? 0,
    voided: intent?.status === 'canceled' && charge?.status === 'succeeded',
    refunds: refunds.map(({ amount, status, metadata }) => ({
      amountMinor: amount,
      key: metadata?.kassa_operation ?? null,
      state:
        status === 'succeeded'
          ? ('done' as const)
          : status === 'pending'
            ? ('pending' as const)
            : ('failed' as const),
    })),
    lostMinor: sum((status) => status === 'lost'),
    disputedMinor: sum((status) => /^(needs_response|under_review)$/.test(status)),
  }
}

function find(books: Books, reference: string) {
  for (const account of books.accounts.values()) {
    const session = [...account.sessions.values()].find((each) => each.client_reference_id === reference)
    const intent = session
      ? account.intents.get(String(session.payment_intent))
      : [...account.intents.values()].find(({ metadata }) => metadata.kassa_reference === reference)
    const charge = intent && account.charges.get(String(intent.latest_charge))
    if (session || intent) return { account, session, intent, charge }
  }
  return null
}

function sessionAt(books: Books, url: string) {
  const id = new URL(url).pathname.split('/').at(-1) ?? ''
  for (const account of books.accounts.values()) {
    const session = account.sessions.get(id)
    if (session) return { account, session }
  }
  return null
}

const attempt = (act: () => unknown): boolean => {
  try {
    return act() !== false
  } catch {
    return false
  }
}

function deedsOf(books: () => Books): Omit<Desk, 'name' | 'door' | 'origin' | 'reset'> {
  const work = async () => {
    for (const account of books().accounts.values()) catchUp(books(), account)
  }
  return {
    work,
    orders: async () => [...books().accounts.values()].flatMap(ordersIn),
    ...buyersOf(books, work),
    ...staffOf(books, work),
    ...decisionsOf(books),
    async letters(what) {
      await work()
      for (const account of books().accounts.values()) {
        if (what === 'lose') account.webhooks = []
        if (what === 'twice') account.webhooks = account.webhooks.flatMap((each) => [each, { ...each }])
        if (what === 'backwards') account.webhooks.reverse()
        while ((await sendLetters(books(), account, post)) > 0);
      }
    },
  }
}

async function post(url: string, headers: Record<string, string>, body: string): Promise<number> {
  const answer = await fetch(url, { method: 'POST', headers, body, redirect: 'manual' })
  await answer.text()
  return answer.status
}

function decisionsOf(books: () => Books): Pick<Desk, 'decide'> {
  return {
    /** A bank debit, or a review: days after the buyer has finished. */
    async decide(accepts) {
      let decided = false
      for (const account of books().accounts.values())
        for (const session of account.sessions.values()) {
          const intent = account.intents.get(String(session.payment_intent))
          if (intent?.status !== 'processing') continue
          decided = true
          if (accepts) succeed(books(), account, intent, cardOf('visa'))
          else
            decline(books(), account, intent, 'declined', {
              code: 'payment_method_provider_decline',
              declineCode: null,
            })
          tell(
            books(),
            account,
            `checkout.session.async_payment_${accepts ? 'succeeded' : 'failed'}`,
            session,
          )
        }
      return decided
    },
  }
}

function buyersOf(books: () => Books, work: () => Promise<void>): Pick<Desk, 'buy' | 'canPay' | 'setUpPage'> {
  return {
    async canPay(url) {
      await work()
      return sessionAt(books(), url)?.session.status === 'open'
    },
    async buy(url, deed) {
      await work()
      const at = sessionAt(books(), url)
      if (at?.session.status !== 'open') return false
      const { account, session } = at
      const plan = account.plans.get(session.id)
      if (deed === 'underpay' && plan) plan.name = 'simulate underpaid'
      if (deed === 'cancel' || deed === 'late') return deed === 'cancel'
      if (deed !== 'under_way' && deed !== 'approve_only')
        return choose(books(), account, session, deed === 'decline' ? 'declined' : 'visa') !== 'authenticate'
      choose(books(), account, session, 'three_d_secure')
      const intent = account.intents.get(String(session.payment_intent))
      if (deed === 'approve_only' || !intent) return authenticate(books(), account, session, true) === 'done'
      Object.assign(session, { status: 'complete', url: null })
      Object.assign(intent, { status: 'processing', next_action: null, cancellation_reason: null })
      intent.statement_descriptor = UNDER_WAY
      tell(books(), account, 'checkout.session.completed', session)
      return true
    },
    async setUpPage(url, will) {
      const at = sessionAt(books(), url)
      if (at?.session.status !== 'open') return false
      const card: Record<typeof will, CardName | null> = {
        save: 'visa',
        save_then_decline: 'saved_then_declines',
        save_then_hard: 'saved_then_lost',
        cancel: null,
      }
      const name = card[will]
      return name === null || choose(books(), at.account, at.session, name) === 'done'
    },
  }
}

function staffOf(
  books: () => Books,
  work: () => Promise<void>,
): Pick<Desk, 'staff' | 'dispute' | 'regain' | 'refundsWill'> {
  return {
    async staff(reference, what, amount) {
      await work()
      const at = find(books(), reference)
      const { account, intent } = at ?? {}
      if (!account || !intent) return false
      if (what === 'refund')
        return attempt(() => refundIntent(books(), account, intent, { amount, metadata: {} }))
      if (what === 'capture') return attempt(() => captureIntent(books(), account, intent, amount))
      return attempt(() => cancelIntent(books(), account, intent, 'requested_by_customer'))
    },
    async dispute(reference, what, amount) {
      await work()
      const { account, intent, charge } = find(books(), reference) ?? {}
      if (!account || !charge || intent?.status !== 'succeeded') return false
      const open = [...account.disputes.values()].some((each) => each.charge === charge.id)
      const left = charge.amount_captured - charge.amount_refunded
      if (open || left <= 0) return false
      openDispute(
        books(),
        account,
        charge,
        what === 'inquiry' ? what : `dispute_${what}`,
        Math.min(amount, left),
      )
      return true
    },
    async regain(reference) {
      await work()
      const { account, charge } = find(books(), reference) ?? {}
      const lost = [...(account?.disputes.values() ?? [])].find(
        (each) => each.charge === charge?.id && each.status === 'lost',
      )
      if (!account || !lost) return false
      lost.status = 'won'
      // A dispute is over when its money is back.
      moveForDispute(books(), lost, lost.amount)
      tell(books(), account, 'charge.dispute.closed', lost)
      return true
    },
    async refundsWill(reference, what) {
      const { account, session } = find(books(), reference) ?? {}
      const plan = account?.plans.get(session?.id ?? '')
      if (!plan) return false
      plan.name = what === null ? 'Tea' : `simulate refund_${what}`
      return true
    },
  }
}
