/** The act on payment links. The counter has a page of its own for it. */
import { CURRENCY_CODES, PROVIDER_ROUTES } from '../../contract/fields.ts'
import { createLinkFor } from '../../operator/acts/link.ts'
import { shopFact, textFact } from '../../operator/approvals/facts.ts'
import { decimalAmount } from '../../payments/money.ts'
import { type AnyRow, act } from '../act.ts'
import { amount, oneOfNeeded, oneOfOrNone, optionalText, shop, text } from '../input.ts'

/** The address can be sent or printed. */
export const create = act('link create', {
  merchantId: shop(),
  amountMinor: amount({ flag: 'amount', placeholder: '15.00', currencyOf: 'currency' }),
  currency: oneOfNeeded(CURRENCY_CODES, { placeholder: 'CODE' }),
  description: text({ placeholder: 'TEXT' }),
  order: optionalText({ placeholder: 'ORDER' }),
  email: optionalText({ placeholder: 'EMAIL' }),
  route: oneOfOrNone(PROVIDER_ROUTES, { placeholder: 'ROUTE' }),
  expires: optionalText({ placeholder: 'TIME' }),
  key: optionalText({ placeholder: 'KEY' }),
})({
  shows: {
    merchantId: ({ ctx, args }) => shopFact(ctx, args.merchantId),
    amountMinor: ({ args: { amountMinor, currency } }) => [
      { name: 'amount', after: { amountMinor, currency } },
    ],
    // Shown with the amount.
    currency: 'bound',
    description: ({ args }) => textFact('description', args.description),
    order: ({ args }) => textFact('order', args.order),
    email: ({ args }) => textFact('email', args.email),
    route: ({ args }) => textFact('route', args.route),
    expires: ({ args }) => textFact('ends', args.expires),
    key: ({ args }) => textFact('key', args.key),
  },
  run(ctx, { merchantId, key, amountMinor, currency, description, order, email, route, expires }, { name }) {
    const wish = {
      amount: decimalAmount(amountMinor, currency),
      currency,
      description,
      ...(order !== undefined && { merchantOrderId: order }),
      ...(route && { providerRoute: route }),
      ...(expires !== undefined && { expiresAt: expires }),
      ...(email !== undefined && { customer: { email } }),
    }
    return createLinkFor(ctx, { merchantId, wish, key, by: name })
  },
  result: async (_ctx, link) => ({
    facts: { ...link },
    textValues: { order: link.payment.merchantOrderId },
  }),
  helpExamples: ['--merchant mer_01... --amount 15.00 --currency USD --description "Mountain tea"'],
  examples: async ({ merchantId }) => [
    { merchantId, amountMinor: 1_500, currency: 'USD', description: 'Mountain tea' },
    {
      merchantId,
      amountMinor: 700,
      currency: 'USD',
      description: 'Tea',
      order: 'tea-1',
      route: 'route_a',
      key: 'tea',
    },
  ],
})

export const LINK_ACTS: readonly AnyRow[] = [create]
