/** Saved cards at the simulator: how one is saved, and what happens to it later without its merchant. */
import type Stripe from 'stripe'
import { type Account, type Books, secondsOf } from './books.ts'
import { type CardName, cardOf } from './cards.ts'
import { tell } from './events.ts'
import { newMethod } from './more-objects.ts'

/** The buyer saves a card on the page of a session in setup mode. */
export function saveCard(
  books: Books,
  account: Account,
  session: Stripe.Checkout.Session,
  cardName: CardName,
): 'done' | 'declined' {
  const setup = account.setups.get(String(session.setup_intent))
  const { onPage } = cardOf(cardName)
  if (!setup || typeof onPage === 'object') return 'declined'
  const customer = books.nextId('cus')
  account.customers.add(customer)
  const method = newMethod(books, cardOf(cardName), customer)
  account.methods.set(method.id, method)
  account.cards.set(method.id, cardName)
  const mandate = cardName === 'saved_with_mandate' ? newMandate(books, method.id) : null
  if (mandate) account.mandates.set(mandate.id, mandate)
  Object.assign(setup, {
    status: 'succeeded',
    payment_method: method.id,
    customer,
    mandate: mandate?.id ?? null,
  })
  Object.assign(session, { status: 'complete', url: null, customer })
  tell(books, account, 'checkout.session.completed', session)
  return 'done'
}

/** Somebody can also do this in the Dashboard. */
export function detach(books: Books, account: Account, method: Stripe.PaymentMethod): void {
  method.customer = null
  tell(books, account, 'payment_method.detached', method)
}

/** The card's network reports the card that has replaced this one. */
export function replaceCard(
  books: Books,
  account: Account,
  method: Stripe.PaymentMethod,
  card: { last4: string; exp_year: number },
): void {
  Object.assign(method.card ?? {}, card)
  tell(books, account, 'payment_method.automatically_updated', method)
}

/** The buyer withdraws the permission at the bank. */
export function endMandate(books: Books, account: Account, mandate: Stripe.Mandate): void {
  mandate.status = 'inactive'
  tell(books, account, 'mandate.updated', mandate)
}

function newMandate(books: Books, method: string): Stripe.Mandate {
  return {
    id: books.nextId('mandate'),
    object: 'mandate',
    customer_acceptance: {
      accepted_at: secondsOf(books.now()),
      online: { ip_address: '127.0.0.1', user_agent: 'simulated' },
      type: 'online',
    },
    livemode: false,
    multi_use: {},
    payment_method: method,
    payment_method_details: { card: {}, type: 'card' },
    status: 'active',
    type: 'multi_use',
  }
}
