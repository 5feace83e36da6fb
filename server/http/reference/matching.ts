/** The guide's sections about payments that no back end asked for one by one: what they were for, and when to deliver. */
import { html, type Markup } from '../pages/html.ts'
import { codeBlock, paragraphs, table } from './prose.ts'

const SOLD_BY_BUTTON = {
  merchantOrderId: 'wgt_01kcaa3d4v0f6g7h8j9kmnpqrs',
  amountMinor: 1900,
  currency: 'USD',
  status: 'paid',
  metadata: { source: 'widget', productId: 'tea', clientReference: 'click-9d41' },
}

export const buttonPayments = (): Markup => html`
  ${paragraphs('A sale of the button, or of a product’s own page, begins in the browser: no order of yours stands behind it, and `merchantOrderId` is a reference that is made up. What was sold is in `metadata`, in every event and every look-up.')}
  ${codeBlock(JSON.stringify(SOLD_BY_BUTTON, null, 2), 'Of a payment from the button')}
  ${table(
    ['In `metadata`', 'It holds', 'Who decides it'],
    [
      ['`source`', '`widget`', 'this service'],
      ['`productId`', 'the product’s key in the registry', 'the page; the amount is the registry’s'],
      [
        '`clientReference`',
        'one attempt to buy, or the page’s `client-reference`',
        'the browser: anybody can write anything there',
      ],
    ],
  )}
  ${paragraphs(
    'Deliver the product when the payment is `paid` and its amount and currency are your own price for `productId`: once for each payment `id`. Never take `clientReference` for proof of which order was paid, as a buyer can pay for something cheap under the reference of something dear.',
    'A payment that was begun before you changed a price keeps the old one. The buyer comes back to your `returnUrl` with `paymentId` in its query: look that payment up to show what was bought.',
  )}`

const CHARGED = {
  merchantOrderId: 'tea-box-ani/2',
  amountMinor: 1900,
  currency: 'USD',
  status: 'paid',
  metadata: {
    source: 'subscription',
    subscriptionId: 'sub_01kcab2c3d0f6g7h8j9kmnpqrs',
    period: 2,
    attempt: 1,
    periodStart: '2026-04-30T10:00:00.000Z',
    periodEnd: '2026-05-31T10:00:00.000Z',
  },
}

export const subscriptionPayments = (): Markup => html`
  ${paragraphs('Each charge of a subscription is an ordinary payment, with events of its own. Its `merchantOrderId` is your `merchantSubscriptionId`, a slash and the period, shortened where that is longer than 120 characters. Its `metadata` is the subscription’s, and this:')}
  ${codeBlock(JSON.stringify(CHARGED, null, 2), 'Of a subscription’s charge')}
  ${paragraphs(
    'Deliver the period when the payment is `paid` with the amount and currency that you gave the subscription. Find it by your own reference: the first charge can be paid before you have the answer that holds `subscriptionId`. A period that was not paid at once has several payments, one for each `attempt`: deliver it once.',
  )}`
