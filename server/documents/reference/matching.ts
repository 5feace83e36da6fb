/** The topics about payments that no back end created one by one: what was sold, and when to deliver. */
import { html, type Markup } from '../../pages/html.ts'
import { codeBlock, paragraphs, table } from './prose.ts'

const SOLD_BY_BUTTON = {
  merchantOrderId: 'wgt_test_01kcaa3d4vp70f6g7h8j9kmnpqrs2v3w4x5y',
  amountMinor: 1900,
  currency: 'USD',
  status: 'paid',
  metadata: { source: 'widget', productId: 'tea', clientReference: 'click-9d41' },
}

export const buttonPayments = (): Markup => html`
  ${paragraphs('A sale of the button, or of a product’s own page, starts in the browser. Your back end has no order for it, so `merchantOrderId` is a generated reference. `metadata` says what was sold, in every event and every look-up.')}
  ${codeBlock(JSON.stringify(SOLD_BY_BUTTON, null, 2), 'Part of a payment from the button')}
  ${table(
    ['In `metadata`', 'Value', 'Who sets it'],
    [
      ['`source`', '`widget`', 'this service'],
      ['`productId`', 'the product’s key in the registry', 'the page; the registry sets the amount'],
      [
        '`clientReference`',
        'one attempt to buy, or the page’s `client-reference`',
        'the browser, so anybody can write anything there',
      ],
    ],
  )}
  ${paragraphs(
    'Deliver the product when the payment is `paid` and its amount and currency are your own price for `productId`. Deliver once for each payment `id`. Never use `clientReference` as proof of which order was paid. A buyer can pay for something cheap under the reference of something expensive.',
    'A payment that started before you changed a price keeps the old price. The buyer comes back to your `returnUrl` with `paymentId` in its query. Look that payment up to show what was bought.',
  )}`

const CHARGED = {
  merchantOrderId: 'tea-box-ani/2',
  amountMinor: 1900,
  currency: 'USD',
  status: 'paid',
  metadata: {
    source: 'subscription',
    subscriptionId: 'sub_test_01kcab2c3dp70f6g7h8j9kmnpqrs2v3w4x5y',
    period: 2,
    attempt: 1,
    periodStart: '2026-04-30T10:00:00.000Z',
    periodEnd: '2026-05-31T10:00:00.000Z',
  },
}

export const subscriptionPayments = (): Markup => html`
  ${paragraphs('Each charge of a subscription is an ordinary payment with its own events. Its `merchantOrderId` is your `merchantSubscriptionId`, a slash and the number of the period. If that would be longer than 120 characters, it is cut and ends in `~`, 10 characters of its SHA-256, a slash and the period, so that no two are alike. Its `metadata` is the subscription’s, with these fields added:')}
  ${codeBlock(JSON.stringify(CHARGED, null, 2), 'Part of a subscription’s charge')}
  ${paragraphs(
    'Deliver the period when the payment is `paid` with the amount and currency of the subscription. Find the subscription by your own reference, because the first charge can be paid before you receive the response with `subscriptionId`. A period that was not paid at once has several payments, one for each `attempt`. Deliver the period once.',
  )}`
