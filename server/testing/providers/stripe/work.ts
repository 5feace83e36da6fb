/** Stripe works for days on a payment that its buyer has confirmed, and then accepts or refuses it. */
import type Stripe from 'stripe'
import { type Account, type Books, later, sessionOf } from './books.ts'
import { type CardName, cardOf, type Work } from './cards.ts'
import { tell } from './events.ts'
import { newCharge } from './objects.ts'
import { decline, succeed } from './payments.ts'

/** The session is complete meanwhile, and the charge is pending. */
export function work(
  books: Books,
  account: Account,
  intent: Stripe.PaymentIntent,
  cardName: CardName,
  { ms, ends }: Work,
): void {
  if (cardOf(cardName).waitsElsewhere) {
    waitElsewhere(books, account, intent, cardName, { ms, ends })
    return
  }
  const charge = newCharge(books, intent, cardOf(cardName), { status: 'pending', paid: false })
  account.charges.set(charge.id, charge)
  Object.assign(intent, { status: 'processing', next_action: null, latest_charge: charge.id })
  tell(books, account, 'payment_intent.processing', intent)
  decideLater(books, account, intent, cardName, { ms, ends })
}

/** The buyer has a voucher, or was sent small deposits. There is no charge before the voucher is paid or the deposits are confirmed. */
function waitElsewhere(...[books, account, intent, cardName, given]: Parameters<typeof work>): void {
  Object.assign(intent, {
    status: 'requires_action',
    next_action: { type: 'multibanco_display_details', multibanco_display_details: {} },
  })
  tell(books, account, 'payment_intent.requires_action', intent)
  decideLater(books, account, intent, cardName, given)
}

function decideLater(...[books, account, intent, cardName, { ms, ends }]: Parameters<typeof work>): void {
  later(books, account, ms, () => {
    const session = sessionOf(account, intent.id)
    if (ends === 'succeeds') succeed(books, account, intent, cardOf(cardName))
    else decline(books, account, intent, cardName, ends)
    const type = ends === 'succeeds' ? 'succeeded' : 'failed'
    if (session) tell(books, account, `checkout.session.async_payment_${type}`, session)
  })
}
